// The parts of a form that are the same on one page and in steps.

import type { ReactNode } from "react";
import type { SiteForm } from "../../generated/wire";
import { Captcha } from "../../lib/captcha";
import { Control, Message, Required } from "./control";
import { groupsOf } from "./rules";
import { controlId, type Filling, TOKEN } from "./use-form";

interface Props {
  form: SiteForm;
  filling: Filling;
}

interface FrameProps extends Props {
  onSubmit: Filling["submit"];
  children: ReactNode;
}

/** The form itself, with what says that it was stored, and what is wrong with it. */
export function Frame({ form: props, filling, onSubmit, children }: FrameProps): ReactNode {
  const { form, done, isHydrated, isDone, summary, change, restart } = filling;
  const anchors = props.fields.flatMap(({ choices }) => choices.flatMap(({ anchors }) => anchors));
  const hasFiles = props.fields.some(({ takes }) => takes === "file");
  return (
    <form
      className="form"
      id={props.id}
      method="post"
      action={props.action}
      acceptCharset="utf-8"
      encType={hasFiles ? "multipart/form-data" : undefined}
      data-form={props.name}
      noValidate={isHydrated}
      ref={form}
      onSubmit={onSubmit}
      onChange={change}
      lang={props.locale}
    >
      {anchors.map((anchor) => (
        <span className="form__anchor" id={anchor} key={anchor} />
      ))}
      <div className="form__done" data-done="" hidden={!isDone}>
        {props.drawing !== null && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: an SVG of the site, which the build has checked.
          <div className="form__art" aria-hidden="true" dangerouslySetInnerHTML={{ __html: props.drawing }} />
        )}
        <p className="form__done-title" ref={done} tabIndex={-1}>
          {props.successTitle}
        </p>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
        <div dangerouslySetInnerHTML={{ __html: props.successText }} />
        {props.again !== null && isHydrated && (
          <button className="button button--secondary form__again" type="button" onClick={restart}>
            {props.again}
          </button>
        )}
      </div>
      <div className="form__fields" data-fields="" hidden={isDone}>
        <p className="form__error form__summary" data-error="" role="alert" tabIndex={-1} hidden={summary === undefined}>
          {summary}
        </p>
        <input type="hidden" name="_lang" value={props.locale} />
        <input type="hidden" name="_page" value={props.page} />
        <input type="hidden" name="_version" value={props.version} />
        {children}
      </div>
    </form>
  );
}

/** Fields, of the whole form or of a step. */
export function Controls({ form, filling, names }: Props & { names?: string[] }): ReactNode {
  const { shown, errors, values, isHydrated } = filling;
  return shown
    .filter(({ name }) => names === undefined || names.includes(name))
    .map((field) => (
      <Control
        form={form}
        field={field}
        error={errors[field.name]}
        values={values[field.name]}
        groups={groupsOf(form.fields, field, isHydrated ? values : null)}
        isHydrated={isHydrated}
        key={field.name}
      />
    ));
}

/** What the visitor must agree to. */
export function Consents({ form, filling: { errors } }: Props): ReactNode {
  return form.consents.map(({ name, html, hash }) => {
    const control = controlId(form, name);
    return (
      <div className="form__field" key={name}>
        <label className="form__option">
          <input
            type="checkbox"
            name={name}
            id={control}
            value={hash}
            required
            aria-invalid={errors[name] === undefined ? undefined : true}
            aria-describedby={`${control}-error`}
          />
          <span>
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
            <span dangerouslySetInnerHTML={{ __html: html }} />
            <Required form={form} />
          </span>
        </label>
        <Message id={`${control}-error`} name={name} error={errors[name]} />
      </div>
    );
  });
}

/** A field that only bots fill in. */
export function Trap({ form: { id, messages } }: Pick<Props, "form">): ReactNode {
  return (
    <div className="form__trap" aria-hidden="true">
      <label htmlFor={`${id}-trap`}>{messages.leaveEmpty}</label>
      <input type="text" name="_website" id={`${id}-trap`} tabIndex={-1} autoComplete="off" />
    </div>
  );
}

export function FormCaptcha({ form, filling }: Props): ReactNode {
  const { captcha, messages, email, phone } = form;
  const { errors, isHydrated, round, setToken } = filling;
  if (captcha === null || !isHydrated) return null;
  return (
    <div id={controlId(form, TOKEN)} tabIndex={-1}>
      <Captcha key={round} captcha={captcha} messages={messages} email={email} phone={phone} block="form" onToken={setToken} />
      <Message name={TOKEN} error={errors[TOKEN]} />
    </div>
  );
}

interface SubmitProps extends Props {
  /** More CSS classes, after a blank. */
  className?: string;
  isHidden?: boolean;
}

export function Submit({ form, filling: { isBusy }, className = "", isHidden = false }: SubmitProps): ReactNode {
  return (
    <button className={`button button--primary${className}`} type="submit" aria-disabled={isBusy || undefined} hidden={isHidden}>
      {isBusy ? form.messages.submitting : form.submit}
    </button>
  );
}
