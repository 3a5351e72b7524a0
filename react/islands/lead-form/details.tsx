// The third and fourth step: contact details, and the project.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import warning from "@phosphor-icons/core/assets/regular/warning-circle.svg";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import type { FieldErrors, UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Captcha } from "./captcha";
import { Field, Summary } from "./fields";
import type { Fields } from "./lead";
import type { SubmitStatus } from "./state";
import { Head, type StepProps } from "./step";

// Both steps are forms of one `useForm`. It skips fields that are not shown, so each validates its own fields only.

interface FieldsProps extends StepProps {
  form: LeadForm;
  fields: UseFormReturn<Fields>;
}

interface ContactProps extends FieldsProps {
  isDone: boolean;
  onBack: () => void;
  onContinue: () => void;
}

export function ContactStep({ form, fields, isDone, words, messages, heading, onBack, onContinue }: ContactProps): ReactNode {
  const { handleSubmit, watch } = fields;
  const shared = { form, fields };
  const [company, name, email, phone] = watch(["company", "name", "email", "phone"]);
  const [wrong, setWrong] = useState<FieldErrors<Fields>>({});
  const proceed = (): void => {
    setWrong({});
    onContinue();
  };

  if (isDone) {
    return (
      <section className="lead-form__step lead-form__step--done" aria-labelledby="lead-step-3">
        <Head words={words} number={3} isDone messages={messages} heading={heading} />
        <p className="lead-form__summary">
          {Object.entries({ name, email, phone })
            .filter(([, text]) => text.trim() !== "")
            .map(([field, text], at) => (
              <Fragment key={field}>
                {at > 0 && " · "}
                <bdi>{text.trim()}</bdi>
              </Fragment>
            ))}
        </p>
      </section>
    );
  }
  return (
    <section className="lead-form__step" aria-labelledby="lead-step-3">
      <Head words={words} number={3} messages={messages} heading={heading} />
      <form noValidate onSubmit={handleSubmit(proceed, setWrong)}>
        <Summary errors={wrong} title={messages.fixErrors} />
        <div className="lead-form__grid">
          <Field
            {...shared}
            name="name"
            label={messages.name}
            isRequired
            attributes={{ autoComplete: "name", enterKeyHint: "next" }}
          />
          <Field
            {...shared}
            name="company"
            label={messages.company}
            attributes={{ autoComplete: "organization", enterKeyHint: "next" }}
          />
          {company.trim() !== "" && (
            <Field
              {...shared}
              name="position"
              label={messages.position}
              attributes={{ autoComplete: "organization-title", enterKeyHint: "next" }}
            />
          )}
          <Field
            {...shared}
            name="email"
            label={messages.email}
            isRequired
            attributes={{
              type: "email",
              inputMode: "email",
              autoComplete: "email",
              enterKeyHint: "next",
              spellCheck: false,
              autoCapitalize: "off",
            }}
          />
          <Field
            {...shared}
            name="phone"
            label={messages.phone}
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

interface ProjectProps extends FieldsProps {
  sending: SubmitStatus;
  /** The captcha is shown anew when this number changes. */
  round: number;
  onBack: () => void;
  onSubmit: (fields: Fields, token: string) => void;
  onDismiss: () => void;
  onRestart: () => void;
}

export function ProjectStep({ form, fields, sending, round, words, messages, heading, ...on }: ProjectProps): ReactNode {
  const { handleSubmit, register, watch } = fields;
  const shared = { form, fields };
  const hasApp = watch("hasApp");
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState<FieldErrors<Fields>>({});
  const failure = useRef<HTMLDivElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const { appTypes, captcha, email, phone, privacy } = form;
  const isBusy = sending.state === "sending";
  const hasFailed = sending.state === "failed";
  const canSubmit = sending.state === "idle" && token !== "";
  const send = (checked: Fields): void => {
    setWrong({});
    if (canSubmit) on.onSubmit(checked, token);
  };
  // The panel stands below the buttons, where it moves none of them, but it may be outside the viewport.
  useEffect(() => {
    if (hasFailed) failure.current?.scrollIntoView({ block: "nearest" });
  }, [hasFailed]);
  return (
    <section className="lead-form__step" aria-labelledby="lead-step-4">
      <Head words={words} number={4} messages={messages} heading={heading} />
      <form noValidate onSubmit={handleSubmit(send, setWrong)}>
        <Summary errors={wrong} title={messages.fixErrors} />
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
            <Field {...shared} name="appName" label={messages.appName} attributes={{ autoComplete: "off" }} />
            <Field {...shared} name="appType" label={messages.appType}>
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
            <Field {...shared} name="appDescription" label={messages.appDescription} hint={messages.appDescriptionHint}>
              {(control) => <textarea {...control} rows={4} />}
            </Field>
          </div>
        )}
        <Field {...shared} name="message" label={messages.yourRequest}>
          {(control) => <textarea {...control} rows={4} />}
        </Field>
        <Captcha key={round} captcha={captcha} messages={messages} email={email} phone={phone} onToken={setToken} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
        <div className="lead-form__privacy" dangerouslySetInnerHTML={{ __html: privacy }} />
        <div className="lead-form__actions">
          {/* `aria-disabled` keeps the focus on the button, which `disabled` would drop. */}
          <button className="button button--secondary" type="button" onClick={on.onBack} aria-disabled={isBusy}>
            {messages.back}
          </button>
          <button className="button button--primary" type="submit" ref={submit} aria-disabled={!canSubmit}>
            {isBusy ? messages.submitting : messages.submit}
            <Icon svg={arrowRight} />
          </button>
        </div>
        {hasFailed && (
          <div className="lead-form__failed" role="alert" ref={failure}>
            <h3 className="lead-form__failed-title">
              <Icon svg={warning} />
              {messages.submissionFailed}
            </h3>
            <p>{sending.message}</p>
            <div className="lead-form__actions">
              <button
                className="button button--primary"
                type="button"
                onClick={() => {
                  // The panel goes, and the focus with it.
                  submit.current?.focus();
                  on.onDismiss();
                }}
              >
                {messages.tryAgain}
              </button>
              <button className="button button--secondary" type="button" onClick={on.onRestart}>
                {messages.startOver}
              </button>
            </div>
          </div>
        )}
      </form>
    </section>
  );
}
