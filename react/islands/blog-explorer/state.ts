// The list of posts as a state machine: what it shows, and what is being requested. A pure reducer, so that tests can send
// every event in every state; requests, timers and the address are the hook's (explorer.ts). An answer counts only if it
// has the id of the newest request, so a late one changes nothing.

import type { Pagination, Post } from "../../generated/wire";

/** How long after the last key stroke a search begins, in milliseconds. */
export const DEBOUNCE = 500;

/** What stands in the list: a post, or in reading B a made-up one. */
export type Entry = { kind: "post"; post: Post } | { kind: "placeholder"; id: string; query: string };

/** What a request is for: another query, the next page, or the list without a query. */
export type Purpose = "search" | "more" | "reset";

/** Something that is being asked for. A later one has a larger id. */
export interface Request {
  id: number;
  purpose: Purpose;
  query: string;
  page: number;
}

/** What is wrong. `page`: the page came with an error. */
export type Failure = Purpose | "page";

/** A page of a list, as it was read from an answer. */
export interface Found {
  posts: Post[];
  pagination: Pagination;
}

export interface State {
  /** What the field holds, as it was typed. */
  input: string;
  /** What the list shows the results of; empty for all posts. */
  query: string;
  entries: Entry[];
  pagination: Pagination;
  hasMore: boolean;
  request: Request | null;
  failure: Failure | null;
  /** What the page came with. */
  initial: Found;
  /** Made-up posts stand in for what cannot be fetched (reading B). */
  placeholders: boolean;
  /** So many requests were made. */
  requests: number;
}

export type Event =
  /** The field was changed. */
  | { type: "typed"; text: string }
  /** Nothing was typed for a while. */
  | { type: "paused" }
  /** The search was sent, by Enter. */
  | { type: "submitted" }
  /** The search was cleared. */
  | { type: "cleared" }
  /** The next page was asked for, or its place came into view. */
  | { type: "more" }
  /** The address says another query: back, forward, or the page's start. */
  | { type: "returned"; query: string }
  | { type: "answered"; id: number; found: Found }
  | { type: "failed"; id: number };

/** So many made-up posts stand in for a page that could not be fetched. */
const PLACEHOLDERS = 3;

const NOTHING: Pagination = { total: 0, total_pages: 1, current_page: 1, per_page: 10 };

const asEntries = (posts: Post[]): Entry[] => posts.map((post) => ({ kind: "post", post }));

const isBefore = ({ current_page, total_pages }: Pagination): boolean => current_page < total_pages;

export const start = (initial: Found, failed: boolean, placeholders: boolean): State => ({
  input: "",
  query: "",
  entries: failed ? [] : asEntries(initial.posts),
  pagination: failed ? NOTHING : initial.pagination,
  hasMore: !failed && isBefore(initial.pagination),
  request: null,
  failure: failed ? "page" : null,
  initial,
  placeholders,
  requests: 0,
});

/** The query that the list shows, or will once the answer is there. */
export const target = ({ request, query }: State): string =>
  request && request.purpose !== "more" ? request.query : query;

const ask = (state: State, purpose: Purpose, query: string, page: number): State => ({
  ...state,
  // A failure is forgotten when something new is asked for.
  failure: null,
  requests: state.requests + 1,
  request: { id: state.requests + 1, purpose, query, page },
});

/** Towards another query. The one that is shown or on its way is not asked for again, unless it failed. */
const search = (state: State, text: string, again: boolean): State => {
  const query = text.trim();
  if (query === target(state) && !(again && state.failure)) return state;
  return ask(state, query === "" ? "reset" : "search", query, 1);
};

const failed = (state: State, { purpose, query }: Request): State => {
  const settled = { ...state, request: null };
  switch (purpose) {
    case "reset":
      // Only logged: what the page came with is a list without a query, too.
      return {
        ...settled,
        query: "",
        entries: asEntries(state.initial.posts),
        pagination: state.initial.pagination,
        hasMore: isBefore(state.initial.pagination),
      };
    case "search":
      return state.placeholders
        ? {
            ...settled,
            query,
            entries: [{ kind: "placeholder", id: "result", query }],
            pagination: { ...NOTHING, total: 1 },
            hasMore: false,
          }
        : { ...settled, query, entries: [], pagination: NOTHING, hasMore: false, failure: "search" };
    case "more": {
      const standIns = Array.from({ length: PLACEHOLDERS }, (_, at): Entry => ({ kind: "placeholder", id: `${state.requests}-${at}`, query: "" }));
      return state.placeholders
        ? { ...settled, entries: [...state.entries, ...standIns], hasMore: false }
        : { ...settled, hasMore: false, failure: "more" };
    }
  }
};

/** Posts that came while the list grew would stand in it twice. */
const withoutKnown = (entries: Entry[], posts: Post[]): Post[] => {
  const known = new Set(entries.map((entry) => (entry.kind === "post" ? entry.post.id : "")));
  return posts.filter((post) => !known.has(post.id));
};

export const reduce = (state: State, event: Event): State => {
  const { request } = state;
  switch (event.type) {
    case "typed":
      return event.text === state.input ? state : { ...state, input: event.text };
    case "paused":
      return search(state, state.input, false);
    case "submitted":
      return search(state, state.input, true);
    case "cleared":
      return search({ ...state, input: "" }, "", state.failure === "search");
    case "returned":
      return search({ ...state, input: event.query }, event.query, false);
    case "more":
      return request || !state.hasMore ? state : ask(state, "more", state.query, state.pagination.current_page + 1);
    case "answered": {
      // An answer that nobody waits for any more.
      if (request?.id !== event.id) return state;
      const { posts, pagination } = event.found;
      const isMore = request.purpose === "more";
      return {
        ...state,
        request: null,
        query: request.query,
        entries: isMore ? [...state.entries, ...asEntries(withoutKnown(state.entries, posts))] : asEntries(posts),
        pagination,
        hasMore: isBefore(pagination),
      };
    }
    case "failed":
      return request?.id === event.id ? failed(state, request) : state;
  }
};
