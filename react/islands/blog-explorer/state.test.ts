// Tests of the list's state: every change in every state, and the sequences in the specification.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  answered,
  type Change,
  failed,
  more,
  nextPosts,
  type Post,
  type PostPage,
  restored,
  type State,
  search,
  start,
  target,
  typed,
} from "./state";

const post = (id: string): Post => ({
  id,
  title: `Post ${id}`,
  slug: id,
  link: `/blog/${id}/`,
  date: null,
  excerpt: "",
  author: { name: "" },
  featured_image: null,
  cover: null,
});

const found = (ids: string[], page: number, pages: number): PostPage => ({
  posts: ids.map(post),
  pagination: { total: pages * 2, total_pages: pages, current_page: page, per_page: 2 },
});

const initial = { ...found(["a", "b"], 1, 3), error: false, placeholders: false };
const fresh = start(initial);
const withPlaceholders = start({ ...initial, placeholders: true });
const after = (state: State, ...changes: Change[]): State => changes.reduce((before, change) => change(before), state);
const ids = ({ posts, placeholders }: State): string[] => [
  ...posts.map(({ id }) => id),
  ...placeholders.map(() => "placeholder"),
];
/** A request that no state has asked for, or none any more. */
const late = { query: "late", page: 1 };
const answer = (state: State, answer: PostPage): State => answered(state.request ?? late, answer)(state);
const fail = (state: State): State => failed(state.request ?? late)(state);
/** The visitor pauses, or sends the form. */
const paused: Change = (state) => search(state.input, false)(state);
const submitted: Change = (state) => search(state.input, true)(state);
const cleared = search("", false);

const searching = after(fresh, typed(" queue "), paused);
const results = answer(searching, found(["c"], 1, 1));
const states: Record<string, State> = {
  fresh,
  typing: after(fresh, typed("queue")),
  searching,
  results,
  "results with more": answer(searching, found(["c", "d"], 1, 2)),
  "nothing found": answer(searching, found([], 1, 1)),
  "loading more": after(fresh, more),
  "all loaded": answer(after(answer(after(fresh, more), found(["c", "d"], 2, 3)), more), found(["e"], 3, 3)),
  resetting: after(results, cleared),
  "failed search": fail(searching),
  "failed search with a placeholder": fail(after(withPlaceholders, typed("queue"), paused)),
  "failed more": fail(after(fresh, more)),
  "failed more with placeholders": fail(after(withPlaceholders, more)),
  "page with an error": start({ ...found([], 1, 1), error: true, placeholders: false }),
};
const events: Record<string, (state: State) => Change> = {
  typed: () => typed("other"),
  "typed nothing": () => typed("  "),
  paused: () => paused,
  submitted: () => submitted,
  cleared: () => cleared,
  more: () => more,
  "returned to a query": () => search("back", false),
  "returned to the list": () => search("", false),
  answered: ({ request }) => answered(request ?? late, found(["x"], 1, 2)),
  "answered too late": () => answered(late, found(["late"], 1, 2)),
  failed: ({ request }) => failed(request ?? late),
  "failed too late": () => failed(late),
};

describe("every event in every state", () => {
  for (const [where, state] of Object.entries(states)) {
    for (const [what, event] of Object.entries(events)) {
      it(`${where}: ${what}`, () => {
        const frozen = structuredClone(state);
        const next = event(state)(state);
        assert.deepEqual(state, frozen, "the state before is left alone");
        if (next.request) assert.equal(next.failure, null, "what is being asked for has not failed");
        if (next.failure) assert.equal(nextPosts(next), 0, "nothing follows a failure");
        if (next.request) assert.equal(target(next), next.request.query, "the list is about to show what is being asked for");
        if (next.request && next.request.page > 1) assert.equal(next.request.query, next.query);
        const named = next.posts.map(({ id }) => id);
        assert.equal(new Set(named).size, named.length, "no post is there twice");
        if (what.endsWith("too late") || (!state.request && (what === "answered" || what === "failed")))
          assert.equal(next, state);
        if (what === "more" && (state.request || nextPosts(state) === 0)) assert.equal(next, state);
        if (what.startsWith("typed")) assert.deepEqual({ ...next, input: state.input }, state, "typing alone asks for nothing");
      });
    }
  }
});

