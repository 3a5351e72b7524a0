// Packs the built program for npm, installs the packages into an empty folder, and creates and builds a site with them.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  command,
  folder,
  install,
  PLATFORM,
  PROGRAM,
  pack,
  packAll,
  platforms,
  run,
  script,
  started,
  version,
  withPnpm,
} from "./packages.mjs";

const root = JSON.parse(readFileSync("package.json", "utf8"));
const tarballs = packAll(join(folder, "tarballs"));
const home = install(tarballs);
const site = join(home, "my-site");
const bin = join(home, "node_modules/.bin/sitegen");
const npx = (cwd, ...args) => run("npx", ["--no-install", "sitegen", ...args], { cwd });

test("the package depends on the same versions as this repository", () => {
  assert.deepEqual(command.dependencies, root.dependencies);
  assert.equal(command.engines.node, root.engines.node);
  assert.equal(command.license, root.license);
});

test("all packages have the version of Cargo.toml", () => {
  assert.equal(tarballs.size, platforms.length + 1);
  for (const [name, { manifest }] of tarballs) {
    assert.equal(manifest.version, version, name);
    assert.equal(manifest.repository.url, "git+https://github.com/owner/sitegen.git", name);
    // Nothing runs when they are installed.
    assert.equal(manifest.scripts, undefined, name);
    for (const own of Object.values(manifest.optionalDependencies ?? {})) assert.equal(own, version, name);
  }
  // The sources have none, so that none can be forgotten.
  assert.deepEqual([command.version, ...Object.values(command.optionalDependencies)], Array(platforms.length + 1).fill("0.0.0"));
});

test("a package holds what it needs, and its license", () => {
  for (const [name, { manifest, files }] of tarballs) {
    const program = name === command.name ? "package/bin/sitegen.js" : "package/bin/sitegen";
    const expected = ["package/LICENSE", "package/README.md", program, "package/package.json"];
    assert.deepEqual([...files.keys()].sort(), expected, name);
    assert.equal(files.get(program), 0o755, name);
    if (name === command.name) continue;
    const { os, cpu, libc } = manifest;
    assert.equal(`${os}-${cpu}`, name.split("/")[1]);
    assert.deepEqual(libc, os[0] === "linux" ? ["glibc"] : undefined, name);
  }
});

test("npm installs the program of this platform only", () => {
  const scope = join(home, "node_modules", command.name, "..");
  assert.deepEqual(readdirSync(scope).sort(), [basename(command.name), PLATFORM].sort());
});

test("an installed sitegen creates and builds a site", () => {
  const created = npx(home, "new", "my-site", "--languages", "en,es");
  assert.equal(created.status, 0, created.stderr);
  // Its packages are those that came with sitegen, above it.
  const built = npx(site, "build", "--strict");
  assert.equal(built.status, 0, built.stderr);
  for (const page of ["index.html", "es/index.html", "404.html", "sitemap.xml"])
    assert.ok(existsSync(join(site, "dist", page)), page);
  assert.match(readFileSync(join(site, "dist/index.html"), "utf8"), /<html lang="en"/);
});

test("the exit status is that of the program", () => {
  const sitegen = (...args) => run(bin, args, { cwd: site });
  assert.equal(sitegen("--version").stdout, `sitegen ${version}\n`);
  assert.equal(sitegen("check").status, 0);
  assert.equal(sitegen("check", "--set", "product.nmae=Acme").status, 1);
  assert.equal(npx(site, "biuld").status, 2);
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  test(`${signal} ends the preview`, async () => {
    const { child, ended, found } = await started(bin, ["serve", "--port", "0"], /http:\/\/[\d.]+:\d+\//, { cwd: site });
    assert.equal((await fetch(found[0])).status, 200);
    child.kill(signal);
    assert.equal((await ended).status, 0);
    await assert.rejects(fetch(found[0]), "the program still runs");
  });
}

test("Ctrl+C, which a terminal sends to npx, the command and the program, ends them all", async () => {
  const words = ["--no-install", "sitegen", "serve", "--port", "0"];
  const { child, ended, found } = await started("npx", words, /http:\/\/[\d.]+:\d+\//, { cwd: site, detached: true });
  process.kill(-child.pid, "SIGINT");
  await ended;
  await assert.rejects(fetch(found[0]), "the program still runs");
});

test("a site is built with packages that lie elsewhere, as with pnpm", () => {
  const other = join(folder, "pnpm");
  const sitegen = withPnpm(other, home);
  const created = run(sitegen, ["new", "site", "--no-blog"], { cwd: other });
  assert.equal(created.status, 0, created.stderr);
  const built = run(sitegen, ["build", "--strict", "--root", "site"], { cwd: other });
  assert.equal(built.status, 0, built.stderr);
  assert.ok(existsSync(join(other, "site/dist/index.html")));
});

test("what cannot be packed is refused", () => {
  const out = join(folder, "refused");
  const old = script(join(folder, "old/sitegen"), "echo sitegen 0.0.1");
  const broken = script(join(folder, "broken/sitegen"), "echo no such library >&2; exit 127");
  mkdirSync(join(folder, "directory"));
  for (const [args, said] of [
    [["--out", out], "usage: npm/pack --out FOLDER"],
    [[`${PLATFORM}=${PROGRAM}`], "usage: npm/pack --out FOLDER"],
    [["--to", out], "Unknown option '--to'"],
    [["--out", out, `plan9-x64=${PROGRAM}`], `no package is for \`plan9-x64\`; there are ${platforms.join(", ")}`],
    [["--out", out, PLATFORM], `which program is for ${PLATFORM}? Write ${PLATFORM}=PROGRAM`],
    [["--out", out, `${PLATFORM}=absent`], `the program for ${PLATFORM} does not exist: absent`],
    [["--out", out, `${PLATFORM}=${join(folder, "directory")}`], `the program for ${PLATFORM} does not exist`],
    [["--out", out, `${PLATFORM}=${old}`], `is sitegen 0.0.1, and Cargo.toml says ${version}`],
    [["--out", out, `${PLATFORM}=${broken}`], "--version` failed: no such library"],
  ]) {
    const { status, stderr } = pack(...args);
    assert.deepEqual([status, stderr.includes(`error: `) && stderr.includes(said)], [2, true], `${args.join(" ")}\n${stderr}`);
  }
  assert.ok(!existsSync(out));
});
