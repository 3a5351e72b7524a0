// Fills in a form from the address of its page and from the draft that the tab keeps, which survives reloads and visits to other
// pages. Only forms that ask for one of the two load this module. Drafts hold no files, no consents and no captcha.

import type { FormControl, SiteForm } from "../../generated/wire";
import type { Submission } from "../../lib/submission";
import { choose, chooseOnceOffered, linked, nameChoice } from "./anchors";
import { controlOf, type Values } from "./fields";
import type { State } from "./state";
import type { Store } from "./store";
import type { Core } from "./use-form";

export { nameChoice };

export interface Draft {
  values: Values;
  /** The step that was shown, from 0. */
  step: number;
  /** What was sent last, so that sending it again after a reload stores it once. */
  submission: Submission | null;
}

type Place = Pick<SiteForm, "name" | "locale">;

const placeOf = ({ name, locale }: Place): string => `form:${name}:${locale}`;

/** Whether these values are more than the form has at first. */
const isEntered = ({ default: first }: FormControl, values: readonly unknown[]): boolean =>
  values.some((value) => value !== "" && value !== first);

/** Enters values, unless the visitor was faster. Those that the field does not offer are left out. */
export const enter = (store: Store, field: FormControl, values: string[]): void => {
  if (field.takes === "file" || isEntered(field, store.data().getAll(controlOf(field)))) return;
  const hasChoices = field.takes === "choice" || field.takes === "reference";
  const known = values.filter((value) => !hasChoices || field.choices.some((choice) => choice.value === value));
  if (known.length > 0) store.set(controlOf(field), known);
};

const textsOf = (value: unknown): string[] | null =>
  Array.isArray(value) && value.every((text) => typeof text === "string") ? value : null;

/** What was typed before the form woke into a field that depends on an answer gives that answer, too. */
const answerConditions = (fields: FormControl[], store: Store): void => {
  const entered = store.data();
  for (const field of fields.filter((field) => entered.getAll(controlOf(field)).some((value) => value !== "")))
    for (const { field: name, values } of field.shownWhen) {
      const other = fields.find((other) => other.name === name);
      const [wanted] = values;
      const isOther = other !== undefined && wanted !== undefined && !entered.getAll(controlOf(other)).includes(wanted);
      if (isOther && (other.takes === "choice" || wanted === "true")) store.set(controlOf(other), [wanted]);
    }
};

/** Storage may be full or disabled. In that case, a reload loses the draft. */
const attempt = <T>(action: () => T): T | null => {
  try {
    return action();
  } catch {
    return null;
  }
};

/** The draft, if there is one. Another version of the form may have saved it, so each part is checked. */
export const draftOf = (place: Place): Draft | null => {
  const draft = attempt(() => JSON.parse(sessionStorage.getItem(placeOf(place)) ?? "null") as unknown);
  if (typeof draft !== "object" || draft === null || Array.isArray(draft)) return null;
  const { values, step, submission } = draft as Partial<Record<keyof Draft, unknown>>;
  const { key, lead } = (submission ?? {}) as Partial<Submission>;
  const texts = Object.entries(typeof values === "object" && values !== null ? values : {}).map(
    ([name, value]) => [name, textsOf(value)] as const,
  );
  return {
    values: Object.fromEntries(texts.filter((entry): entry is [string, string[]] => entry[1] !== null)),
    step: Number.isInteger(step) ? Number(step) : 0,
    submission: typeof key === "string" && typeof lead === "string" ? { key, lead } : null,
  };
};

/** What a form was filled in with. */
interface Filled extends Pick<Draft, "submission"> {
  /** Where to begin: the step of the draft, if there was one, or the field whose choice the fragment of the address names. */
  asked: number | string | undefined;
  /** Whether the fragment names a choice. */
  isLinked: boolean;
}

/**
 * Fills in what the address says, what else is in the draft, and the choice that the fragment of the address names. If the form
 * itself has written that before the page was loaded again (`isOwnEntry`), the draft says where the visitor was.
 */
export const fillIn = (store: Store, props: SiteForm, isOwnEntry: boolean): Filled => {
  answerConditions(props.fields, store);
  const query = new URLSearchParams(location.search);
  for (const field of props.fields)
    if (field.fromQuery !== null && query.has(field.fromQuery)) enter(store, field, query.getAll(field.fromQuery));
  const draft = props.draft ? draftOf(props) : null;
  for (const field of props.fields) enter(store, field, draft?.values[field.name] ?? []);
  const filled = { submission: draft?.submission ?? null, asked: draft?.step, isLinked: false };
  const answers = linked(props, draft?.values ?? {}) ?? [];
  const [field, value] = answers.at(-1) ?? [];
  if (field === undefined || value === undefined) return filled;
  if (isOwnEntry && draft?.values[field.name]?.includes(value)) return filled;
  for (const answer of answers) choose(store, answer);
  return { ...filled, asked: field.name, isLinked: true };
};

/** Makes the choice that the fragment of the address of the open page names now, and leads to its step. */
export const follow = async ({ props, steps, state, store, read, answered }: Core): Promise<void> => {
  // The entry that the form goes back to may name what was sent.
  if (state.phase === "done") nameChoice(props, {});
  // The history of the browser leads to entries that the form has written; that is no link.
  if (state.phase !== "open" || steps?.isOwnEntry()) return;
  const answers = linked(props, read()) ?? [];
  for (const answer of answers) {
    await chooseOnceOffered(store, answer);
    answered(read());
  }
  const [field] = answers.at(-1) ?? [];
  if (field === undefined) steps?.writeEntry();
  else steps?.lead(field.name);
};

export const save = (props: SiteForm, { values, step, submission }: Draft): void => {
  const kept = props.fields.filter((field) => field.takes !== "file" && isEntered(field, values[field.name] ?? []));
  const texts = Object.fromEntries(kept.map(({ name }) => [name, values[name]]));
  if (kept.length === 0) forget(props);
  else attempt(() => sessionStorage.setItem(placeOf(props), JSON.stringify({ values: texts, step, submission })));
};

export const forget = (place: Place): void => {
  attempt(() => sessionStorage.removeItem(placeOf(place)));
};

/** Keeps the draft of a form that asks for one, until it is sent. */
export const remember = (props: SiteForm, state: Pick<State, "phase" | keyof Draft>): void => {
  if (!props.draft) return;
  if (state.phase === "done") forget(props);
  else save(props, state);
};
