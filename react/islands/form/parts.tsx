// The parts of a form that are the same on one page and in steps.

import type { ReactNode } from "react";
import type { SiteForm } from "../../generated/wire";
import { Control, Required } from "./control";
import { controlId, groupsOf, isWaiting, Message, TOKEN, trapOf } from "./fields";
import type { Filling } from "./use-form";

interface Props {
  form: SiteForm;
  filling: Filling;
}

/** How else to reach the company, after a blank. */
export function Reach({ email, phone }: Pick<SiteForm, "email" | "phone">): ReactNode {
  return (
    <>
      {(email || phone) && " "}
      {email && <a href={`mailto:${email}`}>{email}</a>}
      {email && phone && ", "}
      {phone && <a href={`tel:${phone.replaceAll(/(?<=^\+.*)\(0\)|[^+\d]/g, "")}`}>{phone}</a>}
    </>
  );
}

/** What is wrong with the form. The API writes there, too. */
export function Summary({ form, filling: { state, list } }: Props): ReactNode {
  // In steps, a panel below them says what is wrong with the whole form.
  const text = form.steps.length === 0 && state.errors[""];
  const isListed = Object.keys(state.errors).some((name) => name !== "");
  const areMany = Object.keys(state.attempt).filter((name) => name !== "").length > 1;
  return (
    <div className="form__error form__summary" data-error="" role="alert" tabIndex={-1} hidden={!text && !isListed}>
      {text}
      {text === form.messages.networkError && <Reach email={form.email} phone={form.phone} />}
      {isListed && areMany && <p>{form.messages.fixErrors}</p>}
      {isListed && list && <list.ErrorList form={form} state={state} />}
    </div>
  );
}

/** Says that a part of the form could not be loaded, which leaves what was entered as it is. */
export function Missing({ form, onRetry }: Pick<Props, "form"> & { onRetry: () => void }): ReactNode {
  return (
    <div className="form__error form__missing" role="alert" id={controlId(form, TOKEN)} tabIndex={-1}>
      <p>
        {form.messages.networkError}
        <Reach email={form.email} phone={form.phone} />
      </p>
      <button className="button button--secondary" type="button" onClick={onRetry}>
        {form.messages.tryAgain}
      </button>
    </div>
  );
}

interface FrameProps extends Props {
  onSubmit: Filling["submit"];
  children: ReactNode;
}

/** The form itself, with what says that it was stored, and what is wrong with it. */
export function Frame({ form: props, filling, onSubmit, children }: FrameProps): ReactNode {
  const { phase, isAwake } = filling.state;
  const isDone = phase === "done";
  // The keys of leads are fixed, so it takes no other control.
  const isLead = props.endpoint === "leads";
  const anchors = props.fields.flatMap(({ choices }) => choices.flatMap(({ anchors }) => anchors));
  // A link alone at the end of what happens next is the loud button.
  const [text = "", link] = props.successText.split(/<p><a([^<]+<\/a>)<\/p>\s*$/);
  const onward = link === undefined ? "" : `<a class="button button--primary"${link}`;
  const hasFiles = props.fields.some(({ takes }) => takes === "file");
  return (
    <form
      className="form"
      id={props.id}
      method="post"
      action={props.action}
      acceptCharset="utf-8"
      encType={hasFiles ? "multipart/form-data" : undefined}
      {...(isLead ? { "data-lead-form": "" } : { "data-form": props.name })}
      noValidate={isAwake}
      onSubmit={onSubmit}
      onChange={filling.answer}
    >
      {anchors.map((anchor) => (
        <span className="form__anchor" id={anchor} key={anchor} />
      ))}
      {/* Screen readers read what comes into sight here. */}
      <div role="status">
        <div className="form__done" data-done="" hidden={!isDone}>
          {props.drawing !== null && (
            // biome-ignore lint/security/noDangerouslySetInnerHtml: an SVG of the site, which the build has checked.
            <div className="form__art" aria-hidden="true" dangerouslySetInnerHTML={{ __html: props.drawing }} />
          )}
          <h2 className="form__done-title" tabIndex={-1}>
            {props.successTitle}
          </h2>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
          <div className="flow" dangerouslySetInnerHTML={{ __html: text }} />
          <div className="form__onward">
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a link of the text above. */}
            {onward !== "" && <div dangerouslySetInnerHTML={{ __html: onward }} />}
            {props.again !== null && isAwake && (
              <button className="button button--secondary" type="button" onClick={filling.restart}>
                {props.again}
              </button>
            )}
          </div>
        </div>
      </div>
      <div className="form__fields" data-fields="" hidden={isDone}>
        {/* In steps, it is beside the fields that it names: the top of the form may be far above them. */}
        {!(isAwake && props.steps.length > 0) && <Summary form={props} filling={filling} />}
        <input type="hidden" name={isLead ? "lang" : "_lang"} value={props.locale} />
        {!isLead && <input type="hidden" name="_page" value={props.page} />}
        {!isLead && <input type="hidden" name="_version" value={props.version} />}
        {children}
      </div>
    </form>
  );
}

/** Fields, of the whole form or of a step. */
export function Controls({ form, filling, names }: Props & { names?: string[] }): ReactNode {
  const { shown, store } = filling;
  const { errors, values, isAwake } = filling.state;
  return shown
    .filter(({ name }) => names === undefined || names.includes(name))
    .map((field) => (
      <Control
        form={form}
        field={field}
        error={errors[field.name]}
        values={values[field.name]}
        groups={groupsOf(form.fields, field, isAwake ? values : null)}
        isAwake={isAwake}
        waits={!isAwake && isWaiting(form.fields, field)}
        register={store.register}
        key={field.name}
      />
    ));
}

/** What the visitor must agree to. */
export function Consents({ form, filling: { state, store } }: Props): ReactNode {
  const { errors } = state;
  return form.consents.map(({ name, html, hash }) => {
    const control = controlId(form, name);
    return (
      <div className="form__field" key={name}>
        <label className="form__option">
          <input
            type="checkbox"
            {...store.register(name)}
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

/** The room of a captcha until its script is there, so that nothing moves while the form is read. */
export function CaptchaRoom({ form: { captcha, messages } }: Pick<Props, "form">): ReactNode {
  if (captcha === null || captcha.script === "") return null;
  return (
    <div className="form__captcha" data-needs-script="">
      {captcha.interface !== "" && <p className="form__label">{messages.captchaTitle}</p>}
      <div className="form__widget" />
      <div className="form__captcha-status" />
    </div>
  );
}

/** A field that only bots fill in. */
export function Trap({ form }: Pick<Props, "form">): ReactNode {
  const { id, messages } = form;
  return (
    <div className="form__trap" aria-hidden="true">
      <label htmlFor={`${id}-trap`}>{messages.leaveEmpty}</label>
      <input type="text" name={trapOf(form)} id={`${id}-trap`} tabIndex={-1} autoComplete="off" />
    </div>
  );
}

interface SubmitProps extends Props {
  /** More CSS classes, after a blank. */
  className?: string;
  isHidden?: boolean;
  /** Something is missing, which pressing it says. */
  isWaiting?: boolean;
  /** The id of what says why it waits. */
  why?: string | undefined;
}

export function Submit(props: SubmitProps): ReactNode {
  const { form, filling, className = "", isHidden = false, isWaiting = false, why } = props;
  const isBusy = filling.state.phase === "sending";
  return (
    <button
      className={`button button--primary${className}`}
      type="submit"
      aria-disabled={isBusy || isWaiting || undefined}
      aria-describedby={why}
      hidden={isHidden}
    >
      {isBusy ? form.messages.submitting : form.submit}
    </button>
  );
}
