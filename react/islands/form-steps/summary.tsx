// What was answered in the steps before the current one. Each leads back to its step.

import check from "@phosphor-icons/core/assets/regular/check.svg";
import pencil from "@phosphor-icons/core/assets/regular/pencil-simple.svg";
import type { ReactNode } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { StepDone } from "../../lib/progress";
import type { Values } from "../form/rules";

interface Props {
  form: Pick<SiteForm, "steps" | "messages">;
  /** The fields that are shown with these answers. */
  shown: FormControl[];
  values: Values;
  /** The steps that are done, from 0. */
  done: number[];
  onChange: (step: number) => void;
}

/** An answer as the visitor saw it: the names of choices, a day in words, and for what was ticked a mark. */
const answer = ({ takes, choices }: FormControl, value: string): string => {
  if (takes === "flag") return "✓";
  if (takes !== "date") return choices.find((choice) => choice.value === value)?.label ?? value;
  const day = new Date(`${value}T00:00:00Z`);
  const words = { dateStyle: "long", timeZone: "UTC" } as const;
  return Number.isNaN(day.getTime()) ? value : day.toLocaleDateString(document.documentElement.lang || undefined, words);
};

export function Summary({ form: { steps, messages }, shown, values, done, onChange }: Props): ReactNode {
  return (
    <ol className="form-steps__summary">
      {done.map((step) => (
        <li className="form-steps__done" key={step}>
          <button className="form-steps__change" type="button" onClick={() => onChange(step)}>
            <Icon svg={check} />
            <span>
              {steps[step]?.title}
              <StepDone messages={messages} />
            </span>
            <Icon svg={pencil} />
          </button>
          <dl className="form-steps__answers">
            {shown
              .filter(({ name }) => steps[step]?.fields.includes(name) && values[name] !== undefined)
              .map((field) => (
                <div className="form-steps__answer" key={field.name}>
                  <dt>{field.label}</dt>
                  {values[field.name]?.map((value) => (
                    <dd dir="auto" key={value}>
                      {answer(field, value)}
                    </dd>
                  ))}
                </div>
              ))}
          </dl>
        </li>
      ))}
    </ol>
  );
}
