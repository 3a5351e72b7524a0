// Tests of the words of a query, over the queries that the search index is tested with.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { hasAll, wordsOf } from "./match";

// Tests run in the root of the repository.
const QUERIES: [string, string, string][] = JSON.parse(readFileSync("tests/queries.json", "utf8"));

it("reads the words of a query as the search index does", () => {
  assert.deepEqual(
    QUERIES.map(([language, query]) => wordsOf(query, language).join(" ")),
    QUERIES.map(([, , words]) => words),
  );
});

it("finds all words in any place", () => {
  assert.ok(hasAll("typescript and react", wordsOf("React  TypeScript", "en")));
  assert.ok(!hasAll("typescript", wordsOf("react typescript", "en")));
  assert.ok(hasAll("c++, .net", wordsOf("C++ .NET", "en")), "other signs are searched");
  assert.ok(hasAll("anything", wordsOf(" ", "en")));
});
