// The search of case studies, and the display names of filters. They are pure functions, so that tests can run and time
// them without a browser.

import type { StudyCard } from "../../generated/wire";
import { fold } from "../../lib/fold";
import { hasAll, wordsOf } from "../../lib/match";

/** A study with the text that the search compares, folded. */
interface Searchable {
  study: StudyCard;
  text: string;
}

/** Prepares the text of each study once, so that a keystroke costs one comparison per study and word. */
export const searchable = (studies: StudyCard[]): Searchable[] =>
  studies.map((study) => ({
    study,
    // Line breaks separate the fields, so no word spans two of them.
    text: fold([study.title, study.client, study.description, ...study.ids].join("\n")),
  }));

/** Returns the studies that contain each word of the query, ignoring case and accents; all studies for an empty query. */
export const search = (studies: Searchable[], query: string): StudyCard[] => {
  const words = wordsOf(query);
  return studies.filter(({ text }) => hasAll(text, words)).map(({ study }) => study);
};

/** Converts the id of a filter to its display name: `development-support` → `Development Support`. */
export const nameOf = (id: string): string =>
  id
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
