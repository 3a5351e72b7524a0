// Tests the check of the licenses of npm packages: what it lets in, and what not.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { isAllowed, refused } from "../../scripts/npm-licenses.mjs";

const lock = (packages) => ({
  packages: Object.fromEntries([
    ["", { license: "none" }],
    ...Object.entries(packages).map(([name, about]) => [`node_modules/${name}`, about]),
  ]),
});

test("the packages of this repository have licenses that are allowed", () => {
  const run = spawnSync("node", ["scripts/npm-licenses.mjs"], { encoding: "utf8" });
  assert.deepEqual([run.status, run.stderr], [0, ""]);
});

test("an expression needs all parts of an AND, and one part of an OR", () => {
  assert.ok(isAllowed("(MIT OR GPL-3.0)", ["MIT"]));
  assert.ok(isAllowed("MIT AND ISC", ["MIT", "ISC"]));
  assert.ok(!isAllowed("MIT AND GPL-3.0", ["MIT"]));
});

test("a package without a license, with one that is not listed, or with one for tools in a site is refused", () => {
  const packages = {
    fine: { license: "MIT" },
    unknown: {},
    copyleft: { license: "GPL-3.0-only", dev: true },
    tool: { license: "MPL-2.0", dev: true },
    shipped: { license: "MPL-2.0" },
    "outer/node_modules/@scope/inner": { license: "AGPL-3.0" },
  };
  assert.deepEqual(refused(lock(packages)), [
    "unknown: none",
    "copyleft: GPL-3.0-only",
    "shipped: MPL-2.0",
    "@scope/inner: AGPL-3.0",
  ]);
  assert.deepEqual(refused(lock({ shipped: { license: "MPL-2.0" } }), true), []);
});
