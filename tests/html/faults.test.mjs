// Each fault of tests/faults/faults.yaml replaces a text that stands once in its file: one that stands nowhere is found out
// by the run each night only.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("faults that are planted", () => {
  for (const { name, file, find } of parse(readFileSync(`${ROOT}tests/faults/faults.yaml`, "utf8"))) {
    it(name, () => {
      const times = readFileSync(ROOT + file, "utf8").split(find).length - 1;
      assert.equal(times, 1, `${file} holds the text ${times} times: ${find}`);
    });
  }
});
