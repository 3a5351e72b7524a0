// A typeface in all its weights, with a field for custom text. Without JavaScript, only the sample text is shown.

import { type ReactNode, useId, useState } from "react";
import type { GuideType as Props } from "../../generated/wire";
import { fill } from "../../lib/words";

export default function GuideType({ font, sample, weights, messages }: Props): ReactNode {
  const [text, setText] = useState(sample);
  const id = useId();
  return (
    <div className="type-specimen">
      <label className="type-specimen__label" htmlFor={id} data-needs-script="">
        {messages.specimenLabel}
      </label>
      <input
        data-needs-script=""
        className="type-specimen__field"
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <dl className="type-specimen__lines">
        {weights.map((weight) => (
          <div className="type-specimen__line" key={weight}>
            <dt>{fill(messages.weight, { weight })}</dt>
            <dd className={`type-specimen__text type-specimen__text--${font} type-specimen__text--${weight}`}>
              {text === "" ? sample : text}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
