// The list of posts as a state machine: visible entries and the pending request. The reducer is pure, so that tests can
// send every event in every state. Requests, timers and the URL are handled by the hook in explorer.ts. A response is
// applied only if it has the id of the latest request, so late responses are ignored.

import type { Pagination, Post as WholePost } from "../../generated/wire";

/** Delay between the last keystroke and the search, in milliseconds. */
export const SEARCH_DELAY = 500;

/** What the list shows of a post. */
export type Post = Pick<WholePost, "id" | "title" | "slug" | "link" | "date" | "excerpt" | "featured_image" | "cover"> & {
  author: Pick<WholePost["author"], "name">;
};

/** An entry of the list: a post, or a placeholder in placeholder mode. */
export type Entry = { kind: "post"; post: Post } | { kind: "placeholder"; id: string; query: string };

/** What a request loads: results of a new query, the next page, or the list without a query. */
export type Purpose = "search" | "more" | "reset";

/** A request to the API. Ids increase with each request. */
export interface ListRequest {
  id: number;
  purpose: Purpose;
  query: string;
  page: number;
}

/** What failed: a request with this purpose, or `page` if the page was prerendered with an error. */
export type Failure = Purpose | "page";

/** One page of posts, as parsed from a response. */
export interface PostPage {
  posts: Post[];
  pagination: Pagination;
}

export interface State {
  /** Value of the search field, not trimmed. */
  input: string;
  /** Query whose results are shown; empty for all posts. */
  query: string;
  entries: Entry[];
  pagination: Pagination;
  hasMore: boolean;
  request: ListRequest | null;
  failure: Failure | null;
  /** The prerendered page of posts. */
  initial: PostPage;
  /** Placeholder mode: placeholders are shown in place of posts that cannot be loaded. */
  placeholders: boolean;
  /** Number of requests so far. */
  requests: number;
}

export type Action =
  /** The value of the search field changed. */
  | { type: "typed"; text: string }
  /** The delay after the last keystroke has passed. */
  | { type: "paused" }
  /** The search form was submitted. */
  | { type: "submitted" }
  /** The search was cleared. */
  | { type: "cleared" }
  /** The "load more" button was pressed or became visible. */
  | { type: "more" }
  /** The URL has another query, after history navigation or on page load. */
  | { type: "returned"; query: string }
  /** The list is shown again as the visitor has left it. */
  | { type: "restored"; query: string; found: PostPage }
  | { type: "answered"; id: number; found: PostPage }
  | { type: "failed"; id: number };

/** Number of placeholders for a page that could not be loaded. */
const PLACEHOLDER_COUNT = 3;

const EMPTY_PAGINATION: Pagination = { total: 0, total_pages: 1, current_page: 1, per_page: 10 };

const asEntries = (posts: Post[]): Entry[] => posts.map((post) => ({ kind: "post", post }));

const isBefore = ({ current_page, total_pages }: Pagination): boolean => current_page < total_pages;

export const start = (initial: PostPage, failed: boolean, placeholders: boolean): State => ({
  input: "",
  query: "",
  entries: failed ? [] : asEntries(initial.posts),
  pagination: failed ? EMPTY_PAGINATION : initial.pagination,
  hasMore: !failed && isBefore(initial.pagination),
  request: null,
  failure: failed ? "page" : null,
  initial,
  placeholders,
  requests: 0,
});

/** The query of the pending search or, without one, of the visible list. */
export const target = ({ request, query }: State): string => (request && request.purpose !== "more" ? request.query : query);

const ask = (state: State, purpose: Purpose, query: string, page: number): State => ({
  ...state,
  failure: null,
  requests: state.requests + 1,
  request: { id: state.requests + 1, purpose, query, page },
});

/** Starts a search, unless its query is already shown or pending. `again` repeats a search that has failed. */
const search = (state: State, text: string, again: boolean): State => {
  const query = text.trim();
  if (query === target(state) && !(again && state.failure)) return state;
  return ask(state, query === "" ? "reset" : "search", query, 1);
};

const failed = (state: State, { purpose, query }: ListRequest): State => {
  const settled = { ...state, request: null };
  switch (purpose) {
    case "reset":
      // No failure is shown, because the prerendered page is a list without a query, too.
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
            pagination: { ...EMPTY_PAGINATION, total: 1 },
            hasMore: false,
          }
        : { ...settled, query, entries: [], pagination: EMPTY_PAGINATION, hasMore: false, failure: "search" };
    case "more": {
      const placeholders = Array.from(
        { length: PLACEHOLDER_COUNT },
        (_, at): Entry => ({ kind: "placeholder", id: `${state.requests}-${at}`, query: "" }),
      );
      return state.placeholders
        ? { ...settled, entries: [...state.entries, ...placeholders], hasMore: false }
        : { ...settled, hasMore: false, failure: "more" };
    }
  }
};

/** Removes posts that are already in the list. Newly published posts shift older ones to the next page. */
const withoutKnown = (entries: Entry[], posts: Post[]): Post[] => {
  const known = new Set(entries.map((entry) => (entry.kind === "post" ? entry.post.id : "")));
  return posts.filter((post) => !known.has(post.id));
};

/** A list without a query begins with the posts of the page, which may be newer than those that were kept. */
const restored = (state: State, query: string, { posts, pagination }: PostPage): State => {
  const first = query === "" ? asEntries(state.initial.posts) : [];
  const entries = [...first, ...asEntries(withoutKnown(first, posts))];
  return { ...state, input: query, query, entries, pagination, hasMore: isBefore(pagination), request: null, failure: null };
};

export const reduce = (state: State, event: Action): State => {
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
    case "restored":
      return restored(state, event.query, event.found);
    case "answered": {
      // The response belongs to an earlier request.
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
