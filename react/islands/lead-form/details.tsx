// The third and fourth step: contact details, and the project.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import warning from "@phosphor-icons/core/assets/regular/warning-circle.svg";
import { type ReactNode, useEffect, useRef } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { fill } from "../../lib/words";
import { Captcha } from "./captcha";
import { Field, fieldId } from "./fields";
import type { Fields } from "./lead";
import type { SubmitStatus } from "./state";
import { Head, type StepProps } from "./step";

/** A rough check of e-mail addresses. The API validates them thoroughly. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface ContactProps extends StepProps {
  form: LeadForm;
  isDone: boolean;
  onBack: () => void;
  onContinue: () => void;
}

export function ContactStep({ form, isDone, words, messages, heading, onBack, onContinue }: ContactProps): ReactNode {
  const { handleSubmit, formState } = useFormContext<Fields>();
  const [company, name, email, phone] = useWatch<Fields, ["company", "name", "email", "phone"]>({ name: ["company", "name", "email", "phone"] });
  const summary = useRef<HTMLDivElement>(null);
  const { limits } = form;
  const short = (max: number) => (value: string) => value.trim().length <= max || fill(messages.tooLong, { max: String(max) });
  const wrong = (Object.keys(formState.errors) as (keyof Fields)[]).filter((field) => formState.errors[field]?.message);
  // The summary is focused after each failed submission, but not while the visitor corrects fields.
  useEffect(() => {
    if (formState.submitCount > 0 && wrong.length > 0) summary.current?.focus();
  }, [formState.submitCount]);

  if (isDone) {
    return (
      <section className="lead-form__step lead-form__step--done" aria-labelledby="lead-step-3">
        <Head words={words} number={3} isDone messages={messages} heading={heading} />
        <p className="lead-form__summary">{[name, email, phone].map((text) => text.trim()).filter(Boolean).join(" · ")}</p>
      </section>
    );
  }
  return (
    <section className="lead-form__step" aria-labelledby="lead-step-3">
      <Head words={words} number={3} messages={messages} heading={heading} />
      <form noValidate onSubmit={handleSubmit(onContinue)}>
        {wrong.length > 0 && formState.submitCount > 0 && (
          <div className="lead-form__wrong" ref={summary} tabIndex={-1} role="alert">
            <p>{messages.fixErrors}</p>
            <ul>
              {wrong.map((field) => (
                <li key={field}>
                  <a
                    href={`#${fieldId(field)}`}
                    onClick={(event) => {
                      // Following the link would replace the fragment, which names the chosen service.
                      event.preventDefault();
                      document.getElementById(fieldId(field))?.focus();
                    }}
                  >
                    {formState.errors[field]?.message}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="lead-form__grid">
          <Field
            name="name"
            label={messages.name}
            required={messages.requiredMark}
            rules={{ validate: { given: (value) => value.trim() !== "" || messages.enterName, short: short(limits.name) } }}
            attributes={{ autoComplete: "name", enterKeyHint: "next" }}
          />
          <Field
            name="company"
            label={messages.company}
            rules={{ validate: short(limits.company) }}
            attributes={{ autoComplete: "organization", enterKeyHint: "next" }}
          />
          {company.trim() !== "" && (
            <Field
              name="position"
              label={messages.position}
              rules={{ validate: short(limits.position) }}
              attributes={{ autoComplete: "organization-title", enterKeyHint: "next" }}
            />
          )}
          <Field
            name="email"
            label={messages.email}
            required={messages.requiredMark}
            rules={{
              deps: "phone",
              validate: {
                given: (value, { phone }) => value.trim() !== "" || phone.trim() !== "" || messages.enterContact,
                plausible: (value) => value.trim() === "" || EMAIL.test(value.trim()) || messages.enterValidEmail,
                short: short(limits.email),
              },
            }}
            attributes={{ type: "email", inputMode: "email", autoComplete: "email", enterKeyHint: "next", spellCheck: "false", autoCapitalize: "off" }}
          />
          <Field
            name="phone"
            label={messages.phone}
            rules={{ deps: "email", validate: short(limits.phone) }}
            attributes={{ type: "tel", inputMode: "tel", autoComplete: "tel", enterKeyHint: "done" }}
          />
        </div>
        <p className="lead-form__note">{messages.contactNote}</p>
        <div className="lead-form__actions">
          <button className="button button--secondary" type="button" onClick={onBack}>
            {messages.back}
          </button>
          <button className="button button--primary" type="submit">
            {messages.continueAction}
            <Icon svg={arrowRight} />
          </button>
        </div>
      </form>
    </section>
  );
}

interface ProjectProps extends StepProps {
  form: LeadForm;
  sending: SubmitStatus;
  token: string;
  round: number;
  onToken: (token: string) => void;
  onBack: () => void;
  onSubmit: () => void;
  onDismiss: () => void;
  onRestart: () => void;
}

export function ProjectStep({ form, sending, token, round, words, messages, heading, ...on }: ProjectProps): ReactNode {
  const { handleSubmit, register } = useFormContext<Fields>();
  const hasApp = useWatch<Fields, "hasApp">({ name: "hasApp" });
  const { limits, appTypes, captcha, email, phone, privacy } = form;
  const isBusy = sending.state === "sending";
  const short = (max: number) => (value: string) => value.trim().length <= max || fill(messages.tooLong, { max: String(max) });
  return (
    <section className="lead-form__step" aria-labelledby="lead-step-4">
      <Head words={words} number={4} messages={messages} heading={heading} />
      <form noValidate onSubmit={handleSubmit(on.onSubmit)}>
        <fieldset className="lead-form__choice">
          <legend className="lead-form__label">{messages.hasApp}</legend>
          <div className="lead-form__radios">
            {(["no", "yes"] as const).map((value) => (
              <label className="lead-form__radio" key={value}>
                <input type="radio" value={value} {...register("hasApp")} />
                {value === "yes" ? messages.hasAppYes : messages.hasAppNo}
              </label>
            ))}
          </div>
        </fieldset>
        {hasApp === "yes" && (
          <div className="lead-form__grid">
            <Field name="appName" label={messages.appName} rules={{ validate: short(limits.appName) }} attributes={{ autoComplete: "off" }} />
            <Field name="appType" label={messages.appType}>
              {(control) => (
                <select {...control}>
                  <option value="">{messages.chooseAppType}</option>
                  {appTypes.map(({ id, name }) => (
                    <option value={id} key={id}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field
              name="appDescription"
              label={messages.appDescription}
              hint={messages.appDescriptionHint}
              rules={{ validate: short(limits.appDescription) }}
            >
              {(control) => <textarea {...control} rows={4} />}
            </Field>
          </div>
        )}
        <Captcha captcha={captcha} messages={messages} email={email} phone={phone} round={round} onToken={on.onToken} />
        <div className="lead-form__privacy" dangerouslySetInnerHTML={{ __html: privacy }} />
        {sending.state === "failed" && (
          <div className="lead-form__failed" role="alert">
            <h3 className="lead-form__failed-title">
              <Icon svg={warning} />
              {messages.submissionFailed}
            </h3>
            <p>{sending.message}</p>
            <div className="lead-form__actions">
              <button className="button button--primary" type="button" onClick={on.onDismiss}>
                {messages.tryAgain}
              </button>
              <button className="button button--secondary" type="button" onClick={on.onRestart}>
                {messages.startOver}
              </button>
            </div>
          </div>
        )}
        <div className="lead-form__actions">
          <button className="button button--secondary" type="button" onClick={on.onBack} disabled={isBusy}>
            {messages.back}
          </button>
          <button className="button button--primary" type="submit" disabled={isBusy || token === "" || sending.state === "failed"}>
            {isBusy ? messages.submitting : messages.submit}
            <Icon svg={arrowRight} />
          </button>
        </div>
      </form>
    </section>
  );
}
