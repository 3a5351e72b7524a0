// The frame of each step: its number, its heading, which receives focus when the step is shown, and its buttons.

import check from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import type { ReactNode } from "react";
import type { LeadForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { StepDone } from "../../lib/progress";
import { fill } from "../../lib/words";
import { useShared } from "./context";
import type { Step as StepNumber } from "./state";

/** Number of steps that are counted. The last step is a confirmation and is not. */
const COUNTED_STEPS = 4;

interface StepProps {
  number: StepNumber;
  /** The key of its words. */
  name: keyof LeadForm["steps"];
  children: ReactNode;
}

/** Steps before the current one are done: they stay above it, as a summary. */
export function Step({ number, name, children }: StepProps): ReactNode {
  const { form, state, heading } = useShared();
  const { messages } = form;
  const { title, text } = form.steps[name];
  const id = `lead-step-${number}`;
  const isDone = number < state.step;
  return (
    <section className={`lead-form__step lead-form__step--${isDone ? "done" : name}`} aria-labelledby={id}>
      {isDone ? (
        <h2 className="lead-form__done-title" id={id}>
          <Icon svg={check} />
          {title}
          <StepDone messages={messages} />
        </h2>
      ) : (
        <header className="lead-form__head">
          {number <= COUNTED_STEPS && (
            <p className="lead-form__count">{fill(messages.stepOf, { current: String(number), total: String(COUNTED_STEPS) })}</p>
          )}
          <h2 className="lead-form__title" id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <p className="lead-form__text">{text}</p>
        </header>
      )}
      {children}
    </section>
  );
}

/** The button that leads back to the step before, and what leads on. */
export function Actions({ isBusy = false, children }: { isBusy?: boolean; children: ReactNode }): ReactNode {
  const { form, dispatch } = useShared();
  return (
    <div className="lead-form__actions">
      {/* `aria-disabled` keeps the focus on the button, which `disabled` would drop. */}
      <button
        className="button button--secondary"
        type="button"
        aria-disabled={isBusy || undefined}
        onClick={() => dispatch({ type: "back" })}
      >
        {form.messages.back}
      </button>
      {children}
    </div>
  );
}
