// Saves of the forms for a Git host: which values a file gets that others have changed, by the rules of the preview.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { Conflict, merge } from "../../crates/desk/src/page/merge.js";

/** The cases that the preview is tested with, too. */
const CASES = JSON.parse(readFileSync(new URL("../merges.json", import.meta.url), "utf8"));

/** The result in the shape of a case. */
const result = ({ base, form, file }) => {
  try {
    return { merged: merge(base, form, file) };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { conflict: error.path };
  }
};

it("values of a form are merged as in the preview", () => {
  assert.ok(CASES.length > 20);
  for (const { base, form, file, ...expected } of CASES) {
    const { merged, conflict } = result({ base, form, file });
    assert.deepEqual(
      { merged, conflict },
      { merged: expected.merged, conflict: expected.conflict },
      JSON.stringify({ base, form, file }),
    );
  }
});
