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
    <div className="guide-swatches__palette">
      <fieldset className="guide-swatches__forms" data-needs-script="">
        <legend>{messages.copyAs}</legend>
        {forms.map(([value, label]) => (
          <label className="guide-swatches__form" key={value}>
            <input type="radio" name={id} checked={form === value} onChange={() => setForm(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      <ul className="guide-swatches__list">
        {swatches.map((swatch) => (
          <li
            className={`guide-swatches__item${swatch.highlighted ? " guide-swatches__item--highlighted" : ""}`}
            key={swatch.property}
          >
            <button className="guide-swatches__button" type="button" onClick={() => copy(written(swatch, form))}>
              <svg className="guide-swatches__color" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1 1">
                <rect width="1" height="1" fill={swatch.code} />
              </svg>
              <span className="guide-swatches__label">
                {swatch.label}
                {swatch.principal && <span className="guide-swatches__principal">{messages.principalColor}</span>}
              </span>
            </button>
            <code>{swatch.code}</code>
            <code>{swatch.property}</code>
            {swatch.rgb !== "" && <code>{swatch.rgb}</code>}
          </li>
        ))}
      </ul>
      <p className="guide-swatches__said" role="status">
        {status}
      </p>
    </div>
  );
}
