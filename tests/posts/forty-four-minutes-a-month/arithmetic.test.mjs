// The table of promises, and what five parts of 99.9% give together, in both languages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, post, run } from "../posts.mjs";

for (const slug of ["forty-four-minutes-a-month", "cuarenta-y-cuatro-minutos-al-mes"]) {
  test(`${slug}: the minutes are right`, () => {
    const [, question, wanted] = /^>>> (.+)\n(.+)\n/.exec(code(slug, "python")[0]);
    assert.equal(run("python3", ["-c", `print(${question})`]).stdout.trim(), wanted);
    const rows = [
      ...post(slug)
        .replaceAll("\u00a0", " ")
        .matchAll(/^\| (99[.,]?\d*) ?% \| ([^|]+) \| ([^|]+) \|/gm),
    ];
    assert.equal(rows.length, 5);
    const seconds = (text) =>
      [...text.replace(",", ".").matchAll(/([\d.]+) (h|min|s|days|días)\b/g)].reduce(
        (sum, [, n, unit]) => sum + n * { h: 3600, min: 60, s: 1, days: 86400, días: 86400 }[unit],
        0,
      );
    for (const [, promise, month, year] of rows) {
      const missing = 1 - Number(promise.replace(",", ".")) / 100;
      assert.ok(Math.abs(seconds(month) - missing * 30 * 86400) < 1, `${promise}: ${month}`);
      assert.ok(Math.abs(seconds(year) / (missing * 365.25 * 86400) - 1) < 0.02, `${promise}: ${year}`);
    }
  });
}
