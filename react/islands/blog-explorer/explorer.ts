// What happens around the state machine: the pause after typing, the requests, and the query in the address.

import { type Dispatch, useEffect, useReducer, useRef } from "react";
import { ask, type Source } from "./answer";
import { DEBOUNCE, type Event, type Found, reduce, type State, start, target } from "./state";

/** How long a request may take, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;

/** The name of the query in the address. */
const QUERY = "q";

const queryOfAddress = (): string => new URLSearchParams(location.search).get(QUERY)?.trim() ?? "";

/** The page's own list, whether it came with an error, and whether made-up posts stand in for what cannot be fetched. */
export interface Beginning {
  found: Found;
  failed: boolean;
  placeholders: boolean;
}

export function useExplorer(source: Source, { found, failed, placeholders }: Beginning): [State, Dispatch<Event>] {
  const [state, dispatch] = useReducer(reduce, undefined, () => start(found, failed, placeholders));
  const { input, request } = state;
  const wanted = target(state);

  useEffect(() => {
    const timer = setTimeout(() => dispatch({ type: "paused" }), DEBOUNCE);
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
        // What else fails is reported on the page.
        if (purpose === "reset") console.error(error);
        dispatch({ type: "failed", id });
      },
    );
    return () => {
      isStale = true;
      clearTimeout(timeout);
      abort.abort();
    };
    // The source never changes on a page.
  }, [request]);

  // Back and forward change the address first, searching the state first; each follows the other.
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
    // A query that is only refined is one step of the history, not one for each pause.
    if (before !== "" && wanted !== "") history.replaceState(history.state, "", url);
    else history.pushState(null, "", url);
  }, [wanted]);

  return [state, dispatch];
}
