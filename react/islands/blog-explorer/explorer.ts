// Side effects of the list's state: the delay after typing, requests to the API, and the query in the URL.

import { type Dispatch, type RefObject, useEffect, useLayoutEffect, useReducer } from "react";
import type { BlogExplorer } from "../../generated/wire";
import { onReturn, queryOfAddress, writeQuery } from "../../lib/address";
import { listen } from "../../lib/listen";
import type { Source } from "./answer";
import { keepPlace, keptPlace } from "./place";
import { answered, type Change, failed, type ListRequest, type PostPage, restored, type State, search, start } from "./state";

/** Delay between the last keystroke and the search, in milliseconds. */
const SEARCH_DELAY = 500;

/** Time limit of a request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;

/** Requests posts. What reads a response is loaded with the first one, because most visitors read the first posts only. */
const load = async (source: Source, request: ListRequest, signal: AbortSignal): Promise<PostPage> => {
  const { ask } = await import("./answer");
  return ask(source, request, signal);
};

/** Starts a search, and writes its query into the URL. `again` repeats what has failed. */
export const searchFor = (change: Dispatch<Change>, input: string, again = false): void => {
  change(search(input, again));
  const [before, query] = [queryOfAddress(), input.trim()];
  // Refining a query replaces the history entry, so that one search is one step of the history.
  if (before !== query) writeQuery(query, !before || !query);
};

const apply = (state: State, change: Change): State => change(state);

/** The state of a list, and what changes it. */
export function useExplorer(props: BlogExplorer, list: RefObject<HTMLElement | null>): [State, Dispatch<Change>] {
  const [state, change] = useReducer(apply, props, start);
  const { input, request, top } = state;

  useEffect(() => {
    const timer = setTimeout(() => searchFor(change, input), SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, [input]);

  useEffect(() => {
    if (!request) return undefined;
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), REQUEST_TIMEOUT);
    let isStale = false;
    const settle = (settled: Change): void => {
      // The beginning of other posts is shown: the field stays in sight on large screens.
      const { current } = list;
      if (request.page === 1 && current && current.getBoundingClientRect().top < 0) {
        current.scrollIntoView({ behavior: "instant" });
      }
      change(settled);
    };
    load(props, request, abort.signal).then(
      (found) => {
        if (isStale) return;
        settle(answered(request, found));
        const detail = { query: request.query, count: found.pagination.total };
        if (request.query) document.dispatchEvent(new CustomEvent("sitegen:search", { detail }));
      },
      (error: unknown) => {
        if (isStale) return;
        // Other failures are shown on the page.
        if (request.page === 1 && !request.query) console.error(error);
        settle(failed(request));
      },
    );
    return () => {
      isStale = true;
      clearTimeout(timeout);
      abort.abort();
    };
  }, [props, list, request]);

  // Shows the list as the visitor has left it, before the browser paints the shorter one.
  useLayoutEffect(() => {
    const place = keptPlace();
    if (place?.query === queryOfAddress()) change(restored(place));
  }, []);
  useLayoutEffect(() => {
    if (top) scrollTo({ top, behavior: "instant" });
  }, [top]);
  useEffect(() => listen("pagehide", () => keepPlace(state)), [state]);

  // The query in the URL, now and after Back and Forward.
  useEffect(() => {
    const follow = (): void => change(search(queryOfAddress(), false));
    follow();
    return onReturn(follow);
  }, []);

  return [state, change];
}
