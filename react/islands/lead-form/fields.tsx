// A form field with its label, hint and error message, connected for screen readers, and the summary of all errors.

import { type InputHTMLAttributes, type ReactNode, useEffect, useRef } from "react";
import type { FieldErrors, FieldPath, UseFormRegisterReturn } from "react-hook-form";
import { useShared } from "./context";
import type { Fields } from "./lead";
import { ruleOf } from "./rules";

type Attributes = InputHTMLAttributes<HTMLInputElement>;
type Control = UseFormRegisterReturn &
  Pick<Attributes, "id" | "className" | "dir" | "aria-invalid" | "aria-required" | "aria-describedby">;

interface Props {
  name: FieldPath<Fields>;
  label: string;
  isRequired?: boolean;
  hint?: string;
  attributes?: Attributes;
  /** Renders the control with the attributes that connect it to its label. */
  children?: (control: Control) => ReactNode;
}

export const fieldId = (name: string): string => `lead-${name}`;

export function Field({ name, label, isRequired = false, hint, attributes, children }: Props): ReactNode {
  const { form, fields } = useShared();
  const { register, trigger, formState } = fields;
  const { errors } = formState;
  const error = errors[name]?.message;
  const id = fieldId(name);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  // Fields are validated when the visitor continues. After that, those with an error are validated on each change. The
  // error of a missing contact stands at the e-mail address, and a phone number resolves it.
  const recheck = (): void => {
    const wrong = (name === "phone" ? (["phone", "email"] as const) : [name]).filter((field) => errors[field]);
    if (wrong.length > 0) void trigger(wrong);
  };
  const control: Control = {
    ...register(name, { validate: ruleOf(name, form), onChange: recheck }),
    id,
    className: "form__input",
    // Names may be written from right to left on a page that is not.
    dir: "auto",
    "aria-invalid": error ? true : undefined,
    "aria-required": isRequired || undefined,
    "aria-describedby": described || undefined,
  };
  return (
    <div className={error ? "form__field form__field--wrong" : "form__field"}>
      <label className="form__label" htmlFor={id}>
        {label}
        {isRequired && (
          <>
            <span aria-hidden="true"> *</span>
            <span className="visually-hidden"> ({form.messages.requiredMark})</span>
          </>
        )}
      </label>
      {hint && (
        <p className="form__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children ? children(control) : <input type="text" {...control} {...attributes} />}
      {error && (
        <p className="lead-form__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface SummaryProps {
  /** The errors of the last attempt to continue. They stay listed until the next one, so that nothing moves meanwhile. */
  errors: FieldErrors<Fields>;
}

/** Lists the fields with errors, and takes the focus each time that it receives new ones. */
export function Summary({ errors }: SummaryProps): ReactNode {
  const { messages } = useShared().form;
  const place = useRef<HTMLDivElement>(null);
  const wrong = Object.entries(errors);
  useEffect(() => place.current?.focus(), [errors]);
  if (wrong.length === 0) return null;
  return (
    <div className="trouble lead-form__wrong" ref={place} tabIndex={-1}>
      <p>{messages.fixErrors}</p>
      <ul>
        {wrong.map(([name, error]) => (
          <li key={name}>
            <a
              href={`#${fieldId(name)}`}
              onClick={(event) => {
                // Following the link would replace the fragment, which names the chosen service.
                event.preventDefault();
                document.getElementById(fieldId(name))?.focus();
              }}
            >
              {error.message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
