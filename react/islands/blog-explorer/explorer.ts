// Side effects of the state machine: the delay after typing, requests to the API, and the query in the URL.

import { type Dispatch, useEffect, useReducer, useRef } from "react";
import { ask, type Source } from "./answer";
import { type Event, type PostPage, reduce, SEARCH_DELAY, type State, start, target } from "./state";

/** Time limit of a request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;

/** Name of the query parameter in the URL. */
const QUERY = "q";

const queryOfAddress = (): string => new URLSearchParams(location.search).get(QUERY)?.trim() ?? "";

/** The prerendered list, whether it failed to load at build time, and whether placeholder mode is on. */
export interface InitialList {
  found: PostPage;
  failed: boolean;
  placeholders: boolean;
}

export function useExplorer(source: Source, { found, failed, placeholders }: InitialList): [State, Dispatch<Event>] {
  const [state, dispatch] = useReducer(reduce, undefined, () => start(found, failed, placeholders));
  const { input, request } = state;
  const wanted = target(state);

  useEffect(() => {
    const timer = setTimeout(() => dispatch({ type: "paused" }), SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, [input]);

  useEffect(() => {
    if (!request) return undefined;
    const { id, purpose } = request;
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), REQUEST_TIMEOUT);
    let isStale = false;
    ask(source, request, abort.signal).then(
      (answer) => dispatch({ type: "answered", id, found: answer }),
      (error: unknown) => {
        if (isStale) return;
        // Other failures are shown on the page.
        if (purpose === "reset") console.error(error);
        dispatch({ type: "failed", id });
      },
    );
    return () => {
      isStale = true;
      clearTimeout(timeout);
      abort.abort();
    };
    // `source` is not a dependency, because it is constant for a page.
  }, [request]);

  // Keeps URL and state in sync: history navigation changes the URL first, a search changes the state first.
  const isReady = useRef(false);
  useEffect(() => {
    const follow = (): void => dispatch({ type: "returned", query: queryOfAddress() });
    if (queryOfAddress() !== "") follow();
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  useEffect(() => {
    if (!isReady.current) {
      isReady.current = true;
      return;
    }
    const before = queryOfAddress();
    if (before === wanted) return;
    const url = new URL(location.href);
    if (wanted === "") url.searchParams.delete(QUERY);
    else url.searchParams.set(QUERY, wanted);
    // Refining a query replaces the history entry, so that one search is one step of the history.
    if (before !== "" && wanted !== "") history.replaceState(history.state, "", url);
    else history.pushState(null, "", url);
  }, [wanted]);

  return [state, dispatch];
}
