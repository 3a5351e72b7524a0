// What is wrong with the values of a form. It is not needed before a visitor has answered. The API checks every answer again,
// by the same declaration.

import type { FormControl, SiteForm } from "../../generated/wire";
import { fill } from "../../lib/words";
import { bound, isShown, type Values } from "./fields";

type Form = Pick<SiteForm, "fields" | "consents" | "requireOneOf" | "errors"> & {
  messages: Pick<SiteForm["messages"], "tooLong">;
};

/** The codes of what is wrong with files, by the names of their fields. The API looks into them as well. */
export const wrongFiles = (fields: FormControl[], data: FormData): Record<string, string> => {
  const codes: Record<string, string> = {};
  for (const { name, takes, most, max, list, accept } of fields) {
    if (takes !== "file") continue;
    const files = data.getAll(name).filter((value): value is File => typeof value !== "string" && value.name !== "");
    const types = accept?.split(",") ?? [];
    // Some systems know no type of a file.
    if (files.some(({ type }) => type !== "" && !types.includes(type))) codes[name] = "invalid_value";
    if (files.length > (list ? Number(max ?? 1) : 1)) codes[name] = "out_of_range";
    if (files.some(({ size }) => size > most)) codes[name] = "too_large";
  }
  return codes;
};

/** The code of what is wrong with a value of a field, if something is. */
const codeOf = ({ takes, most, min, max, pattern }: FormControl, value: string, today: Date): string | null => {
  if (takes === "file") return null;
  // The length comes first: expressions may be slow on very long texts. Characters are counted as the API does: `length` counts an emoji twice.
  if (value.length > most && Array.from(value).length > most) return "too_long";
  switch (takes) {
    case "email":
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : "invalid_email";
    case "phone":
      return (value.match(/\p{N}/gu)?.length ?? 0) < 5 ? "invalid_value" : null;
    case "number":
      if (!/^-?\d+$/.test(value)) return "invalid_value";
      return (min !== null && Number(value) < Number(min)) || (max !== null && Number(value) > Number(max))
        ? "out_of_range"
        : null;
    case "date": {
      if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return "invalid_value";
      const [first, last] = [bound(min, today), bound(max, today)];
      return (first !== null && value < first) || (last !== null && value > last) ? "out_of_range" : null;
    }
    case "text":
    case "choice":
    case "flag":
    case "reference":
      return pattern === null || new RegExp(`^(?:${pattern})$`, "u").test(value) ? null : "invalid_value";
  }
};

/** The messages for fields by name, in the order of the form. */
export const check = (
  form: Form,
  values: Values,
  today = new Date(),
  files: Record<string, string> = {},
): Record<string, string> => {
  const codes: Record<string, string> = {};
  const missing = new Set(
    form.requireOneOf.filter((group) => group.every((name) => values[name] === undefined)).map((group) => group[0]),
  );
  for (const field of form.fields) {
    if (!isShown(field, values)) continue;
    const given = values[field.name];
    if (given === undefined && missing.has(field.name)) codes[field.name] = "one_required";
    if (given === undefined && field.required) codes[field.name] = "required";
    const wrong = given?.map((value) => codeOf(field, value, today)).find((code) => code !== null);
    if (wrong) codes[field.name] = wrong;
    if (given !== undefined && files[field.name] !== undefined) codes[field.name] = files[field.name] ?? "";
  }
  for (const { name } of form.consents) if (values[name] === undefined) codes[name] = "required";
  const message = (name: string, code: string): string => {
    const field = form.fields.find((field) => field.name === name);
    const own = field?.mistakes?.[code] ?? field?.error;
    if (own) return own;
    if (code === "too_long") return fill(form.messages.tooLong, { max: String(field?.most ?? "") });
    return form.errors[code] ?? code;
  };
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, message(name, code)]));
};
