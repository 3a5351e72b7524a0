// A form of the site in steps. Without script all steps are on one page, as groups of fields, and the form is sent as it is.
// With script one step is shown at a time; the fields of the others are hidden, and keep what was entered.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react";
import type { SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Progress } from "../../lib/progress";
import { entryStep, useStepFocus, useStepHistory } from "../../lib/step-history";
import { fill } from "../../lib/words";
import { Consents, Controls, FormCaptcha, Frame, Submit, Trap } from "../form/parts";
import { useSiteForm } from "../form/use-form";
import { allowed, errorsOf, stepOf, stepsFor } from "./steps";
import { Summary } from "./summary";

/** The time between a change of the step and the scroll to it, in milliseconds. */
const DELAY = 150;

export default function SteppedForm(props: SiteForm): ReactNode {
  const { steps, messages, id } = props;
  const [asked, goTo] = useState(0);
  const heading = useRef<HTMLSpanElement>(null);
  const filling = useSiteForm(props, {
    at: asked,
    goTo,
    stepOf: (name) => stepOf(props, name),
    allowed: (step, given, wrong) => allowed(props, step, given, wrong),
    isOwnEntry: () => entryStep(id) !== null,
  });
  const { values, errors, isHydrated, isBusy, isDone } = filling;
  const order = isHydrated ? stepsFor(props, values) : steps.map((_, at) => at);
  // What was answered in an earlier step may leave nothing to show in this one.
  const at = order.filter((step) => step <= asked).at(-1) ?? order[0] ?? 0;
  const number = order.indexOf(at) + 1;
  const isLast = number === order.length;

  /** The step that the visitor gets for an entry of the history, from 0. */
  const reached = (entry: number): number => {
    const given = filling.read();
    return allowed(props, stepsFor(props, given)[entry - 1] ?? 0, given, filling.wrongOf(given));
  };
  useStepHistory({
    name: id,
    // After success, Back leaves the page instead of returning to what has been sent.
    step: isDone ? 1 : number,
    isReady: isHydrated,
    isMove: (entry) => !isBusy && !isDone && reached(entry) !== at,
    onWent: (entry) => {
      filling.show({});
      goTo(reached(entry));
    },
    settlesFor: filling.linked,
  });
  const isLed = Object.keys(errors).length > 0;
  useStepFocus({ step: number, isReady: isHydrated, isLed, isQuietAtFirst: true, heading, delay: DELAY });

  const proceed = (): void => {
    const given = filling.read();
    const wrong = errorsOf(props, at, filling.wrongOf(given));
    filling.show(wrong);
    const next = stepsFor(props, given).find((step) => step > at);
    if (Object.keys(wrong).length === 0 && next !== undefined) goTo(next);
  };
  const backTo = (step: number): void => {
    if (isBusy) return;
    filling.show({});
    goTo(step);
  };
  const submit = (event: SyntheticEvent): void => {
    if (isLast) {
      filling.submit(event);
      return;
    }
    // The Enter key sends a form; here it leads to the next step.
    event.preventDefault();
    proceed();
  };

  const parts = { form: props, filling };
  return (
    <Frame {...parts} onSubmit={submit}>
      <div className="form-steps" data-steps={isHydrated ? "shown" : ""}>
        <Progress labels={order.map((step) => steps[step]?.label ?? "")} step={number} messages={messages} />
        {props.summary && isHydrated && number > 1 && (
          <Summary form={props} shown={filling.shown} values={values} done={order.slice(0, number - 1)} onChange={backTo} />
        )}
        {steps.map(({ fields, title, text }, step) => {
          const isCurrent = step === at;
          const end = step === steps.length - 1;
          return (
            <fieldset
              className="form-steps__step"
              aria-describedby={text === "" ? undefined : `${id}-step-${step + 1}`}
              hidden={isHydrated && !isCurrent}
              key={fields.join()}
            >
              <legend className="form-steps__head">
                <span className="form-steps__count">
                  {fill(messages.stepOf, { current: String(order.indexOf(step) + 1), total: String(order.length) })}
                </span>{" "}
                <span className="form-steps__title" ref={isCurrent ? heading : undefined} tabIndex={-1}>
                  {title}
                </span>
              </legend>
              {text !== "" && (
                // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
                <div className="form-steps__text" id={`${id}-step-${step + 1}`} dangerouslySetInnerHTML={{ __html: text }} />
              )}
              <Controls {...parts} names={fields} />
              {end && <Consents {...parts} />}
              {end && isCurrent && <FormCaptcha {...parts} />}
            </fieldset>
          );
        })}
        <Trap form={props} />
        <div className="form-steps__actions">
          {number > 1 && (
            <button
              className="button button--secondary"
              type="button"
              aria-disabled={isBusy || undefined}
              onClick={() => backTo(order[number - 2] ?? at)}
            >
              {messages.back}
            </button>
          )}
          <button
            className="button button--primary form-steps__next"
            type="button"
            hidden={isHydrated && isLast}
            onClick={proceed}
          >
            {messages.continueAction}
            <Icon svg={arrowRight} isArrow />
          </button>
          <Submit {...parts} className=" form-steps__submit" isHidden={isHydrated && !isLast} />
        </div>
      </div>
    </Frame>
  );
}
