// Tests of the list's state machine: every event in every state, and the sequences in the specification.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Action, type Post, type PostPage, reduce, type State, start, target } from "./state";

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

const initial = found(["a", "b"], 1, 3);
const fresh = start(initial, false, false);
const after = (state: State, ...events: Action[]): State => events.reduce(reduce, state);
const ids = ({ entries }: State): string[] => entries.map((entry) => (entry.kind === "post" ? entry.post.id : entry.kind));
const type = (text: string): Action => ({ type: "typed", text });
const answer = (state: State, answer: PostPage): State =>
  reduce(state, { type: "answered", id: state.request?.id ?? -1, found: answer });
const fail = (state: State): State => reduce(state, { type: "failed", id: state.request?.id ?? -1 });

const searching = after(fresh, type(" queue "), { type: "paused" });
const results = answer(searching, found(["c"], 1, 1));
const states: Record<string, State> = {
  fresh,
  typing: after(fresh, type("queue")),
  searching,
  results,
  "results with more": answer(searching, found(["c", "d"], 1, 2)),
  "nothing found": answer(searching, found([], 1, 1)),
  "loading more": after(fresh, { type: "more" }),
  "all loaded": answer(
    after(answer(after(fresh, { type: "more" }), found(["c", "d"], 2, 3)), { type: "more" }),
    found(["e"], 3, 3),
  ),
  resetting: after(results, { type: "cleared" }),
  "failed search": fail(searching),
  "failed search with a placeholder": fail(after(start(initial, false, true), type("queue"), { type: "paused" })),
  "failed more": fail(after(fresh, { type: "more" })),
  "failed more with placeholders": fail(after(start(initial, false, true), { type: "more" })),
  "page with an error": start(found([], 1, 1), true, false),
};
const events: Record<string, (state: State) => Action> = {
  typed: () => type("other"),
  "typed nothing": () => type("  "),
  paused: () => ({ type: "paused" }),
  submitted: () => ({ type: "submitted" }),
  cleared: () => ({ type: "cleared" }),
  more: () => ({ type: "more" }),
  "returned to a query": () => ({ type: "returned", query: "back" }),
  "returned to the list": () => ({ type: "returned", query: "" }),
  answered: ({ request }) => ({ type: "answered", id: request?.id ?? 0, found: found(["x"], 1, 2) }),
  "answered too late": ({ request }) => ({ type: "answered", id: (request?.id ?? 1) - 1, found: found(["late"], 1, 2) }),
  failed: ({ request }) => ({ type: "failed", id: request?.id ?? 0 }),
  "failed too late": ({ request }) => ({ type: "failed", id: (request?.id ?? 1) - 1 }),
};

describe("every event in every state", () => {
  for (const [where, state] of Object.entries(states)) {
    for (const [what, event] of Object.entries(events)) {
      it(`${where}: ${what}`, () => {
        const frozen = structuredClone(state);
        const next = reduce(state, event(state));
        assert.deepEqual(state, frozen, "the state before is left alone");
        assert.ok(next.requests === state.requests || next.requests === state.requests + 1, "one request at a time");
        if (next.requests > state.requests) assert.equal(next.request?.id, next.requests, "the newest is what counts");
        if (next.request) assert.equal(next.failure, null, "what is being asked for has not failed");
        if (next.failure) assert.equal(next.hasMore, false, "nothing follows a failure");
        if (next.request?.purpose === "more") assert.equal(next.request.query, next.query);
        if (next.request?.purpose === "reset") assert.equal(target(next), "");
        assert.equal(
          new Set(ids(next).filter((id) => id !== "placeholder")).size,
          ids(next).filter((id) => id !== "placeholder").length,
        );
        if (what.endsWith("too late") || (!state.request && (what === "answered" || what === "failed")))
          assert.equal(next, state);
        if (what === "more" && (state.request || !state.hasMore)) assert.equal(next, state);
        if (what.startsWith("typed")) assert.deepEqual({ ...next, input: state.input }, state, "typing alone asks for nothing");
      });
    }
  }
});

