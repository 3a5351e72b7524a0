// Tests what `make` says while it compiles, and that npm and the compiler run beside each other.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Estimate, parseBar, timeShare } from "../../scripts/progress.mjs";

test("cargo's bar is read, the last one of several", () => {
  assert.deepEqual(
    parseBar("    Building [====>        ] 12/383: serde, syn\r    Building [====>        ] 14/383: syn"),
    [14, 383],
  );
  assert.equal(parseBar("   Compiling syn v2.0.1"), undefined);
});

test("the share of the time never falls, and ends at one", () => {
  let last = 0;
  for (let units = 0; units <= 100; units += 1) {
    const share = timeShare(units / 100);
    assert.ok(share >= last && share <= 1, `${units} %: ${share}`);
    last = share;
  }
  assert.equal(last, 1);
  assert.equal(timeShare(1.2), 1);
});

test("the line names the units and the minutes that are left", () => {
  const estimate = new Estimate();
  estimate.update(0, 383, 0);
  assert.equal(estimate.line(0), "compiling 0 of 383");
  estimate.update(230, 383, 60);
  assert.match(estimate.line(60), /^compiling 230 of 383, about [3-6] minutes left$/);
  // Nothing has ended for a while, and yet time has passed.
  assert.notEqual(estimate.line(180), estimate.line(60));
  estimate.update(383, 383, 290);
  assert.equal(estimate.line(290), "compiling 383 of 383, about a minute left");
  // cargo has counted one more than it had announced.
  estimate.update(384, 383, 290);
  assert.match(estimate.line(290), /^compiling 383 of 383/);
});

test("what was compiled before does not count as speed", () => {
  const estimate = new Estimate();
  estimate.update(370, 383, 0);
  estimate.update(376, 383, 30);
  assert.match(estimate.line(30), /^compiling 376 of 383, about [1-3a] minutes? left$/);
});

test("without a terminal the command prints what it prints by itself, and its status is kept", () => {
  const run = spawnSync("node", ["scripts/progress.mjs", "bash", "-c", "echo '   Compiling a' >&2; exit 7"], {
    encoding: "utf8",
  });
  assert.deepEqual([run.status, run.stderr], [7, "   Compiling a\n"]);
});

test("of two commands at once, the second is stopped if the first one fails", () => {
  const beside = (first, second) => spawnSync("scripts/beside", ["bash", "-c", first, "--", "bash", "-c", second]).status;
  assert.equal(beside("exit 3", "sleep 600"), 3);
  assert.equal(beside("true", "exit 4"), 4);
  assert.equal(beside("true", "true"), 0);
});

test("a command line without two commands is refused", () => {
  const run = spawnSync("scripts/beside", ["true"], { encoding: "utf8" });
  assert.equal(run.status, 2);
  assert.match(run.stderr, /^usage: /);
});
