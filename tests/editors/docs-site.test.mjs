// Builds the documentation as a site, and checks what it makes of a page.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { anchor, entry, id, listed } from "../../scripts/docs-site.mjs";

test("the documentation is a site without a mistake, with every page of its index", () => {
  const { status, stderr } = spawnSync("node", ["scripts/docs-site.mjs", "build"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const pages = listed(readFileSync("docs/README.md", "utf8"));
  assert.ok(pages.length > 75, `${pages.length} pages`);
  for (const { name } of pages) assert.ok(existsSync(`target/docs/docs/${name}/index.html`), name);
  const page = readFileSync("target/docs/docs/hosting/index.html", "utf8");
  for (const part of [
    'rel="prev"',
    'rel="next"',
    'href="#caching"',
    "/edit/main/docs/hosting.md",
    'href="/docs/security/#response-headers"',
  ])
    assert.ok(page.includes(part), part);
});

test("pages are read from the index with their shelves, each once", () => {
  const index = "# Index\n\n## Start\n\n1. [A](a.md)\n\n## Guides\n\n### Blog\n\n- [B](b.md), [A](a.md) and [out](../x.md)\n";
  assert.deepEqual(listed(index), [
    { name: "a", shelf: "Start", group: "" },
    { name: "b", shelf: "Guides", group: "Blog" },
  ]);
});

test("links lead to pages and headings of the site, and others to the repository", () => {
  const known = new Map([["other", new Map([["its-part", "it-s-part"]])]]);
  const text =
    "# A page\n\nThis page is for *you*. More.\n\n## What it's for\n\n[x](other.md#its-part) [y](../Makefile) [z](#what-its-for) `[c](other.md)`\n";
  const made = entry(text, known);
  assert.deepEqual([made.title, made.summary], ["A page", "For you."]);
  assert.deepEqual(made.contents, [{ id: "what-it-s-for", text: "What it's for" }]);
  assert.ok(made.body.includes("[x](/docs/other/#it-s-part)"), made.body);
  assert.ok(made.body.includes("/blob/main/Makefile)") && made.body.includes("[z](#what-it-s-for)"), made.body);
  assert.ok(made.body.includes("`[c](other.md)`"), made.body);
});

test("a heading has the anchor of GitHub and the id of the site", () => {
  assert.deepEqual([anchor("What it's for"), id("What it's for")], ["what-its-for", "what-it-s-for"]);
});
