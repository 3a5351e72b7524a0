// Fills in a form from the address of its page and from the draft that the tab keeps. Only forms that ask for one of the two
// load this module. Drafts hold no files, no consents and no captcha.

import type { SiteForm } from "../../generated/wire";
import { readDraft, readSubmission, removeDraft, saveDraft } from "../../lib/draft";
import type { Submission } from "../../lib/submission";
import { choose, linked } from "./anchors";
import type { Values } from "./rules";

export { chooseOnceOffered, linked, nameChoice } from "./anchors";

export interface Draft {
  values: Values;
  /** The step that was shown, from 0. */
  step: number;
  /** What was sent last, so that sending it again after a reload stores it once. */
  submission: Submission | null;
}

type Place = Pick<SiteForm, "name" | "locale">;

const placeOf = ({ name, locale }: Place): string => `form:${name}:${locale}`;

/** Sets a field, unless the visitor was faster. Values that its control does not offer are left out. */
export const enter = (form: HTMLFormElement, name: string, values: string[]): void => {
  const named = form.elements.namedItem(name);
  const controls = named instanceof RadioNodeList ? [...named] : [named];
  const boxes = controls.filter((control) => control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type));
  if (boxes.length > 0) {
    const inputs = boxes as HTMLInputElement[];
    if (!inputs.some(({ checked }) => checked)) for (const input of inputs) input.checked = values.includes(input.value);
    return;
  }
  for (const control of controls) {
    const isText = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;
    if ((isText || control instanceof HTMLSelectElement) && control.type !== "file" && control.value === "") {
      const [value = ""] = values;
      if (isText || [...control.options].some((option) => option.value === value)) control.value = value;
    }
  }
};

const textsOf = (value: unknown): string[] | null =>
  Array.isArray(value) && value.every((text) => typeof text === "string") ? value : null;

/** The draft, if there is one. Another version of the form may have saved it, so each part is checked. */
export const draftOf = (place: Place): Draft | null => {
  const draft = readDraft(placeOf(place));
  if (draft === null) return null;
  const { values, step, submission } = draft as Partial<Record<keyof Draft, unknown>>;
  const texts = Object.entries(typeof values === "object" && values !== null ? values : {}).map(
    ([name, value]) => [name, textsOf(value)] as const,
  );
  return {
    values: Object.fromEntries(texts.filter((entry): entry is [string, string[]] => entry[1] !== null)),
    step: Number.isInteger(step) ? Number(step) : 0,
    submission: readSubmission(submission),
  };
};

/** Fills in what the address says, and what else is in the draft, which it returns. */
export const fillIn = (form: HTMLFormElement, props: SiteForm): Draft | null => {
  const query = new URLSearchParams(location.search);
  for (const { name, fromQuery } of props.fields)
    if (fromQuery !== null && query.has(fromQuery)) enter(form, name, query.getAll(fromQuery));
  const draft = props.draft ? draftOf(props) : null;
  for (const { name } of props.fields) enter(form, name, draft?.values[name] ?? []);
  return draft;
};

/**
 * Makes the choice that the fragment of the address names, and returns the name of its field. Null if it names none, or if
 * the form itself has written it before the page was loaded again (`isOwnEntry`): then the draft says where the visitor was.
 */
export const followLink = (form: HTMLFormElement, props: SiteForm, draft: Draft | null, isOwnEntry: boolean): string | null => {
  const answers = linked(props, draft?.values ?? {});
  const [field, value] = answers?.at(-1) ?? [];
  if (answers === null || field === undefined || value === undefined) return null;
  if (isOwnEntry && draft?.values[field]?.includes(value)) return null;
  for (const answer of answers) choose(form, answer);
  return field;
};

export const save = (props: SiteForm, { values, step, submission }: Draft): void => {
  const kept = props.fields.filter(({ name, takes }) => takes !== "file" && values[name] !== undefined);
  if (kept.length === 0) removeDraft(placeOf(props));
  else {
    const texts = Object.fromEntries(kept.map(({ name }) => [name, values[name]]));
    saveDraft(placeOf(props), { values: texts, step, submission });
  }
};

export const forget = (props: Place): void => removeDraft(placeOf(props));
