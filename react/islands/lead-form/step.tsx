// The head of a step: its place in the form and its heading, which takes the focus when the step is shown.

import check from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import type { ReactNode, RefObject } from "react";
import type { LeadForm, StepWords } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { fill } from "../../lib/words";

/** Steps that are counted; the last one only says thank you. */
export const COUNTED_STEPS = 4;

/** What every step gets. */
export interface StepProps {
  words: StepWords;
  messages: LeadForm["messages"];
  /** The heading of the step that is shown. */
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
        <p className="lead-form__count">
          {fill(messages.stepOf, { current: String(number), total: String(COUNTED_STEPS) })}
        </p>
      )}
      <h2 className="lead-form__title" id={id} ref={heading} tabIndex={-1}>
        {words.title}
      </h2>
      <p className="lead-form__text">{words.text}</p>
    </header>
  );
}

/** How far the form is: a deck that is laid plank by plank. */
export function Progress({ labels, step, messages }: { labels: string[]; step: number; messages: LeadForm["messages"] }): ReactNode {
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
