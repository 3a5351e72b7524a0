// The header of a step: its number and its heading, which receives focus when the step is shown.

import check from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import type { ReactNode, RefObject } from "react";
import type { LeadForm, StepWords } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { fill } from "../../lib/words";

/** Number of steps that are counted. The last step is a confirmation and is not. */
export const COUNTED_STEPS = 4;

/** Props of every step. */
export interface StepProps {
  words: StepWords;
  messages: LeadForm["messages"];
  /** Ref to the heading of the current step. */
  heading: RefObject<HTMLHeadingElement | null>;
}

interface HeadProps extends StepProps {
  number: number;
  isDone?: boolean;
}

export function Head({ words, number, isDone = false, messages, heading }: HeadProps): ReactNode {
  const id = `lead-step-${number}`;
  if (isDone) {
    return (
      <h2 className="lead-form__done-title" id={id}>
        <Icon svg={check} />
        {words.title}
        <span className="visually-hidden"> ({messages.stepDone})</span>
      </h2>
    );
  }
  return (
    <header className="lead-form__head">
      {number <= COUNTED_STEPS && (
        <p className="lead-form__count">{fill(messages.stepOf, { current: String(number), total: String(COUNTED_STEPS) })}</p>
      )}
      <h2 className="lead-form__title" id={id} ref={heading} tabIndex={-1}>
        {words.title}
      </h2>
      <p className="lead-form__text">{words.text}</p>
    </header>
  );
}

/** Progress indicator: one bar per step. */
export function Progress({
  labels,
  step,
  messages,
}: {
  labels: string[];
  step: number;
  messages: LeadForm["messages"];
}): ReactNode {
  return (
    <ol className="lead-form__progress" aria-label={messages.formProgress}>
      {labels.map((label, at) => {
        const number = at + 1;
        const state = number < step ? "laid" : number === step ? "current" : "open";
        return (
          <li
            className={`lead-form__plank lead-form__plank--${state}`}
            key={label}
            {...(state === "current" ? { "aria-current": "step" } : {})}
          >
            {label}
            {state === "laid" && <span className="visually-hidden"> ({messages.stepDone})</span>}
          </li>
        );
      })}
    </ol>
  );
}
