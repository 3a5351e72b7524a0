// Neovim's own client, headless: the oldest Neovim that Debian has is 0.7. NVIM names another executable.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ROOT } from "../browser/site.mjs";
import { newSite, SITEGEN } from "./site.mjs";

const nvim = process.env.NVIM || "nvim";
const { error, stdout } = spawnSync(nvim, ["--version"], { encoding: "utf8" });
const skip = error ? `Neovim is not installed (${error.message}); on Debian: apt-get install neovim` : false;
if (skip) console.error(`skipped: ${skip}`);

describe(`the language server in ${stdout?.split("\n")[0] ?? "Neovim"}`, { skip }, () => {
  const site = newSite();
  after(site.remove);
  assert.equal(site.run("check", "--accept-urls").status, 0);
  const report = join(site.folder, "..", "report.json");
  const env = {
    ...process.env,
    SITEGEN_NODE_MODULES: join(ROOT, "node_modules"),
    SITEGEN_PROGRAM: SITEGEN,
    SITEGEN_REPORT: report,
    SITEGEN_SITE: site.folder,
    XDG_CACHE_HOME: join(site.folder, "../cache"),
    XDG_DATA_HOME: join(site.folder, "../data"),
    XDG_STATE_HOME: join(site.folder, "../state"),
  };
  const words = ["--headless", "--clean", "-n", "-c", `luafile ${join(ROOT, "tests/editors/session.lua")}`];
  const run = skip ? null : spawnSync(nvim, words, { cwd: site.folder, env, encoding: "utf8", timeout: 240_000, input: "" });
  const done = run && existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};

  it("goes through a session to its end", () => {
    assert.equal(done.error, undefined, `${done.error}\n${run.stderr}`);
    assert.ok(done.ended, run.stderr);
  });

  it("shows a mistake at its place", () => {
    assert.match(done.problem.message, /unknown key `eyebro`/);
    assert.deepEqual([done.problem.line, done.problem.from, done.problem.to], [9, 4, 10]);
  });

  it("offers the fix, whose edit it applies", () => {
    assert.deepEqual(done.fixes, ["Replace with `eyebrow`"]);
  });

  it("completes links", () => {
    for (const link of ["page:contact", "page:services", "page:blog"]) assert.ok(done.completions.includes(link), link);
  });

  it("renames a study in all files, and the site has no mistake", () => {
    const text = (path) => readFileSync(join(site.folder, path), "utf8");
    assert.match(text("content/pages/home/en.yaml"), /study: plant-nursery/);
    assert.match(text("content/pages/home/es.yaml"), /study: plant-nursery/);
    assert.ok(existsSync(join(site.folder, "content/case-studies/plant-nursery.yaml")));
    assert.ok(text("content/site.yaml").includes("{from: /case-studies/vivero-nogal, to: page:case-studies/plant-nursery}"));
    const { status, stdout } = site.run("check", "--strict", "--format", "json");
    assert.equal(status, 0, stdout);
  });
});
