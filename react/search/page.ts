// The page of the search: its address has the query, so that it can be linked to, and Back leads to the last one.

import { attach, type Query } from "./form";

const KIND = "kind";
const WORDS = "q";

const written = (): Query => {
  const parameters = new URLSearchParams(location.search);
  return { words: (parameters.get(WORDS) ?? "").trim(), kind: parameters.get(KIND) ?? "" };
};

const address = ({ words, kind }: Query): string => {
  const url = new URL(location.href);
  for (const [name, value] of [
    [WORDS, words],
    [KIND, kind],
  ] as const) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  return url.href;
};

export const start = (root: HTMLElement): { focus: () => void } => {
  const form = attach(root, (query, isSubmitted) => {
    const href = address(query);
    // A step back leads to a query that was sent, not to each letter of it.
    if (isSubmitted && href !== location.href) history.pushState(null, "", href);
    else if (href.length < 4000) history.replaceState(null, "", href);
  });
  // The visitor may have typed before this script was loaded.
  const typed = form.query();
  const query = typed.words ? typed : written();
  if (query.words) form.show(query);
  addEventListener("popstate", () => form.show(written()));
  return { focus: () => form.field.focus() };
};
