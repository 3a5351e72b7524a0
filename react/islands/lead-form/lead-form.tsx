// The lead form: five steps that keep the visitor's input. Two forms are prerendered: the first step, and one plain
// form with the same fields for visitors without JavaScript. The media query `scripting` selects one of them. If the
// island fails to hydrate, the plain form is shown.

import house from "@phosphor-icons/core/assets/regular/house.svg";
import { type ReactNode, useEffect, useReducer, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import type { LeadForm as Props } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";
import { ChoiceStep, ServiceStep } from "./choose";
import { ContactStep, ProjectStep } from "./details";
import { type Flow, useDraft, useHistory, useStepFocus } from "./flow";
import { EMPTY, type Fields, leadOf, type Outcome, type Submission, send, submissionOf } from "./lead";
import { PlainForm, readPlainForm } from "./plain";
import { begin, picked, reduce } from "./state";
import { Head, Progress } from "./step";

/** Response codes after which the captcha must be solved again. */
const CAPTCHA = new Set(["captcha_required", "captcha_refused"]);

export default function LeadForm(props: Props): ReactNode {
  const { choices, steps, messages, locale, home } = props;
  const [state, dispatch] = useReducer(reduce, begin);
  const fields = useForm<Fields>({ defaultValues: EMPTY, reValidateMode: "onSubmit", shouldFocusError: false });
  const [isHydrated, setHydrated] = useState(false);
  const submission = useRef<Submission | null>(null);
  const plain = useRef<HTMLFormElement>(null);
  const trap = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const since = useRef(0);
  const { step, sending } = state;

  // Copies input from the plain form into the steps. Hydration resets fields and restores their input afterwards, so
  // they are read in a microtask.
  useEffect(() => {
    since.current = performance.now();
    let isGone = false;
    queueMicrotask(() => {
      if (isGone) return;
      for (const [name, value] of Object.entries(readPlainForm(plain.current))) fields.setValue(name as keyof Fields, value);
      setHydrated(true);
    });
    return () => {
      isGone = true;
    };
  }, [fields]);
  const flow: Flow = { form: props, state, dispatch, fields, isReady: isHydrated };
  useDraft(flow, submission);
  useHistory(flow);
  useStepFocus(flow, heading);

  const settle = (outcome: Outcome): void => {
    if (outcome.success) {
      fields.reset(EMPTY);
      submission.current = null;
      dispatch({ type: "succeeded" });
      return;
    }
    const message = outcome.isNetwork ? messages.networkError : (outcome.error ?? messages.failedToSubmit);
    dispatch({ type: "failed", message, isCaptchaRefused: outcome.code !== null && CAPTCHA.has(outcome.code) });
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
      [props.honeypot]: trap.current?.value ?? "",
      [props.elapsed]: String(Math.round(performance.now() - since.current)),
    });
    void send(props, { lead, token, key: submission.current.key, signals: String(signals) }).then(settle);
  };

  const goBack = (): void => dispatch({ type: "back" });
  const restart = (): void => {
    fields.reset(EMPTY);
    submission.current = null;
    dispatch({ type: "restarted" });
  };

  // Targets for fragments that name a service. If one is opened, the first step is not painted, only to be replaced.
  const fragments = choices.flatMap(({ services }) => services.flatMap(({ hashes }) => hashes));
  const labels = [steps.choice, steps.service, steps.contact, steps.project].map(({ label }) => label);
  const shared = { messages, heading };
  return (
    <div className="lead-form" data-hydrated={isHydrated ? "" : undefined} lang={locale}>
      {!isHydrated && (
        <>
          {fragments.map((fragment) => (
            <span className="lead-form__fragment" id={fragment} key={fragment} />
          ))}
          <PlainForm form={props} place={plain} />
        </>
      )}
      <div className="lead-form__steps">
        <Progress labels={labels} step={step} messages={messages} />
        {step < 5 && <ChoiceStep {...shared} words={steps.choice} choices={choices} state={state} dispatch={dispatch} />}
        {step > 1 && step < 5 && (
          <ServiceStep {...shared} words={steps.service} choices={choices} state={state} dispatch={dispatch} onBack={goBack} />
        )}
        {(step === 3 || step === 4) && (
          <ContactStep
            {...shared}
            words={steps.contact}
            form={props}
            fields={fields}
            isDone={step > 3}
            onBack={goBack}
            onContinue={() => dispatch({ type: "continued" })}
          />
        )}
        {step === 4 && (
          <ProjectStep
            {...shared}
            words={steps.project}
            form={props}
            fields={fields}
            sending={sending}
            round={state.round}
            onBack={goBack}
            onSubmit={submit}
            onDismiss={() => dispatch({ type: "dismissed" })}
            onRestart={restart}
          />
        )}
        {step === 5 && (
          <section className="lead-form__step lead-form__success" aria-labelledby="lead-step-5">
            <svg className="lead-form__bridge" viewBox="0 0 640 160" aria-hidden="true" focusable="false">
              <path
                className="lead-form__cable"
                pathLength={1}
                d="M8 120C120 120 120 24 160 24S240 96 320 96 440 24 480 24s40 96 152 96"
              />
              <path className="lead-form__tower" d="M160 16v112M480 16v112" />
              <path className="lead-form__deck" pathLength={1} d="M0 124h640" />
            </svg>
            <Head {...shared} words={steps.success} number={5} />
            <div className="lead-form__actions">
              <Anchor className="button button--primary" link={home}>
                <Icon svg={house} />
                {messages.backToHome}
              </Anchor>
              <button className="button button--secondary" type="button" onClick={restart}>
                {messages.submitAnotherRequest}
              </button>
            </div>
          </section>
        )}
        <div className="lead-form__trap" aria-hidden="true">
          <label htmlFor="lead-trap">{messages.leaveEmpty}</label>
          <input type="text" id="lead-trap" ref={trap} tabIndex={-1} autoComplete="off" />
        </div>
      </div>
    </div>
  );
}
