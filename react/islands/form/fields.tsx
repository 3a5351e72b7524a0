// The fields of a form: the names of their controls and their messages, which of them are shown, and what they hold. What is wrong
// with a value is in check.ts. It is one module because all scripts of forms share it: two would be two requests.

import type { ReactNode } from "react";
import type { FormChoice, FormControl, SiteForm } from "../../generated/wire";

/** The name of the captcha among errors, and of its token in an answer. */
export const TOKEN = "_captcha";

export const controlId = (form: Pick<SiteForm, "id">, name: string): string => `${form.id}-${name}`;

/** The name of the control that only bots fill in. */
export const trapOf = ({ endpoint }: Pick<SiteForm, "endpoint">): string => (endpoint === "leads" ? "website" : "_website");

/** The name of a control: the key of the call that the form makes, or the name of its field. */
export const controlOf = ({ name, key }: Pick<FormControl, "name" | "key">): string => key ?? name;

/** A label without the mark at its end, as in “Email *”, which is for the eye: a note of the form says what it stands for. */
export const plainLabel = (label: string): string => label.replace(/\s\*$/, "");

/** The values by the names of the fields that are shown; a field without a value is missing, and so is a flag that is not set. */
export type Values = Record<string, string[]>;

/** The day as `2027-01-31`, in the time zone of the visitor. */
const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** A bound of a day. */
export const bound = (written: string | null, today: Date): string | null => (written === "today" ? dayOf(today) : written);

type Dependent = Pick<FormControl, "shownWhen" | "choices" | "choicesBy">;

/** The choices that these answers offer. */
const offered = ({ choices, choicesBy }: Dependent, values: Values): FormChoice[] => {
  if (choicesBy === null) return choices;
  const given = values[choicesBy.field] ?? [];
  return choices.filter(({ value }) => given.some((other) => choicesBy.choices[other]?.includes(value)));
};

/** Whether one of these values is wanted; `*` stands for all. */
const has = (values: string[], wanted: string[]): boolean =>
  values.some((value) => wanted.includes(value) || wanted.includes("*"));

/** Whether a field is shown to a visitor with these answers. */
export const isShown = (field: Dependent, values: Values): boolean =>
  field.shownWhen.every(
    ({ field, values: wanted }) => has(values[field] ?? [], wanted) || (values[field] === undefined && wanted.includes("false")),
  ) &&
  (field.choicesBy === null || offered(field, values).length > 0);

/** Whether a field waits for an answer that nobody has given yet. Until the form wakes, it is hidden with script only. */
export const isWaiting = (fields: FormControl[], field: FormControl): boolean => {
  const first: Values = {};
  for (const { name, default: value } of fields) if (value) first[name] = [value];
  return !isShown(field, first);
};

/** Whether it depends on other answers that a field is shown. Without script all fields are. */
export const isConditional = ({ shownWhen, choicesBy }: Dependent): boolean => shownWhen.length > 0 || choicesBy !== null;

/** Choices, and the names of the answers that offer them; null if they depend on none. */
interface Group {
  by: string | null;
  choices: FormChoice[];
}

/**
 * The choices of a field, by the answers that offer them: those that are on offer, or all if `values` is null, because
 * without script all choices are shown. Each choice is in one group, so that it stays what it is when others go.
 */
export const groupsOf = (fields: FormControl[], field: FormControl, values: Values | null): Group[] => {
  const { choices, choicesBy } = field;
  if (choicesBy === null) return [{ by: null, choices }];
  const others = fields.find(({ name }) => name === choicesBy.field)?.choices ?? [];
  const groups = new Map<string, FormChoice[]>();
  for (const choice of values === null ? choices : offered(field, values)) {
    const offering = others.filter(({ value }) => choicesBy.choices[value]?.includes(choice.value));
    const by = offering.map(({ label }) => label).join(", ");
    groups.set(by, [...(groups.get(by) ?? []), choice]);
  }
  return [...groups].map(([by, choices]) => ({ by, choices }));
};

/** The answers: what the controls of the shown fields hold. A field that another one hides has no value, and so on. */
export const valuesOf = ({ fields, consents }: Pick<SiteForm, "fields" | "consents">, data: FormData): Values => {
  const values: Values = {};
  const controls = fields.map((field) => [field.name, controlOf(field)] as const);
  for (const [name, control] of [...controls, ...consents.map(({ name }) => [name, name] as const)]) {
    // Of a file, its name; a control without a file has an empty one.
    const typed = data.getAll(control).map((value) => (typeof value === "string" ? value.trim() : value.name));
    const given = typed.filter((value) => value !== "");
    if (given.length > 0) values[name] = given;
  }
  // As many rounds as fields may depend on each other.
  for (const _ of fields) {
    for (const field of fields) {
      const { name, choicesBy } = field;
      if (!isShown(field, values)) delete values[name];
      // A choice that was made may no longer be offered.
      if (choicesBy === null || values[name] === undefined) continue;
      const kept = offered(field, values).map(({ value }) => value);
      values[name] = values[name].filter((value) => kept.includes(value));
      if (values[name].length === 0) delete values[name];
    }
  }
  return values;
};

interface MessageProps {
  id?: string;
  name: string;
  error: string | undefined;
}

/** The message of a control. The API fills in the empty one of a form that was sent without script, so it is always there. */
export function Message({ id, name, error }: MessageProps): ReactNode {
  const isWrong = error !== undefined;
  return (
    <p className="form__error" id={id} data-error={name} hidden={!isWrong}>
      {error}
    </p>
  );
}
