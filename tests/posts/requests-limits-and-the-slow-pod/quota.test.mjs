// A pod of four workers under the kernel's quota, in steps of 0.1 ms, with the load of the post: two bursts of four requests a
// second, each request 40 ms of CPU. The table and the numbers of cpu.stat in the post are what this gives for an hour.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, post } from "../posts.mjs";

const PERIOD = 1000;
const NEED = 400;
const SECONDS = 3600;

/** Numbers between 0 and 1, the same each time. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 7), state | 61) ^ state;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hour(limit) {
  const next = random(7);
  const latencies = [];
  let [periods, throttled, used] = [0, 0, 0];
  for (let burst = 0; burst < SECONDS * 2; burst++) {
    const start = burst * 5 * PERIOD + Math.floor(next() * PERIOD);
    let now = start;
    let left = NEED;
    const seen = new Map();
    while (left > 0) {
      const period = Math.floor(now / PERIOD);
      const spent = seen.get(period) ?? { units: 0, stopped: false };
      seen.set(period, spent);
      if (spent.units + 4 > limit * PERIOD) {
        spent.stopped = true;
        now = (period + 1) * PERIOD;
        continue;
      }
      spent.units += 4;
      used += 4;
      left -= 1;
      now += 1;
    }
    latencies.push((now - start) / 10);
    periods += seen.size;
    throttled += [...seen.values()].filter(({ stopped }) => stopped).length;
  }
  latencies.sort((a, b) => a - b);
  const share = (part) => latencies[Math.floor(latencies.length * part)];
  return {
    average: used / (SECONDS * 10 * PERIOD),
    median: share(0.5),
    slowest: share(0.99),
    periods,
    throttled,
    usage: used * 100,
  };
}

test("the table is what the simulation gives", () => {
  const text = post("requests-limits-and-the-slow-pod").replaceAll("\u00a0", " ");
  const rows = [...text.matchAll(/^\| (1|2|none) \| (\d+)%[^|]*\| (\d+) ms \| (\d+) ms \|$/gm)];
  assert.equal(rows.length, 3);
  for (const [, limit, average, median, slowest] of rows) {
    const given = hour(limit === "none" ? Infinity : Number(limit));
    assert.equal(Math.round(given.average * 100), Number(average));
    assert.ok(Math.abs(given.median - median) <= 1, `${limit}: ${given.median}`);
    assert.ok(Math.abs(given.slowest - slowest) <= 1, `${limit}: ${given.slowest}`);
  }
  const said = Object.fromEntries(
    [...code("requests-limits-and-the-slow-pod", "text")[0].matchAll(/(\w+) (\d+)/g)].map(([, name, number]) => [
      name,
      Number(number),
    ]),
  );
  const { periods, throttled, usage } = hour(1);
  assert.equal(said.usage_usec, usage);
  assert.ok(
    Math.abs(said.nr_periods / periods - 1) < 0.02 && Math.abs(said.nr_throttled / throttled - 1) < 0.02,
    `${periods} ${throttled}`,
  );
  assert.match(text, new RegExp(`In ${Math.round((said.nr_throttled / said.nr_periods) * 100)}% of the periods`));
});
