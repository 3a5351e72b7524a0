// Tests of texts and queries of the search of all pages, over the texts that the build is tested with.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { readable, wanted } from "./text";

// Tests run in the root of the repository.
const TEXTS: [string, string, string][] = JSON.parse(readFileSync("tests/findable.json", "utf8"));

it("shows the texts of pages as they are", () => {
  assert.ok(TEXTS.length > 10);
  for (const [, text, indexed] of TEXTS) assert.equal(readable(indexed), text);
  assert.equal(readable("l’\u{f0027} <mark>coeur-\u{f0153}\u{100002}</mark>"), "l’<mark>cœur</mark>");
});

it("looks up words as they are in the index", () => {
  assert.equal(wanted("L’Œuvre", "fr-CA"), "oeuvre");
  assert.equal(wanted("ŁÓDŹ IŞIK", "pl"), "lódź işik");
  assert.equal(wanted("belle-sœur coŀlecció col·legi", "ca"), "belle-soeur collecció collegi");
  assert.equal(wanted("C++ O’Brien", "en"), "c++ o’brien");
});
