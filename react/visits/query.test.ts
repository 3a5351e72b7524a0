// Tests of what is told of a query.

import assert from "node:assert/strict";
import { test } from "node:test";
import { harmless } from "./query";

test("addresses and numbers of persons are not told", () => {
  for (const query of ["ana@example.com", "+57 315 555 01", "id ١٢٣٤٥٦", "  "]) assert.equal(harmless(query), "", query);
});

test("words are told, in one spelling and cut", () => {
  assert.equal(harmless("  Root   Canal 2026 "), "root canal 2026");
  assert.equal(harmless("😀".repeat(100)), "😀".repeat(60));
});
