// The lead form: five steps that keep the visitor's input. Two forms are prerendered: the first step, and one plain
// form with the same fields for visitors without JavaScript (plain.tsx). The media query `scripting` selects one of them.
// If the island fails to hydrate, the plain form is shown.

import house from "@phosphor-icons/core/assets/regular/house.svg";
import { type ReactNode, useEffect, useReducer, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import type { LeadForm as Props } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";
import { Progress } from "../../lib/progress";
import { useStepFocus } from "../../lib/step-history";
import { announceLead, consentSignal, refusesCaptcha, visitSignals } from "../../lib/submission";
import { ChoiceStep, ServiceStep } from "./choose";
import { type Shared, SharedValues } from "./context";
import { ContactStep, ProjectStep } from "./details";
import { delayOf, type Flow, useDraft, useHistory } from "./flow";
import { EMPTY, type Fields, leadOf, type Outcome, type Submission, send, submissionOf } from "./lead";
import { begin, picked, reduce } from "./state";
import { Step } from "./step";

/** The steps before the confirmation. */
const counted = ["choice", "service", "contact", "project"] as const;

/** `plain` is the form for visitors without JavaScript, when the island is prerendered. */
export default function LeadForm(props: Props & { plain?: ReactNode }): ReactNode {
  const { choices, messages, locale, home } = props;
  const [state, dispatch] = useReducer(reduce, begin);
  const fields = useForm<Fields>({ defaultValues: EMPTY, reValidateMode: "onSubmit", shouldFocusError: false });
  const [isHydrated, setHydrated] = useState(false);
  const submission = useRef<Submission | null>(null);
  const plain = useRef<HTMLDivElement>(null);
  const trap = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const since = useRef(0);
  const { step } = state;

  // Copies input from the plain form into the steps. Hydration resets fields and restores their input afterwards, so
  // they are read in a microtask.
  useEffect(() => {
    since.current = performance.now();
    let isGone = false;
    queueMicrotask(() => {
      if (isGone) return;
      for (const [name, value] of Object.entries(readPlainForm(plain.current?.querySelector("form"))))
        fields.setValue(name as keyof Fields, value);
      setHydrated(true);
    });
    return () => {
      isGone = true;
    };
  }, [fields]);
  const flow: Flow = { form: props, state, dispatch, fields, isReady: isHydrated };
  useDraft(flow, submission);
  useHistory(flow);
  useStepFocus({ step, isReady: isHydrated, heading, delay: delayOf(props, step) });

  const settle = (outcome: Outcome): void => {
    if (outcome.success) {
      fields.reset(EMPTY);
      submission.current = null;
      announceLead("lead-form");
      dispatch({ type: "succeeded" });
      return;
    }
    const message = outcome.isNetwork ? messages.networkError : (outcome.error ?? messages.failedToSubmit);
    dispatch({ type: "failed", message, isCaptchaRefused: refusesCaptcha(outcome.code) });
  };

  const submit = (checked: Fields, token: string): void => {
    dispatch({ type: "sent" });
    if (navigator.onLine === false) {
      dispatch({ type: "failed", message: messages.offline });
      return;
    }
    const lead = leadOf(checked, picked(choices, state)?.title ?? "", props);
    submission.current = submissionOf(lead, submission.current);
    const signals = new URLSearchParams({
      ...visitSignals(),
      [props.honeypot]: trap.current?.value ?? "",
      [props.elapsed]: String(Math.round(performance.now() - since.current)),
      ...consentSignal(),
    });
    void send(props, { lead, token, key: submission.current.key, signals: String(signals) }).then(settle);
  };

  const restart = (): void => {
    fields.reset(EMPTY);
    submission.current = null;
    dispatch({ type: "restarted" });
  };

  // Targets for fragments that name a service. If one is opened, the first step is not painted, only to be replaced.
  const fragments = choices.flatMap(({ services }) => services.flatMap(({ hashes }) => hashes));
  const shared: Shared = { form: props, state, dispatch, fields, heading };
  return (
    <div className="lead-form" data-hydrated={isHydrated ? "" : undefined} lang={locale}>
      {!isHydrated && (
        <>
          {fragments.map((fragment) => (
            <span className="lead-form__fragment" id={fragment} key={fragment} />
          ))}
          {props.plain ? (
            <div ref={plain}>{props.plain}</div>
          ) : (
            // Hydration leaves the content of this element as it was prerendered, so the browser needs no code for it.
            // biome-ignore lint/security/noDangerouslySetInnerHtml: it sets nothing.
            <div ref={plain} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: "" }} />
          )}
        </>
      )}
      <div className="lead-form__steps">
        <SharedValues value={shared}>
          <Progress labels={counted.map((name) => props.steps[name].label)} step={step} messages={messages} />
          {step < 5 && <ChoiceStep />}
          {step > 1 && step < 5 && <ServiceStep />}
          {(step === 3 || step === 4) && <ContactStep />}
          {step === 4 && <ProjectStep onSubmit={submit} onRestart={restart} />}
          {step === 5 && (
            <Step number={5} name="success">
              {props.drawing === null ? (
                <svg className="lead-form__check" viewBox="0 0 160 160" aria-hidden="true" focusable="false">
                  <path pathLength={1} d="M148 80a68 68 0 1 1-24-52" />
                  <path pathLength={1} d="M44 82l28 28 76-82" />
                </svg>
              ) : (
                // biome-ignore lint/security/noDangerouslySetInnerHtml: an SVG of the site, which the build has checked.
                <div className="lead-form__art" aria-hidden="true" dangerouslySetInnerHTML={{ __html: props.drawing }} />
              )}
              <div className="lead-form__actions">
                <Anchor className="button button--primary" link={home}>
                  <Icon svg={house} />
                  {messages.backToHome}
                </Anchor>
                <button className="button button--secondary" type="button" onClick={restart}>
                  {messages.submitAnotherRequest}
                </button>
              </div>
            </Step>
          )}
        </SharedValues>
        <div className="form__trap" aria-hidden="true">
          <label htmlFor="lead-trap">{messages.leaveEmpty}</label>
          <input type="text" id="lead-trap" ref={trap} tabIndex={-1} autoComplete="off" />
        </div>
      </div>
    </div>
  );
}

/** Returns what the visitor has typed into the plain form. If any app field is filled in, `hasApp` is `yes`. */
const readPlainForm = (form: HTMLFormElement | null | undefined): Partial<Fields> => {
  const typed = [...new FormData(form ?? undefined)].filter(([name, value]) => name in EMPTY && value !== "");
  const hasApp = typed.some(([name]) => name.startsWith("app"));
  return { ...(Object.fromEntries(typed) as Partial<Fields>), ...(hasApp ? { hasApp: "yes" } : {}) };
};
