// A field of a form with its label, hint and message, connected for screen readers. The API fills in the empty message of a
// form that was sent without script, so it is always there.

import type { ReactNode } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { bound } from "./rules";

interface Props {
  form: SiteForm;
  field: FormControl;
  error: string | undefined;
  isHydrated: boolean;
}

const KINDS: Partial<Record<FormControl["takes"], string>> = { email: "email", phone: "tel", date: "date", number: "number" };

export const controlId = (form: SiteForm, name: string): string => `${form.id}-${name}`;

export function Message({ id, name, error }: { id?: string; name: string; error: string | undefined }): ReactNode {
  return (
    <p className="form__error" id={id} data-error={name} hidden={error === undefined}>
      {error}
    </p>
  );
}

export function Required({ form }: { form: SiteForm }): ReactNode {
  return (
    <>
      <span aria-hidden="true"> *</span>
      <span className="visually-hidden"> ({form.messages.requiredMark})</span>
    </>
  );
}

export function Control({ form, field, error, isHydrated }: Props): ReactNode {
  const { name, takes, label, hint, required, list, lines, choices, most } = field;
  const id = controlId(form, name);
  const hintId = hint === null ? "" : `${id}-hint`;
  const attributes = {
    id,
    name,
    "aria-invalid": error === undefined ? undefined : true,
    "aria-describedby": `${hintId} ${id}-error`.trim(),
    // Without script all fields are shown, and only those that always are can be required.
    required: required && field.shownWhen.length === 0 ? true : undefined,
    "aria-required": required && field.shownWhen.length > 0 ? true : undefined,
  };
  const text = { className: "form__input", maxLength: most, dir: "auto" as const, autoComplete: field.autocomplete ?? undefined };
  const describe = (
    <>
      {hint !== null && (
        <p className="form__hint" id={hintId}>
          {hint}
        </p>
      )}
    </>
  );
  const className = error === undefined ? "form__field" : "form__field form__field--wrong";
  const message = <Message id={`${id}-error`} name={name} error={error} />;
  if (list && takes !== "file") {
    return (
      <fieldset className={className} aria-describedby={attributes["aria-describedby"]}>
        <legend className="form__label">
          {label}
          {required && <Required form={form} />}
        </legend>
        {describe}
        {choices.map(({ value, label }, at) => (
          <label className="form__option" key={value}>
            <input type="checkbox" name={name} value={value} id={at === 0 ? id : undefined} />
            {label}
          </label>
        ))}
        {message}
      </fieldset>
    );
  }
  if (takes === "flag") {
    return (
      <div className={className}>
        <label className="form__option">
          <input type="checkbox" value="true" {...attributes} />
          <span>
            {label}
            {required && <Required form={form} />}
          </span>
        </label>
        {describe}
        {message}
      </div>
    );
  }
  const control = (): ReactNode => {
    if (takes === "choice" || takes === "reference") {
      return (
        <select className="form__input" {...attributes} defaultValue="">
          <option value="">–</option>
          {choices.map(({ value, label }) => (
            <option value={value} key={value}>
              {label}
            </option>
          ))}
        </select>
      );
    }
    if (takes === "file") {
      return <input className="form__input" type="file" accept={field.accept ?? undefined} multiple={list} {...attributes} />;
    }
    if (lines !== null) return <textarea rows={lines} {...text} {...attributes} />;
    if (takes === "date" || takes === "number") {
      // The day of the visit is known to the browser only.
      const limit = (written: string | null): string | undefined =>
        written === "today" && !isHydrated ? undefined : (bound(written, new Date()) ?? undefined);
      return <input className="form__input" type={KINDS[takes]} min={limit(field.min)} max={limit(field.max)} {...attributes} />;
    }
    const pattern = field.pattern ?? undefined;
    return <input type={KINDS[takes] ?? "text"} pattern={pattern} {...text} {...attributes} />;
  };
  return (
    <div className={className}>
      <label className="form__label" htmlFor={id}>
        {label}
        {required && <Required form={form} />}
      </label>
      {describe}
      {control()}
      {message}
    </div>
  );
}
