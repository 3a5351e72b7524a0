// Tests of the requests to the posts API, and of the parser for its responses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { PostsAnswer } from "../../generated/wire";
import { address, read, type Source } from "./answer";

const source: Source = { api: "/api/posts", lang: null, tagSlug: null, pagination: { per_page: 10 } };

describe("the request URL", () => {
  it("requests a page in order of date, newest first", () => {
    const asked = address(source, { query: "", page: 2 });
    assert.equal(asked, "/api/posts?per_page=10&page=2&orderby=date&order=desc");
  });
  it("encodes the query, and includes the tag and language", () => {
    const asked = new URL(
      address({ ...source, lang: "es", tagSlug: "automatización" }, { query: "a&b=c %ñ", page: 1 }),
      "https://site.test",
    );
    assert.deepEqual(
      [asked.searchParams.get("search"), asked.searchParams.get("tag"), asked.searchParams.get("lang")],
      ["a&b=c %ñ", "automatización", "es"],
    );
    assert.ok(!asked.search.includes("%ñ"));
  });
});

describe("a response", () => {
  for (const wrong of [[], [{ posts: [] }], null, "posts", 3, true, undefined]) {
    it(`is rejected if it is ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => read(wrong), /invalid response format/);
    });
  }
  for (const posts of [undefined, null, {}, "a", 3]) {
    it(`is empty if its posts are ${JSON.stringify(posts)}`, () => {
      assert.deepEqual(read({ posts }).posts, []);
    });
  }
  it("may lack pagination", () => {
    assert.deepEqual(read({ posts: [{ id: 7 }] }).pagination, { total: 1, total_pages: 1, current_page: 1, per_page: 10 });
  });
  it("gets the specified defaults for missing fields of a post", () => {
    const [post] = read({ posts: [{ id: 7, author: null, featured_image: 3 }] }).posts;
    assert.deepEqual([post?.id, post?.slug, post?.title, post?.author, post?.featured_image], ["7", "post-7", "", null, null]);
  });
  it("may contain posts that are not objects", () => {
    const { posts } = read({ posts: [null, 3, "a", []] });
    assert.equal(new Set(posts.map(({ id }) => id)).size, 4, "the list can tell them apart");
  });
  it("keeps the sizes of a picture", () => {
    const image = {
      source_url: "/a.jpg",
      alt_text: "A",
      media_details: { sizes: { medium_large: { source_url: "/m.webp" }, large: 3 } },
    };
    const [post] = read({ posts: [{ id: "a", featured_image: image }] }).posts;
    assert.deepEqual(post?.featured_image?.media_details?.sizes, { medium_large: { source_url: "/m.webp" }, large: null });
  });
  it("keeps the point of a picture, if it is one", () => {
    const points = [[0.3, 1], "0.3", null];
    const { posts } = read({ posts: points.map((focus) => ({ featured_image: { source_url: "/a.jpg", focus } })) });
    assert.deepEqual(
      posts.map((post) => post.featured_image?.focus),
      [[0.3, 1], null, null],
    );
  });
});

/** Requests and responses that the tests of the API replay, too. */
const exchanges: { request: string; status: number; answer: unknown }[] = JSON.parse(
  readFileSync("tests/api/exchanges.json", "utf8"),
);

describe("responses of the API", () => {
  const lists = exchanges.filter(({ request, status }) => request.startsWith("GET /api/posts") && status === 200);
  it("exist", () => assert.ok(lists.length > 0));
  for (const { request, answer } of lists) {
    it(`keep all fields that the list shows: ${request}`, () => {
      const { posts, pagination } = answer as PostsAnswer;
      const found = read(answer);
      assert.deepEqual(found.pagination, pagination);
      const shown = posts.map(({ id, title, slug, link, date, excerpt, author: { name }, featured_image, cover }) => {
        const image = featured_image && { ...featured_image, focus: featured_image.focus ?? null };
        const texts = { id, title, slug, link, date: date ?? "", excerpt, cover: cover ?? "" };
        return { ...texts, author: { name }, featured_image: image };
      });
      assert.deepEqual(found.posts, shown);
    });
  }
});
