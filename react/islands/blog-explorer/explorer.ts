// Side effects of the state machine: the delay after typing, requests to the API, and the query in the URL.

import { type Dispatch, useEffect, useEffectEvent, useLayoutEffect, useReducer, useRef } from "react";
import { onReturn, queryOfAddress, writeQuery } from "../../lib/address";
import { ask, type Source } from "./answer";
import { keepPlace, keptPlace } from "./place";
import { type Action, type ListRequest, type PostPage, reduce, SEARCH_DELAY, type State, start, target } from "./state";

/** Time limit of a request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;

/** The prerendered list, whether it failed to load at build time, and whether placeholder mode is on. */
export interface InitialList {
  found: PostPage;
  failed: boolean;
  placeholders: boolean;
}

export function useExplorer(source: Source, { found, failed, placeholders }: InitialList): [State, Dispatch<Action>] {
  const [state, dispatch] = useReducer(reduce, undefined, () => start(found, failed, placeholders));
  const { input, request } = state;
  const wanted = target(state);

  useEffect(() => {
    const timer = setTimeout(() => dispatch({ type: "paused" }), SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, [input]);

  const send = useEffectEvent((wanted: ListRequest, signal: AbortSignal) => ask(source, wanted, signal));
  useEffect(() => {
    if (!request) return undefined;
    const { id, purpose } = request;
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), REQUEST_TIMEOUT);
    let isStale = false;
    send(request, abort.signal).then(
      (answer) => {
        dispatch({ type: "answered", id, found: answer });
        if (request.query === "") return;
        const detail = { query: request.query, count: answer.pagination.total };
        document.dispatchEvent(new CustomEvent("sitegen:search", { detail }));
      },
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
  }, [request]);

  // Shows the list as the visitor has left it, before the browser paints the shorter one.
  const top = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (top.current !== null) scrollTo({ top: top.current, behavior: "instant" });
    top.current = null;
  }, [state.entries]);
  useLayoutEffect(() => {
    const place = keptPlace();
    if (!place || place.query !== queryOfAddress()) return;
    top.current = place.top;
    dispatch({ type: "restored", found: place, query: place.query });
  }, []);
  const keep = useEffectEvent(() => keepPlace(state));
  useEffect(() => {
    const leave = (): void => keep();
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);

  // Keeps URL and state in sync: history navigation changes the URL first, a search changes the state first.
  const isReady = useRef(false);
  useEffect(() => {
    const follow = (): void => dispatch({ type: "returned", query: queryOfAddress() });
    if (queryOfAddress() !== "") follow();
    return onReturn(follow);
  }, []);
  useEffect(() => {
    if (!isReady.current) {
      isReady.current = true;
      return;
    }
    const before = queryOfAddress();
    // Refining a query replaces the history entry, so that one search is one step of the history.
    if (before !== wanted) writeQuery(wanted, before === "" || wanted === "");
  }, [wanted]);

  return [state, dispatch];
}
