// The draft of the lead form: one per language, without the captcha's token.

import { readDraft, readSubmission } from "../../lib/draft";
import type { Fields, Submission } from "./lead";
import { STEPS, type State, type Step } from "./state";

export interface Draft {
  step: Step;
  choice: string | null;
  service: string | null;
  fields: Fields;
  submission: Submission | null;
}

/** Where the draft of a language is kept. */
export const placeOf = (locale: string): string => `lead-form:${locale}`;

const texts = (value: unknown, known: Fields): Fields => {
  const own = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const read = Object.entries(known).map(([name, empty]) => [name, typeof own[name] === "string" ? own[name] : empty]);
  return { ...known, ...(Object.fromEntries(read) as Partial<Fields>) };
};

/**
 * Returns the draft for a language. Its fields are validated, because another version of the form may have saved it.
 */
export const loadDraft = (locale: string, empty: Fields): Draft | null => {
  const draft = readDraft(placeOf(locale));
  if (draft === null) return null;
  const { step, choice, service, fields, submission } = draft as Partial<Record<keyof Draft, unknown>>;
  return {
    step: STEPS.find((known) => known === step && known < 5) ?? 1,
    choice: typeof choice === "string" ? choice : null,
    service: typeof service === "string" ? service : null,
    fields: texts(fields, empty),
    submission: readSubmission(submission),
  };
};

/** Selects the parts of the state that are saved. */
export const draftOf = ({ step, choice, service }: State, fields: Fields, submission: Submission | null): Draft => ({
  step,
  choice,
  service,
  fields,
  submission,
});
