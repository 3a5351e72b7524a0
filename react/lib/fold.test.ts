// Tests of the form in which searches compare texts, over the words that the search index is tested with.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { fold } from "./fold";

// Tests run in the root of the repository.
const WORDS: [string, string][] = JSON.parse(readFileSync("tests/fold.json", "utf8"));

it("folds words as the search index does", () => {
  assert.deepEqual(
    WORDS.map(([written]) => fold(written)),
    WORDS.map(([, folded]) => folded),
  );
});

it("changes nothing of what it has folded", () => {
  for (const [written] of WORDS) assert.equal(fold(fold(written)), fold(written));
});

it("keeps what separates words", () => {
  assert.equal(fold("Año nuevo, #56DA00.\n¡Sí!"), "ano nuevo, #56da00.\n¡si!");
});
