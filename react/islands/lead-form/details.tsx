// The third and fourth step: contact details, and the project.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import { Fragment, type InputHTMLAttributes, type ReactNode, useEffect, useRef, useState } from "react";
import type { FieldErrors } from "react-hook-form";
import { Captcha } from "../../lib/captcha";
import { Icon } from "../../lib/icon";
import { Trouble } from "../../lib/trouble";
import { useShared } from "./context";
import { Field, Summary } from "./fields";
import type { Fields } from "./lead";
import { Actions, Step } from "./step";

// Both steps are forms of one `useForm`. It skips fields that are not shown, so each validates its own fields only.

export function ContactStep(): ReactNode {
  const { form, state, dispatch, fields } = useShared();
  const { messages } = form;
  const [company, name, email, phone] = fields.watch(["company", "name", "email", "phone"]);
  const [wrong, setWrong] = useState<FieldErrors<Fields>>({});
  const proceed = (): void => {
    setWrong({});
    dispatch({ type: "continued" });
  };
  const field = (name: "name" | "company" | "position" | "email" | "phone", attributes: Attributes): ReactNode => (
    <Field
      name={name}
      label={messages[name]}
      isRequired={name === "name" || name === "email"}
      attributes={{ enterKeyHint: "next", ...attributes }}
    />
  );

  if (state.step > 3) {
    return (
      <Step number={3} name="contact">
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
      </Step>
    );
  }
  return (
    <Step number={3} name="contact">
      <form noValidate onSubmit={fields.handleSubmit(proceed, setWrong)}>
        <Summary errors={wrong} />
        <div className="lead-form__grid">
          {field("name", { autoComplete: "name" })}
          {field("company", { autoComplete: "organization" })}
          {company.trim() !== "" && field("position", { autoComplete: "organization-title" })}
          {field("email", { type: "email", autoComplete: "email", spellCheck: false, autoCapitalize: "off" })}
          {field("phone", { type: "tel", autoComplete: "tel", enterKeyHint: "done" })}
        </div>
        <p className="lead-form__note">{messages.contactNote}</p>
        <Actions>
          <button className="button button--primary" type="submit">
            {messages.continueAction}
            <Icon svg={arrowRight} isArrow />
          </button>
        </Actions>
      </form>
    </Step>
  );
}

type Attributes = InputHTMLAttributes<HTMLInputElement>;

interface ProjectProps {
  onSubmit: (fields: Fields, token: string) => void;
  onRestart: () => void;
}

export function ProjectStep({ onSubmit, onRestart }: ProjectProps): ReactNode {
  const { form, state, dispatch, fields } = useShared();
  const { handleSubmit, register, watch } = fields;
  const { appTypes, messages, privacy } = form;
  const { sending, round } = state;
  const hasApp = watch("hasApp");
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState<FieldErrors<Fields>>({});
  const failure = useRef<HTMLDivElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const isBusy = sending.state === "sending";
  const hasFailed = sending.state === "failed";
  const canSubmit = sending.state === "idle" && token !== "";
  /** How often the visitor pressed Submit without a solved captcha. */
  const [unsolved, setUnsolved] = useState(0);
  const captcha = useRef<HTMLDivElement>(null);
  const send = (checked: Fields): void => {
    setWrong({});
    if (canSubmit) onSubmit(checked, token);
    // The button looks disabled until the captcha is solved, so it says why, and leads there.
    if (sending.state === "idle" && token === "") setUnsolved((times) => times + 1);
  };
  useEffect(() => {
    if (unsolved > 0) captcha.current?.focus();
  }, [unsolved]);
  // The panel stands below the buttons, where it moves none of them, but it may be outside the viewport.
  useEffect(() => {
    if (hasFailed) failure.current?.scrollIntoView({ block: "nearest" });
  }, [hasFailed]);
  return (
    <Step number={4} name="project">
      <form noValidate onSubmit={handleSubmit(send, setWrong)}>
        <Summary errors={wrong} />
        <fieldset className="lead-form__choice">
          <legend className="form__label">{messages.hasApp}</legend>
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
            <Field name="appName" label={messages.appName} attributes={{ autoComplete: "off" }} />
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
            <Field name="appDescription" label={messages.appDescription} hint={messages.appDescriptionHint}>
              {(control) => <textarea {...control} rows={4} />}
            </Field>
          </div>
        )}
        <Field name="message" label={messages.yourRequest}>
          {(control) => <textarea {...control} rows={4} />}
        </Field>
        <div ref={captcha} tabIndex={-1}>
          <Captcha
            key={round}
            captcha={form.captcha}
            messages={messages}
            email={form.email}
            phone={form.phone}
            block="lead-form"
            onToken={setToken}
          />
          {unsolved > 0 && token === "" && (
            <p className="lead-form__error" role="alert">
              {messages.leadErrorCaptchaRequired}
            </p>
          )}
        </div>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
        <div className="lead-form__privacy" dangerouslySetInnerHTML={{ __html: privacy }} />
        <Actions isBusy={isBusy}>
          <button className="button button--primary" type="submit" ref={submit} aria-disabled={!canSubmit}>
            {isBusy ? messages.submitting : messages.submit}
            <Icon svg={arrowRight} isArrow />
          </button>
        </Actions>
        {hasFailed && (
          <Trouble place={failure} level="h3" heading={messages.submissionFailed} message={sending.message}>
            <div className="actions">
              <button
                className="button button--primary"
                type="button"
                onClick={() => {
                  // The panel goes, and the focus with it.
                  submit.current?.focus();
                  dispatch({ type: "dismissed" });
                }}
              >
                {messages.tryAgain}
              </button>
              <button className="button button--secondary" type="button" onClick={onRestart}>
                {messages.startOver}
              </button>
            </div>
          </Trouble>
        )}
      </form>
    </Step>
  );
}
