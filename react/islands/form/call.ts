// What a form with `endpoint: leads` sends: the keys of `POST /api/leads`, and a message that is composed of what was
// answered. Only such a form loads this module.

import type { FormControl, SiteForm } from "../../generated/wire";
import { controlOf, type Values } from "./fields";

type Leads = Extract<SiteForm, { endpoint: "leads" }>;
type Form = Pick<Leads, "fields" | "message" | "keys">;

/** An answer as the visitor saw it. */
const shown = ({ choices }: FormControl, values: Values, name: string): string =>
  (values[name] ?? []).map((value) => choices.find((choice) => choice.value === value)?.label ?? value).join(", ");

/** The message: the lines of the template whose fields have answers, without blank lines at its ends. */
export const messageOf = ({ fields, message }: Form, values: Values): string => {
  const lines = message.split("\n").flatMap((line) => {
    let isAnswered = true;
    const text = line.replaceAll(/\{(\w+)\}/g, (written, name: string) => {
      const field = fields.find((field) => field.name === name);
      if (field === undefined) return written;
      const answer = shown(field, values, name);
      isAnswered &&= answer !== "";
      return answer;
    });
    return isAnswered ? [text] : [];
  });
  return lines.join("\n").trim();
};

/** The request, without the token of the captcha. */
export const leadOf = (form: Form, values: Values): Record<string, string> => {
  const lead: Record<string, string> = {};
  for (const { name: key, optional } of form.keys) {
    const field = form.fields.find((field) => !field.unsent && controlOf(field) === key);
    const given = field && (field.labelled ? shown(field, values, field.name) : values[field.name]?.[0]);
    if (given || !optional) lead[key] = given ?? "";
  }
  return { ...lead, message: messageOf(form, values) };
};
