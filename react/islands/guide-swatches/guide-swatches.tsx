// A color palette. A click copies a color as a hexadecimal value, a custom property or an `rgb()` value; without
// JavaScript, all three are visible as text. Swatches are SVG with `fill`, because the Content Security Policy forbids
// inline styles.

import { type ReactNode, useId, useState } from "react";
import type { GuideSwatches as Props, Swatch } from "../../generated/wire";
import { useCopy } from "../../lib/copy";

type Form = "code" | "property" | "rgb";

const written = (swatch: Swatch, form: Form): string => {
  if (form === "property") return `var(${swatch.property})`;
  return form === "rgb" && swatch.rgb !== "" ? `rgb(${swatch.rgb})` : swatch.code;
};

export default function GuideSwatches({ swatches, messages }: Props): ReactNode {
  const [form, setForm] = useState<Form>("code");
  const [status, copy] = useCopy(messages);
  const id = useId();
  const forms: [Form, string][] = [
    ["code", messages.copyHex],
    ["property", messages.copyVariable],
    ["rgb", messages.copyRgb],
  ];
  return (
    <div className="palette">
      <fieldset className="palette__forms" data-needs-script="">
        <legend>{messages.copyAs}</legend>
        {forms.map(([value, label]) => (
          <label className="palette__form" key={value}>
            <input type="radio" name={id} checked={form === value} onChange={() => setForm(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      <ul className="palette__list">
        {swatches.map((swatch) => (
          <li className={`palette__item${swatch.highlighted ? " palette__item--highlighted" : ""}`} key={swatch.property}>
            <button className="palette__button" type="button" onClick={() => copy(written(swatch, form))}>
              <svg className="palette__color" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1 1">
                <rect width="1" height="1" fill={swatch.code} />
              </svg>
              <span className="palette__label">
                {swatch.label}
                {swatch.principal && <span className="palette__principal">{messages.principalColor}</span>}
              </span>
            </button>
            <code>{swatch.code}</code>
            <code>{swatch.property}</code>
            {swatch.rgb !== "" && <code>{swatch.rgb}</code>}
          </li>
        ))}
      </ul>
      <p className="palette__said" role="status">
        {status}
      </p>
    </div>
  );
}
