// A typeface in all its weights, with a field for custom text. Without JavaScript, only the sample text is shown.

import { type ReactNode, useId, useState } from "react";
import type { GuideType as Props } from "../../generated/wire";
import { fill } from "../../lib/words";

export default function GuideType({ font, sample, weights, messages }: Props): ReactNode {
  const [text, setText] = useState(sample);
  const id = useId();
  return (
    <div className="guide-type__specimen">
      <label className="guide-type__label" htmlFor={id} data-needs-script="">
        {messages.specimenLabel}
      </label>
      <input
        data-needs-script=""
        className="guide-type__field"
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <dl className="guide-type__lines">
        {weights.map((weight) => (
          <div className="guide-type__line" key={weight}>
            <dt>{fill(messages.weight, { weight })}</dt>
            <dd className={`guide-type__text guide-type__text--${font} guide-type__text--${weight}`}>
              {text === "" ? sample : text}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
