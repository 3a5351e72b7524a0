// The lead form as it is prerendered: with the form for visitors without JavaScript, which has all fields on one page and
// is submitted natively. The response is an HTML page. No browser loads this module.

import type { InputHTMLAttributes, ReactNode } from "react";
import type { LeadForm as Props } from "../../generated/wire";
import { fieldId } from "./fields";
import LeadForm from "./lead-form";
import { roomOf } from "./rules";

/** An empty element into which the API writes the error of a field or, for an empty name, of the form. */
function ErrorSlot({ field }: { field: string }): ReactNode {
  return (
    <p className="lead-form__error" id={field === "" ? undefined : `plain-${fieldId(field)}-error`} data-error={field} hidden />
  );
}

function PlainForm({ form }: { form: Props }): ReactNode {
  const { api, choices, appTypes, locale, honeypot, messages, privacy, limits } = form;
  const text = (name: string, label: string, attributes: InputHTMLAttributes<HTMLInputElement> = {}): ReactNode => (
    <div className="form__field">
      <label className="form__label" htmlFor={`plain-${fieldId(name)}`}>
        {label}
      </label>
      <input
        className="form__input"
        type="text"
        dir="auto"
        name={name}
        id={`plain-${fieldId(name)}`}
        aria-describedby={`plain-${fieldId(name)}-error`}
        {...attributes}
      />
      <ErrorSlot field={name} />
    </div>
  );
  return (
    <form className="lead-form__plain" method="post" action={api} acceptCharset="utf-8" data-lead-form="">
      <ErrorSlot field="" />
      <input type="hidden" name="lang" value={locale} />
      <div className="form__field">
        <label className="form__label" htmlFor="plain-lead-service">
          {messages.projectType}
        </label>
        <select className="form__input" name="projectType" id="plain-lead-service">
          {choices.map(({ id, title, services }) => (
            <optgroup label={title} key={id}>
              {services.map((service) => (
                <option value={service.title} key={service.id}>
                  {service.title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      <div className="lead-form__grid">
        {text("name", `${messages.name} *`, { required: true, maxLength: limits.name, autoComplete: "name" })}
        {text("company", messages.company, { maxLength: limits.company, autoComplete: "organization" })}
        {text("position", messages.position, { maxLength: limits.position, autoComplete: "organization-title" })}
        {text("email", `${messages.email} *`, { type: "email", maxLength: limits.email, autoComplete: "email" })}
        {text("phone", messages.phone, { type: "tel", maxLength: limits.phone, autoComplete: "tel" })}
      </div>
      <p className="lead-form__note">{messages.contactNote}</p>
      <fieldset className="lead-form__choice">
        <legend className="form__label">{messages.hasApp}</legend>
        <div className="lead-form__grid">
          {text("appName", messages.appName, { maxLength: limits.appName, autoComplete: "off" })}
          <div className="form__field">
            <label className="form__label" htmlFor="plain-lead-appType">
              {messages.appType}
            </label>
            <select className="form__input" name="appType" id="plain-lead-appType">
              <option value="">{messages.chooseAppType}</option>
              {appTypes.map(({ id, name }) => (
                <option value={id} key={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div className="form__field">
            <label className="form__label" htmlFor="plain-lead-appDescription">
              {messages.appDescription}
            </label>
            <textarea
              className="form__input"
              name="appDescription"
              id="plain-lead-appDescription"
              dir="auto"
              rows={4}
              maxLength={limits.appDescription}
            />
            <ErrorSlot field="appDescription" />
          </div>
        </div>
      </fieldset>
      <div className="form__field">
        <label className="form__label" htmlFor="plain-lead-message">
          {messages.yourRequest}
        </label>
        <textarea className="form__input" name="message" id="plain-lead-message" dir="auto" rows={4} maxLength={roomOf(limits)} />
        <ErrorSlot field="message" />
      </div>
      <div className="form__trap" aria-hidden="true">
        <label htmlFor="plain-lead-trap">{messages.leaveEmpty}</label>
        <input type="text" name={honeypot} id="plain-lead-trap" tabIndex={-1} autoComplete="off" />
      </div>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
      <div className="lead-form__privacy" dangerouslySetInnerHTML={{ __html: privacy }} />
      <button className="button button--primary" type="submit">
        {messages.submit}
      </button>
    </form>
  );
}

export default function PrerenderedLeadForm(form: Props): ReactNode {
  return <LeadForm {...form} plain={<PlainForm form={form} />} />;
}
