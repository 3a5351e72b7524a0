// The rules of the fields. The API validates all fields again, and more thoroughly.

import type { LeadForm } from "../../generated/wire";
import { exceeds, isEmail } from "../../lib/checks";
import { fill } from "../../lib/words";
import type { Fields } from "./lead";

/** Characters that the lines of a message need in addition to the description of the app and the visitor's own words. */
const LINES = 1_000;

export type Limits = LeadForm["limits"];
type Form = Pick<LeadForm, "limits" | "messages">;

/** The maximum length of the visitor's own words, so that the message as a whole fits. */
export const roomOf = ({ message, appDescription }: Limits): number => message - appDescription - LINES;

const maxOf = (name: keyof Fields, limits: Limits): number => {
  if (name === "message") return roomOf(limits);
  return name === "hasApp" || name === "appType" ? Infinity : limits[name];
};

/** Returns the rule of a field, in the form that react-hook-form takes: true, or what is wrong. */
export const ruleOf =
  (name: keyof Fields, { limits, messages }: Form) =>
  (value: string, { phone }: Fields): true | string => {
    const text = value.trim();
    const max = maxOf(name, limits);
    if (exceeds(text, max)) return fill(messages.tooLong, { max: String(max) });
    if (name === "name" && text === "") return messages.enterName;
    if (name !== "email") return true;
    if (text === "") return phone.trim() !== "" || messages.enterContact;
    return isEmail(text) || messages.enterValidEmail;
  };

/** Whether the visitor may continue from the third step. A position counts only with a company, as it is hidden otherwise. */
export const isContactValid = (fields: Fields, form: Form): boolean =>
  (["name", "company", "position", "email", "phone"] as const).every(
    (name) => (name === "position" && fields.company.trim() === "") || ruleOf(name, form)(fields[name], fields) === true,
  );
