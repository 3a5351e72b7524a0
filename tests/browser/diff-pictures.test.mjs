// Runs diff-pictures.mjs over two small outputs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { ROOT, temporaryFolder } from "./site.mjs";

it("pictures show both sides of a changed page, and what differs", async () => {
  const folder = await temporaryFolder();
  try {
    for (const [side, color] of [
      ["old", "black"],
      ["new", "red"],
    ]) {
      mkdirSync(join(folder.path, side, "about"), { recursive: true });
      const page = `<!doctype html><html lang="en"><title>${side}</title><svg width="9" height="9"><path fill="${color}" d="M0 0h9v9z"/></svg>`;
      writeFileSync(join(folder.path, side, "index.html"), "<!doctype html><html lang=en><title>Home</title>");
      writeFileSync(join(folder.path, side, "about/index.html"), page);
    }
    const [old, fresh, pictures] = ["old", "new", "pictures"].map((name) => join(folder.path, name));
    const script = join(ROOT, "tests/browser/diff-pictures.mjs");
    const run = spawnSync(process.execPath, [script, old, fresh, pictures], { encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^\/about\/ 390: [1-9]\d* pixels differ\n\/about\/ 1440: [1-9]\d* pixels differ\n$/);
    const names = ["1440", "390"].flatMap((width) => ["diff", "new", "old"].map((side) => `about-${width}-${side}.png`));
    assert.deepEqual(readdirSync(pictures).sort(), names);
  } finally {
    await folder.remove();
  }
});
