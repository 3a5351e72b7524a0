// The list of posts as a state, and what changes it. Each change is a pure function from one state to the next, so that
// tests can make every change in every state. Requests, timers and the URL are handled by the hook in explorer.ts. A
// response counts only while its request is the latest one, so late responses are ignored.

import type { Pagination, Post as WholePost } from "../../generated/wire";

/** What the list shows of a post. A response may lack its objects, see answer.ts. */
export type Post = Pick<WholePost, "id" | "title" | "slug" | "link" | "excerpt"> & {
  date: string | null;
  cover: string | null;
  author: { name: string } | null;
  featured_image: Picture | null;
};

export interface Picture {
  source_url: string;
  alt_text: string;
  media_details: {
    width: number;
    height: number;
    sources: { mime: string; srcset: string }[] | null;
    sizes: { medium_large: Size | null; large: Size | null } | null;
  } | null;
  focus?: number[] | null;
}

interface Size {
  source_url: string;
}

/** A request to the API: page 1 of a search, page 1 of all posts (without a query), or a later page of what is shown. */
export interface ListRequest {
  query: string;
  page: number;
}

/** What failed: a search, a further page, or the prerendered page. */
export type Failure = "search" | "more" | "page";

/** One page of posts, as parsed from a response. */
export interface PostPage {
  posts: Post[];
  pagination: Pagination;
}

/** The prerendered page, whether it could not be loaded, and whether placeholder mode is on. */
interface Prerendered extends PostPage {
  error: boolean;
  placeholders: boolean;
}

export interface State extends PostPage {
  /** Value of the search field, not trimmed. */
  input: string;
  /** Query whose results are shown; empty for all posts. */
  query: string;
  /** The queries of placeholders, which placeholder mode shows after the posts in place of those that cannot be loaded. */
  placeholders: string[];
  request: ListRequest | null;
  failure: Failure | null;
  /** The prerendered page of posts. */
  initial: Prerendered;
  /** How far to scroll a list that is shown again, in CSS pixels. */
  top: number;
}

export type Change = (state: State) => State;

const NOTHING: PostPage = { posts: [], pagination: { total: 0, total_pages: 1, current_page: 1, per_page: 10 } };

export const start = (initial: Prerendered): State => {
  const { posts, pagination } = initial.error ? NOTHING : initial;
  const failure = initial.error ? "page" : null;
  return { posts, pagination, input: "", query: "", placeholders: [], request: null, failure, initial, top: 0 };
};

/** The query of the pending request or, without one, of the visible list. */
export const target = ({ request, query }: State): string => (request ?? { query }).query;

/** Number of posts that the next page has; 0 without one. */
export const nextPosts = ({ failure, placeholders, posts, pagination }: State): number =>
  !failure && placeholders.length === 0 && pagination.current_page < pagination.total_pages
    ? Math.min(pagination.per_page, Math.max(1, pagination.total - posts.length))
    : 0;

/** The value of the search field changed. */
export const typed =
  (input: string): Change =>
  (state) => ({ ...state, input });

/** Starts a search, unless its query is already shown or pending. `again` repeats what has failed. */
export const search =
  (input: string, again: boolean): Change =>
  (state) => {
    const query = input.trim();
    if (query !== target(state) || (again && state.failure)) {
      return { ...state, input, failure: null, request: { query, page: 1 } };
    }
    return input === state.input ? state : { ...state, input };
  };

/** Requests the next page. */
export const more: Change = (state) =>
  state.request || nextPosts(state) === 0
    ? state
    : { ...state, request: { query: state.query, page: state.pagination.current_page + 1 } };

/** Adds posts, except those that are in the list: newly published posts shift older ones to the next page. */
const joined = (posts: Post[], next: Post[]): Post[] => {
  const known = new Set(posts.map(({ id }) => id));
  return [...posts, ...next.filter(({ id }) => !known.has(id))];
};

/** The response to a request. */
export const answered =
  (request: ListRequest, { posts, pagination }: PostPage): Change =>
  (state) =>
    state.request !== request
      ? state
      : {
          ...state,
          request: null,
          query: request.query,
          posts: request.page > 1 ? joined(state.posts, posts) : posts,
          placeholders: [],
          pagination,
        };

/** A request has no response, or one that cannot be read. */
export const failed =
  (request: ListRequest): Change =>
  (state) => {
    if (state.request !== request) return state;
    const { query, page } = request;
    const { initial } = state;
    const settled: State = { ...state, request: null, query };
    if (page > 1) return initial.placeholders ? { ...settled, placeholders: ["", "", ""] } : { ...settled, failure: "more" };
    // No failure is shown for the list without a query, because the prerendered page is one, too.
    if (!query) return { ...settled, posts: initial.posts, pagination: initial.pagination, placeholders: [] };
    return initial.placeholders
      ? { ...settled, posts: [], placeholders: [query], pagination: { ...NOTHING.pagination, total: 1 } }
      : { ...settled, ...NOTHING, placeholders: [], failure: "search" };
  };

/** A list that was kept, and how far it was scrolled, in CSS pixels. */
export interface Place extends PostPage {
  query: string;
  top: number;
}

/**
 * The list is shown again as the visitor has left it. Without a query, it begins with the posts of the page, which may be
 * newer than those that were kept.
 */
export const restored =
  (place: Place): Change =>
  (state) => ({
    ...state,
    ...place,
    input: place.query,
    posts: place.query ? place.posts : joined(state.initial.posts, place.posts),
  });
