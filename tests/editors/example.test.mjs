// Starts a site from examples/dental-clinics with `sitegen new --from`, and checks it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const SITEGEN = resolve(process.env.SITEGEN ?? "target/release/sitegen");

test("a site that is started from the dental clinics has the theme, five languages and no mistakes", () => {
  const folder = mkdtempSync(join(tmpdir(), "clinics-"));
  const root = join(folder, "my-clinics");
  const run = (...words) => spawnSync(SITEGEN, words, { encoding: "utf8" });
  try {
    const started = run("new", root, "--from", "dental-clinics", "--base-url", "https://clinics.example/");
    assert.equal(started.status, 0, started.stderr);
    symlinkSync(resolve("node_modules"), join(root, "node_modules"));
    const { status, stdout } = run("check", "--root", root, "--format", "json");
    const { diagnostics } = JSON.parse(stdout);
    assert.equal(status, 0, stdout);
    // Sharing cards need one more font, which the README installs.
    assert.deepEqual([...new Set(diagnostics.map(({ code }) => code).filter((code) => code !== "card-letters"))], []);
    const routes = run("routes", "--root", root).stdout;
    const settings = readFileSync(join(root, "content/site.yaml"), "utf8");
    assert.match(settings, /^base_url: https:\/\/clinics.example\/$/m);
    assert.match(settings, /^theme: /m);
    // What only the tests of sitegen use stays there.
    assert.ok(!existsSync(join(root, "templates/pages")));
    for (const path of ["/treatments/implants/", "/ar/treatments/implants/", "/zh-hans/treatments/implants/"])
      assert.ok(routes.includes(path), path);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
