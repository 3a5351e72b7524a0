// Tests `bench/report` with measurements that are made up: the table of goals, and the document.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "report-"));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const part of ["report", "profiles.md", "corpus.py", "harness"])
  cpSync(join("bench", part), join(folder, "bench", part), { recursive: true });
mkdirSync(join(folder, "target/bench"), { recursive: true });

const MACHINE = { processor: "a processor", cores: 2, memory_gib: 4, system: "Linux" };
const API = { bytes: 11e6, start: 9, start_worst: 12, starts: 20, memory: 5, searches: 1000, is_given: false };
const KILLS = { kills: 200, confirmed: 100, retried: 9, stored: 100, lost: 0, files: 20, lost_files: 1, doubled: 0 };

/** Runs the program with these results. Returns what it printed. */
function report(results, ...words) {
  writeFileSync(
    join(folder, "target/bench/results.json"),
    JSON.stringify({ machine: MACHINE, measured: "2026-01-01", ...results }),
  );
  const run = spawnSync("python3", ["bench/report", ...words], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PYTHONIOENCODING: "utf-8" },
  });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

/** The columns after the name of a goal. */
function goal(text, name) {
  const line = text.split("\n").find((own) => own.startsWith(`${name} `));
  assert.ok(line, `${name}\n${text}`);
  return line
    .slice(name.length)
    .trim()
    .split(/\s{2,}/);
}

test("a goal is reached, missed or not measured, and never left out", () => {
  const text = report({ api: API, kills: KILLS });
  assert.deepEqual(goal(text, "the API as a program, stripped"), ["≤ 12.0 MB", "11.0 MB", "reached"]);
  assert.deepEqual(goal(text, "start of the API to its first answer"), ["≤ 8.0 ms", "9.0 ms", "missed, 1.12 times the limit"]);
  assert.deepEqual(goal(text, "confirmed leads that are lost in 200 kills"), ["≤ 0", "0", "reached"]);
  assert.deepEqual(goal(text, "files of confirmed leads that are lost in 200 kills"), ["≤ 0", "1", "missed"]);
  assert.deepEqual(goal(text, "clean build, 15,000 posts, wall time"), ["≤ 0.150 × Hugo", "not measured"]);
  const goals = (results) => report(results).split("\n").length;
  assert.equal(goals({ api: API, kills: KILLS }), goals({}));
});

test("a smaller measurement reaches no goal", () => {
  const text = report({ kills: { ...KILLS, kills: 3 }, extras: { posts: 60, variants: { search: { ratio: 1 } } } });
  assert.deepEqual(goal(text, "confirmed leads that are lost in 200 kills"), ["≤ 0", "not measured"]);
  assert.deepEqual(goal(text, "clean build with the index for the search, 1,500 posts"), [
    "≤ 1.30 × a plain build",
    "not measured",
  ]);
});

test("the document has the figures and the goals", () => {
  report({ api: API, kills: KILLS }, "--write");
  const text = readFileSync(join(folder, "bench/RESULTS.md"), "utf8");
  assert.match(text, /^\| size, stripped \| 11\.0 MB \|$/m);
  assert.match(text, /^\| 200 \| 100 \| 9 \| 100 \| 0 \| 20 \| 1 \| 0 \|$/m);
  assert.match(text, /^\| leads stored, p99 \| ≤ 5\.0 ms \| not measured \| {2}\|$/m);
  assert.match(text, /^## What is missed, and where its time goes$/m);
});
