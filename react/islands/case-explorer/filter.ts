// Which case studies a search finds, and how the filter of an address is called. Plain functions, so that they can be
// tested and timed without a browser.

import type { StudyCard } from "../../generated/wire";

/** A study and all that the search looks at, in lower case. */
export interface Searchable {
  study: StudyCard;
  text: string;
}

/** Made once: a key stroke then costs one look per study. A line break parts the fields, so no match spans two of them. */
export const searchable = (studies: StudyCard[]): Searchable[] =>
  studies.map((study) => ({
    study,
    text: [study.title, study.client, study.description, ...study.ids].join("\n").toLowerCase(),
  }));

/** The studies that hold the query, in upper or lower case; all of them for none. */
export const search = (studies: Searchable[], query: string): StudyCard[] => {
  const wanted = query.trim().toLowerCase();
  return (wanted === "" ? studies : studies.filter(({ text }) => text.includes(wanted))).map(({ study }) => study);
};

/** `development-support` → `Development Support`: the rule of the line that says what the list is filtered by. */
export const nameOf = (id: string): string =>
  id
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
