// The search of case studies, and the display names of filters. They are pure functions, so that tests can run and time
// them without a browser.

import type { StudyCard } from "../../generated/wire";
import { fold } from "../../lib/fold";

/** A study with the text that the search compares, folded. */
export interface Searchable {
  study: StudyCard;
  text: string;
}

/**
 * Prepares the text of each study once, so that a keystroke costs one comparison per study. Line breaks separate the
 * fields, so no match spans two of them.
 */
export const searchable = (studies: StudyCard[]): Searchable[] =>
  studies.map((study) => ({
    study,
    text: fold([study.title, study.client, study.description, ...study.ids].join("\n")),
  }));

/** Returns the studies that contain the query, ignoring case and accents; all studies for an empty query. */
export const search = (studies: Searchable[], query: string): StudyCard[] => {
  const wanted = fold(query.trim());
  return (wanted === "" ? studies : studies.filter(({ text }) => text.includes(wanted))).map(({ study }) => study);
};

/** Converts the id of a filter to its display name: `development-support` → `Development Support`. */
export const nameOf = (id: string): string =>
  id
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
