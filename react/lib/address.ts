// The query of a search in the URL, so that a reload, a shared link and Back show the same results.

import { listen } from "./listen";

/** Name of the query parameter. */
const QUERY = "q";

/** Delay before a URL that the browser has refused is written again, in milliseconds. */
const RETRY_DELAY = 1000;

/** The query in the URL; empty without one. */
export const queryOfAddress = (): string => new URLSearchParams(location.search).get(QUERY)?.trim() ?? "";

/** Adds a query to a path, unless the query is blank. */
export const withQuery = (path: string, query: string): string => {
  const text = query.trim();
  return text === "" ? path : `${path}?${QUERY}=${encodeURIComponent(text)}`;
};

/** Calls a function when the visitor goes back or forward, and returns a function that stops it. */
export const onReturn = (returned: () => void): (() => void) => listen("popstate", returned);

let retry: ReturnType<typeof setTimeout> | undefined;

/** Writes a query into the URL, as a new entry of the history or in place of the current one. */
export const writeQuery = (query: string, isNew: boolean): void => {
  clearTimeout(retry);
  const url = new URL(location.href);
  if (query.trim() === "") url.searchParams.delete(QUERY);
  else url.searchParams.set(QUERY, query.trim());
  if (url.href === location.href) return;
  try {
    if (isNew) history.pushState(null, "", url);
    else history.replaceState(history.state, "", url);
  } catch {
    // Safari throws if the URL changes too often, as it does with each key.
    retry = setTimeout(() => writeQuery(query, isNew), RETRY_DELAY);
  }
};
