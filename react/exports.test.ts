// A test of all scripts: what a module exports, another one uses, or a test.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";

const FOLDER = "react";

const modules = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), "utf8") }));

/** A name that a module exports. The build and the islands' loader find a default export by its file. */
const EXPORTED = /^export (?:async )?(?:const|function|interface|type|class) (\w+)/gm;

it("no module exports what nobody uses", () => {
  const names = modules
    .filter(({ path }) => !path.startsWith("generated"))
    .flatMap(({ path, text }) => [...text.matchAll(EXPORTED)].map(([, name]) => ({ path, name })));
  assert.ok(names.length > 100, `${names.length}`);
  const unused = names.filter(
    ({ path, name }) => !modules.some((other) => other.path !== path && new RegExp(`\\b${name}\\b`).test(other.text)),
  );
  assert.deepEqual(
    unused.map(({ path, name }) => `${path}: ${name}`),
    [],
  );
});
