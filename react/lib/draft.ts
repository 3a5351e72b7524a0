// Keeps an unfinished form in the session storage of the tab, so that it survives reloads and visits to other pages.

import type { Submission } from "./submission";

/** Storage may be full or disabled. In that case, a reload loses the draft. */
const attempt = <T>(action: () => T): T | undefined => {
  try {
    return action();
  } catch {
    return undefined;
  }
};

export const saveDraft = (place: string, draft: object): void => {
  attempt(() => sessionStorage.setItem(place, JSON.stringify(draft)));
};

export const removeDraft = (place: string): void => {
  attempt(() => sessionStorage.removeItem(place));
};

/** What was saved, whose shape is to be checked: another version of the form may have saved it. */
export const readDraft = (place: string): Record<string, unknown> | null => {
  const draft = attempt(() => JSON.parse(sessionStorage.getItem(place) ?? "null") as unknown);
  return typeof draft === "object" && draft !== null && !Array.isArray(draft) ? (draft as Record<string, unknown>) : null;
};

/** What was sent last, of a draft that another version of the form may have saved. */
export const readSubmission = (saved: unknown): Submission | null => {
  const last = saved as Partial<Submission> | null | undefined;
  return typeof last?.key === "string" && typeof last.lead === "string" ? { key: last.key, lead: last.lead } : null;
};
