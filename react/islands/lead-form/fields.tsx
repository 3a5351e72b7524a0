// A form field with its label, hint and error message, connected for screen readers.

import type { ReactNode } from "react";
import { type FieldPath, useFormContext } from "react-hook-form";
import type { Fields } from "./lead";

interface Props {
  name: FieldPath<Fields>;
  label: string;
  /** Text after the label for screen readers. If set, the field is marked as required. */
  required?: string;
  hint?: string;
  rules?: Parameters<ReturnType<typeof useFormContext<Fields>>["register"]>[1];
  attributes?: Record<string, string | number>;
  /** Renders the control with the attributes that connect it to its label. */
  children?: (control: Record<string, unknown>) => ReactNode;
}

export const fieldId = (name: string): string => `lead-${name}`;

export function Field({ name, label, required, hint, rules, attributes = {}, children }: Props): ReactNode {
  const { register, formState } = useFormContext<Fields>();
  const error = formState.errors[name]?.message;
  const id = fieldId(name);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const control = {
    ...register(name, rules),
    ...attributes,
    id,
    className: "lead-form__input",
    "aria-invalid": error ? true : undefined,
    "aria-required": required ? true : undefined,
    "aria-describedby": described || undefined,
  };
  return (
    <div className={error ? "lead-form__field lead-form__field--wrong" : "lead-form__field"}>
      <label className="lead-form__label" htmlFor={id}>
        {label}
        {required && (
          <>
            <span aria-hidden="true"> *</span>
            <span className="visually-hidden"> ({required})</span>
          </>
        )}
      </label>
      {hint && (
        <p className="lead-form__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="lead-form__error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {children ? children(control) : <input type="text" {...control} />}
    </div>
  );
}