describe("searching", () => {
  it("starts after the delay, with the trimmed query and page 1", () => {
    assert.deepEqual(searching.request, { id: 1, purpose: "search", query: "queue", page: 1 });
    assert.deepEqual(ids(searching), ["a", "b"], "the old list stays until the answer is there");
    assert.deepEqual(ids(results), ["c"]);
    assert.equal(results.query, "queue");
  });
  it("does not request results that are already shown or pending", () => {
    assert.equal(after(searching, { type: "paused" }), searching);
    assert.equal(after(results, type("queue  "), { type: "paused" }).request, null);
  });
  it("replaces an earlier search, whose response is ignored", () => {
    const second = after(searching, type("queues"), { type: "paused" });
    assert.equal(second.request?.query, "queues");
    assert.equal(reduce(second, { type: "answered", id: 1, found: found(["old"], 1, 1) }), second);
  });
  it("replaces a pending request for the next page", () => {
    const state = after(fresh, { type: "more" }, type("queue"), { type: "submitted" });
    assert.equal(state.request?.purpose, "search");
  });
  it("requests the list if the query is cleared", () => {
    assert.deepEqual(after(results, type("   "), { type: "paused" }).request, { id: 2, purpose: "reset", query: "", page: 1 });
    assert.equal(after(results, { type: "cleared" }).input, "");
  });
  it("falls back to the prerendered posts if that request fails", () => {
    const state = fail(states.resetting as State);
    assert.deepEqual(ids(state), ["a", "b"]);
    assert.equal(state.failure, null);
    assert.equal(state.hasMore, true);
  });
  it("clears the list on failure, and can be submitted again", () => {
    const state = states["failed search"] as State;
    assert.deepEqual([ids(state), state.pagination.total, state.failure], [[], 0, "search"]);
    assert.equal(after(state, { type: "paused" }), state, "a pause alone does not");
    assert.equal(after(state, { type: "submitted" }).request?.query, "queue");
    assert.equal(after(state, { type: "cleared" }).request?.purpose, "reset");
  });
  it("shows one placeholder with the query in placeholder mode", () => {
    const state = states["failed search with a placeholder"] as State;
    assert.deepEqual(state.entries, [{ kind: "placeholder", id: "result", query: "queue" }]);
    assert.deepEqual([state.hasMore, state.failure], [false, null]);
  });
});

describe("loading more", () => {
  it("requests the next page once, and appends it", () => {
    const state = states["loading more"] as State;
    assert.deepEqual(state.request, { id: 1, purpose: "more", query: "", page: 2 });
    assert.equal(after(state, { type: "more" }), state);
    assert.deepEqual(ids(answer(state, found(["c", "d"], 2, 3))), ["a", "b", "c", "d"]);
  });
  it("skips posts that are already in the list", () => {
    assert.deepEqual(ids(answer(states["loading more"] as State, found(["b", "c"], 2, 3))), ["a", "b", "c"]);
  });
  it("stops after the last page", () => {
    assert.equal((states["all loaded"] as State).hasMore, false);
    assert.deepEqual(ids(states["all loaded"] as State), ["a", "b", "c", "d", "e"]);
  });
  it("keeps the query", () => {
    assert.equal(after(states["results with more"] as State, { type: "more" }).request?.query, "queue");
  });
  it("stops on failure, and keeps the posts in the list", () => {
    const state = states["failed more"] as State;
    assert.deepEqual([ids(state), state.hasMore, state.failure], [["a", "b"], false, "more"]);
  });
  it("appends placeholders in placeholder mode", () => {
    const state = states["failed more with placeholders"] as State;
    assert.deepEqual(ids(state), ["a", "b", "placeholder", "placeholder", "placeholder"]);
    assert.deepEqual([state.hasMore, state.failure], [false, null]);
  });
});

describe("a page that was prerendered with an error", () => {
  it("has no posts, and can be searched", () => {
    const state = states["page with an error"] as State;
    assert.deepEqual([ids(state), state.failure, state.hasMore], [[], "page", false]);
    assert.equal(answer(after(state, type("queue"), { type: "paused" }), found(["c"], 1, 1)).failure, null);
  });
});

describe("a list that the visitor comes back to", () => {
  const back = (query: string, ids: string[]): State => after(fresh, { type: "restored", query, found: found(ids, 2, 3) });

  it("begins with the posts of the page, which may be newer, and goes on with those that were kept", () => {
    const state = back("", ["b", "c", "d"]);
    assert.deepEqual(ids(state), ["a", "b", "c", "d"]);
    assert.equal(state.hasMore, true);
    assert.equal(after(state, { type: "more" }).request?.page, 3);
  });

  it("shows kept results without another request", () => {
    const state = after(back("queue", ["x"]), { type: "returned", query: "queue" });
    assert.deepEqual([ids(state), state.input, state.request], [["x"], "queue", null]);
  });
});
