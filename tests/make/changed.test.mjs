// Checks the table tests/changed.yaml: each file has a row, each row is of use, and each test is selected by some source.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { DIVIDED, filterset, kinds, rowOf, select, table } from "../changed.mjs";

const files = spawnSync("git", ["ls-files"], { encoding: "utf8" }).stdout.trim().split("\n");
/** The modules of the integration tests, and the crates. */
const modules = [...readFileSync("tests/it/main.rs", "utf8").matchAll(/^mod (\w+);$/gm)].map(([, name]) => name);
const crates = readdirSync("crates").filter((name) => name !== "tsconfig.json");
/** Test files of a kind without their ending. */
const filesOf = (kind) =>
  readdirSync(`tests/${kind}`, { recursive: true })
    .filter((name) => String(name).endsWith(".test.mjs"))
    .map((name) => String(name).replace(/\.test\.mjs$/, ""));

test("each file of the repository has a row, and each row has a file", () => {
  assert.ok(files.length > 2_000, `${files.length} files`);
  const used = new Set();
  for (const file of files) {
    const found = rowOf(file);
    assert.ok(found, `${file} matches no row`);
    used.add(found.row.paths);
  }
  for (const { paths } of table) assert.ok(used.has(paths), `no file matches ${paths}`);
});

test("rows name kinds, files and modules that exist", () => {
  let seen = 0;
  for (const { paths, tests } of table) {
    if (tests === "everything") continue;
    for (const [kind, names] of Object.entries(tests)) {
      if (kind === "{name}") continue;
      assert.ok(kinds.includes(kind), `${paths}: ${kind}`);
      if (!Array.isArray(names)) continue;
      assert.ok(DIVIDED.includes(kind), `${paths}: ${kind} has no files`);
      const known = kind === "rust" ? [...modules, ...crates.map((name) => `crates/${name}`)] : filesOf(kind);
      for (const name of names.filter((name) => name !== "{name}")) {
        assert.ok(known.includes(name), `${paths}: ${kind} ${name}`);
        seen += 1;
      }
    }
  }
  assert.ok(seen > 100, `${seen} names`);
});

test("each kind, and each file of the kinds that are divided, is selected by a source", () => {
  // Of a test itself and of what everything is made with, this says nothing.
  const sources = files.filter((file) => !/^tests\/.*\.(test\.mjs|rs)$/.test(file) && rowOf(file).row.tests !== "everything");
  const selected = select(sources);
  for (const kind of kinds.filter((kind) => kind !== "build")) {
    const names = selected.get(kind);
    assert.ok(names, `no source selects ${kind}`);
    if (names === "all") continue;
    for (const name of kind === "rust" ? modules : filesOf(kind))
      assert.ok(names.includes(name), `no source selects ${kind} ${name}`);
  }
});

test("a change selects what it can break, and no more", () => {
  assert.deepEqual(
    [...select(["tests/browser/menu.test.mjs"])],
    [
      ["browser", ["menu"]],
      ["style", "all"],
      ["types", "all"],
    ],
  );
  assert.deepEqual([...select(["docs/forms.md"]).keys()], ["rust", "html", "content", "editors", "words", "make", "browser"]);
  assert.deepEqual(select(["tests/it/golden.rs"]).get("rust"), ["golden"]);
  assert.deepEqual(select(["tests/it/golden.rs", "crates/site/src/lib.rs"]).get("rust"), "all");
  assert.deepEqual([...select(["Cargo.lock"]).keys()], kinds);
  assert.deepEqual([...select(["a-file-that-nobody-knows"]).keys()], kinds);
  assert.equal(filterset(["crates/api", "leads"]), "package(api) + (binary(it) & test(/^leads::/))");
});
