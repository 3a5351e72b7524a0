// The page of the search: its address has the query, so that it can be linked to, and Back leads to the last one.

import { attach } from "./form";
import { addressOf, type Query, queryOf } from "./query";

export const start = (root: HTMLElement): { focus: () => void } => {
  const form = attach(root, (query, isSubmitted) => {
    const { href } = addressOf(location.href, query, form.names);
    // A step back leads to a query that was sent, not to each letter of it.
    if (isSubmitted && href !== location.href) history.pushState(null, "", href);
    else if (href.length < 4000) history.replaceState(null, "", href);
  });
  const written = (): Query => queryOf(new URLSearchParams(location.search), form.names);
  // The visitor may have typed before this script was loaded.
  const typed = form.query();
  const query = typed.words ? typed : written();
  if (query.words) form.show(query);
  addEventListener("popstate", () => form.show(written()));
  return { focus: () => form.field.focus() };
};
