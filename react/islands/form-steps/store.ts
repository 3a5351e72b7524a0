// The store of a form in steps: react-hook-form holds what was entered, whether or not its control is shown.

import { createFormControl } from "react-hook-form";
import type { SiteForm } from "../../generated/wire";
import { controlOf } from "../form/fields";
import type { Store } from "../form/store";

type Fields = Record<string, unknown>;

/** The choices that are made at first. */
const first = ({ fields }: Pick<SiteForm, "fields">): Fields =>
  Object.fromEntries(fields.filter((field) => field.default !== undefined).map((field) => [controlOf(field), field.default]));

/** A value as one or several: of controls that share a name, of a menu, or of files. A box without a tick is `false`. */
const each = (value: unknown): unknown[] => (Array.isArray(value) || value instanceof FileList ? [...value] : [value]);

export function storeOf(form: Pick<SiteForm, "fields">): Store {
  const { getValues, setValue, reset, register } = createFormControl<Fields>({ defaultValues: first(form) });
  // From now on it keeps what is set, whether or not a control is shown.
  reset(first(form));
  return {
    data: () => {
      const data = new FormData();
      for (const [name, value] of Object.entries(getValues()))
        for (const one of each(value)) if (typeof one === "string" || one instanceof File) data.append(name, one);
      return data;
    },
    set: (control, values) => {
      const isList = form.fields.some((field) => field.list && controlOf(field) === control);
      setValue(control, isList ? values : (values[0] ?? ""));
    },
    reset: () => reset(first(form)),
    register,
  };
}