describe("searching", () => {
  it("starts after the delay, with the trimmed query and page 1", () => {
    assert.deepEqual(searching.request, { query: "queue", page: 1 });
    assert.deepEqual(ids(searching), ["a", "b"], "the old list stays until the answer is there");
    assert.deepEqual(ids(results), ["c"]);
    assert.equal(results.query, "queue");
  });
  it("does not request results that are already shown or pending", () => {
    assert.equal(after(searching, paused), searching);
    assert.equal(after(results, typed("queue  "), paused).request, null);
  });
  it("replaces an earlier search, whose response is ignored", () => {
    const second = after(searching, typed("queues"), paused);
    assert.equal(second.request?.query, "queues");
    assert.equal(answered(searching.request ?? late, found(["old"], 1, 1))(second), second);
  });
  it("replaces a pending request for the next page", () => {
    const state = after(fresh, more, typed("queue"), submitted);
    assert.deepEqual(state.request, { query: "queue", page: 1 });
  });
  it("requests the list if the query is cleared", () => {
    assert.deepEqual(after(results, typed("   "), paused).request, { query: "", page: 1 });
    assert.equal(after(results, cleared).input, "");
  });
  it("falls back to the prerendered posts if that request fails", () => {
    const state = fail(states.resetting as State);
    assert.deepEqual(ids(state), ["a", "b"]);
    assert.equal(state.failure, null);
    assert.ok(nextPosts(state) > 0);
  });
  it("clears the list on failure, and can be submitted again", () => {
    const state = states["failed search"] as State;
    assert.deepEqual([ids(state), state.pagination.total, state.failure], [[], 0, "search"]);
    assert.equal(after(state, paused), state, "a pause alone does not");
    assert.equal(after(state, submitted).request?.query, "queue");
    assert.deepEqual(after(state, cleared).request, { query: "", page: 1 });
  });
  it("shows one placeholder with the query in placeholder mode", () => {
    const state = states["failed search with a placeholder"] as State;
    assert.deepEqual([state.posts, state.placeholders, state.pagination.total], [[], ["queue"], 1]);
    assert.deepEqual([nextPosts(state), state.failure], [0, null]);
  });
});

describe("loading more", () => {
  it("requests the next page once, and appends it", () => {
    const state = states["loading more"] as State;
    assert.deepEqual(state.request, { query: "", page: 2 });
    assert.equal(after(state, more), state);
    assert.deepEqual(ids(answer(state, found(["c", "d"], 2, 3))), ["a", "b", "c", "d"]);
  });
  it("skips posts that are already in the list", () => {
    assert.deepEqual(ids(answer(states["loading more"] as State, found(["b", "c"], 2, 3))), ["a", "b", "c"]);
  });
  it("stops after the last page", () => {
    assert.equal(nextPosts(states["all loaded"] as State), 0);
    assert.deepEqual(ids(states["all loaded"] as State), ["a", "b", "c", "d", "e"]);
  });
  it("keeps the query", () => {
    assert.equal(after(states["results with more"] as State, more).request?.query, "queue");
  });
  it("stops on failure, and keeps the posts in the list", () => {
    const state = states["failed more"] as State;
    assert.deepEqual([ids(state), nextPosts(state), state.failure], [["a", "b"], 0, "more"]);
  });
  it("appends placeholders in placeholder mode", () => {
    const state = states["failed more with placeholders"] as State;
    assert.deepEqual(ids(state), ["a", "b", "placeholder", "placeholder", "placeholder"]);
    assert.deepEqual([nextPosts(state), state.failure], [0, null]);
  });
});

describe("a page that was prerendered with an error", () => {
  it("has no posts, and can be searched", () => {
    const state = states["page with an error"] as State;
    assert.deepEqual([ids(state), state.failure, nextPosts(state)], [[], "page", 0]);
    assert.equal(answer(after(state, typed("queue"), paused), found(["c"], 1, 1)).failure, null);
  });
});

describe("a list that the visitor comes back to", () => {
  const back = (query: string, ids: string[]): State => restored({ query, top: 900, ...found(ids, 2, 3) })(fresh);

  it("begins with the posts of the page, which may be newer, and goes on with those that were kept", () => {
    const state = back("", ["b", "c", "d"]);
    assert.deepEqual(ids(state), ["a", "b", "c", "d"]);
    assert.ok(nextPosts(state) > 0);
    assert.equal(after(state, more).request?.page, 3);
  });

  it("shows kept results without another request", () => {
    const state = after(back("queue", ["x"]), search("queue", false));
    assert.deepEqual([ids(state), state.input, state.request], [["x"], "queue", null]);
  });
});
