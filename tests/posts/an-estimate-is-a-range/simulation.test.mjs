// The simulation gives the hours that both posts name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, post, run } from "../posts.mjs";

for (const [slug, sums] of [
  [
    "an-estimate-is-a-range",
    /add up to (\d+) hours and the high ends to (\d+)\. The program says: half the time under (\d+), nine times out of ten under (\d+)/,
  ],
  [
    "un-estimado-es-un-rango",
    /suman (\d+) horas; los altos, (\d+)\. El programa dice: la mitad de las veces menos de (\d+), nueve de cada diez menos de (\d+)/,
  ],
]) {
  test(`${slug}: the hours are those of the program`, () => {
    const said = sums.exec(post(slug)).slice(1).map(Number);
    const [program] = code(slug, "python");
    const given = run("python3", ["-c", `import random\nrandom.seed(5)\n${program}`])
      .stdout.match(/\d+/g)
      .map(Number);
    const tasks = [...program.matchAll(/\((\d+), (\d+)\)/g)].map(([, low, high]) => [Number(low), Number(high)]);
    assert.deepEqual(
      said.slice(0, 2),
      [0, 1].map((end) => tasks.reduce((sum, task) => sum + task[end], 0)),
    );
    for (const [index, hours] of said.slice(2).entries()) assert.ok(Math.abs(hours - given[index]) <= 1, `${hours} and ${given}`);
  });
}
