// What was answered in the steps before the current one. Each leads back to its step.

import chosenMark from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import check from "@phosphor-icons/core/assets/regular/check.svg";
import pencil from "@phosphor-icons/core/assets/regular/pencil-simple.svg";
import type { ReactNode } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { groupsOf, plainLabel, type Values } from "../form/fields";

interface Props {
  form: Pick<SiteForm, "fields" | "steps" | "messages" | "summary">;
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

/** The cards of a step that is done: all that were on offer, or the one that was chosen if they have previews. */
function Cards({ form, field, values }: Pick<Props, "form" | "values"> & { field: FormControl }): ReactNode {
  const given = values[field.name] ?? [];
  const offered = groupsOf(form.fields, field, values).flatMap(({ choices }) => choices);
  const isBrief = offered.some(({ preview }) => preview !== null);
  const cards = offered.filter(({ value }) => !isBrief || given.includes(value));
  return (
    <div className="form-steps__cards">
      {cards.map(({ value, icon, label }) => {
        const isChosen = given.includes(value);
        return (
          <button
            className={isChosen ? "form__card form__card--pressed form__card--chosen" : "form__card form__card--pressed"}
            type="button"
            disabled
            key={value}
          >
            {icon !== null && <Icon svg={icon} />}
            <span className="form__card-title">{label}</span>
            {isChosen && (
              <span className="form__card-check">
                <Icon svg={chosenMark} />
                <span className="visually-hidden">{form.messages.stepDone}</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}

export function Summary({ form, shown, values, done, onChange }: Props): ReactNode {
  const { steps, messages, summary } = form;
  const listed = shown.filter(({ name }) => summary.includes(name) && values[name] !== undefined);
  return (
    <ol className="form-steps__summary">
      {done.map((step) => (
        <li className="form-steps__done" key={step}>
          <button className="form-steps__change" type="button" onClick={() => onChange(step)}>
            <Icon svg={check} />
            <span>
              {steps[step]?.title}
              <span className="visually-hidden"> ({messages.stepDone})</span>
            </span>
            <Icon svg={pencil} />
          </button>
          {listed
            .filter(({ name, look }) => steps[step]?.fields.includes(name) && look === "buttons")
            .map((field) => (
              <Cards form={form} field={field} values={values} key={field.name} />
            ))}
          <dl className="form-steps__answers">
            {listed
              .filter(({ name, look }) => steps[step]?.fields.includes(name) && look !== "buttons")
              .map((field) => (
                <div className="form-steps__answer" key={field.name}>
                  <dt>{plainLabel(field.label)}</dt>
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
