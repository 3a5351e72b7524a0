// Starts a site from examples/dental-clinics, as its README says, and checks it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const SITEGEN = resolve(process.env.SITEGEN ?? "target/release/sitegen");

test("a site that is started from the dental clinics has the theme, five languages and no mistakes", () => {
  const folder = mkdtempSync(join(tmpdir(), "clinics-"));
  const root = join(folder, "my-clinics");
  const run = (command, ...words) => spawnSync(command, words, { encoding: "utf8", env: { ...process.env, SITEGEN } });
  try {
    const started = run("examples/dental-clinics/start", root);
    assert.equal(started.status, 0, started.stderr);
    symlinkSync(resolve("node_modules"), join(root, "node_modules"));
    const { status, stdout } = run(SITEGEN, "check", "--root", root, "--format", "json");
    const { diagnostics } = JSON.parse(stdout);
    assert.equal(status, 0, stdout);
    // Sharing cards need one more font, which the README installs.
    assert.deepEqual([...new Set(diagnostics.map(({ code }) => code).filter((code) => code !== "card-letters"))], []);
    const routes = run(SITEGEN, "routes", "--root", root).stdout;
    for (const path of ["/treatments/implants/", "/ar/treatments/implants/", "/zh-hans/treatments/implants/"])
      assert.ok(routes.includes(path), path);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
