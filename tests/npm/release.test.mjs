// Tests what a release needs besides the packages: its notes, the archives, and what the workflow may do.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { folder, platforms, run, script, version } from "./packages.mjs";

const text = readFileSync(".github/workflows/release.yml", "utf8");
const { on, jobs } = parse(text);

/** A copy of the project with this changelog and this version; returns what the script prints for a tag. */
function notes(
  tag,
  changelog,
  cargo = `[package]\nversion = "9.9.9"\n\n[workspace.package]\nversion = "1.2.0"\nedition = "2024"\n`,
) {
  const copy = join(folder, "notes");
  mkdirSync(join(copy, ".ci"), { recursive: true });
  for (const script of ["release-notes", "version"]) cpSync(join(".ci", script), join(copy, ".ci", script));
  writeFileSync(join(copy, "CHANGELOG.md"), changelog);
  writeFileSync(join(copy, "Cargo.toml"), cargo);
  return run(join(copy, ".ci/release-notes"), [tag]);
}

const CHANGELOG = `# Changelog

## Unreleased

- **Soon.**

## 1.2.0 (2026-11-23)

### Blog

- **New.** Text
  in two lines.

## 1.1.0

- **Old.**
`;

test("the text of a release is its section of the changelog", () => {
  assert.deepEqual(notes("v1.2.0", CHANGELOG), {
    status: 0,
    signal: null,
    stdout: "### Blog\n\n- **New.** Text\n  in two lines.\n",
    stderr: "",
  });
});

test("a tag of another version is refused", () => {
  for (const tag of ["v1.1.0", "1.2.0", "v1.2.0-rc.1", "v9.9.9"]) {
    const { status, stderr } = notes(tag, CHANGELOG);
    assert.deepEqual(
      [status, stderr.startsWith(`error: the tag is ${tag}, and the version in Cargo.toml is 1.2.0\n`)],
      [1, true],
    );
  }
});

test("a version that the changelog does not describe is refused", () => {
  for (const changelog of [
    "# Changelog\n\n## Unreleased\n\n- **Soon.**\n",
    "## 1.2.0\n\n## 1.1.0\n\n- **Old.**\n",
    "## 1.2.01\n\n- x\n",
  ]) {
    const { status, stderr } = notes("v1.2.0", changelog);
    assert.deepEqual([status, stderr.split("\n")[0]], [1, "error: CHANGELOG.md has nothing about 1.2.0"]);
  }
});

test("an archive holds the program, the license and the README", () => {
  const program = script(join(folder, "program/sitegen"), "exit 70");
  const { status, stdout } = run(".ci/archive", [program, "linux-x64", join(folder, "archives")]);
  const name = `sitegen-${version}-linux-x64`;
  assert.deepEqual([status, stdout], [0, `${join(folder, "archives", name)}.tar.gz\n`]);
  const files = run("tar", ["-tzf", stdout.trim()]).stdout.trim().split("\n").sort();
  assert.deepEqual(
    files,
    ["", "LICENSE", "README.md", "sitegen"].map((file) => `${name}/${file}`),
  );
});

test("the documentation is an archive of a release, and the branch `docs-site` is that of the last one", () => {
  const { status, stdout, stderr } = run(".ci/docs", [
    "target/release/sitegen",
    "https://docs.example/sitegen/",
    join(folder, "documents"),
  ]);
  const archive = join(folder, "documents", `sitegen-${version}-docs.tar.gz`);
  assert.deepEqual([status, stdout], [0, `${archive}\n`], stderr);
  const remote = join(folder, "remote.git");
  run("git", ["init", "--quiet", "--bare", remote]);
  for (const round of [1, 2]) assert.deepEqual(run(".ci/publish-docs", [archive, remote]).status, 0, `round ${round}`);
  const git = (...args) => run("git", ["--git-dir", remote, ...args]).stdout;
  assert.equal(git("log", "--format=%s", "docs-site"), `sitegen-${version}-docs\n`);
  assert.match(git("show", "docs-site:index.html"), /<link rel="canonical" href="https:\/\/docs\.example\/sitegen\/">/);
  const names = git("ls-tree", "--name-only", "docs-site").split("\n");
  for (const name of [".nojekyll", "_assets", "docs", "404.html"]) assert.ok(names.includes(name), name);
  assert.equal(run(".ci/publish-docs", [run(".ci/archive", ["LICENSE", "linux-x64", folder]).stdout.trim(), remote]).status, 1);
});

test("a release is made for each platform that has a package", () => {
  const built = [jobs.linux, jobs.macos].flatMap((job) => job.strategy.matrix.include.map((row) => row.platform));
  assert.deepEqual(built.sort(), [...platforms].sort());
  const packed = /for platform in (.+); do\n +mkdir/.exec(text)[1].split(" ");
  assert.deepEqual(packed.sort(), [...platforms].sort());
});

test("the workflow runs for tags only, without secrets, and each job may do only what it must", () => {
  assert.deepEqual(on, { push: { tags: ["v*"] } });
  assert.doesNotMatch(text, /secrets\./);
  const more = Object.entries(jobs).flatMap(([name, { permissions = {} }]) =>
    Object.entries(permissions).flatMap(([what, may]) => (may === "write" ? [`${name}: ${what}`] : [])),
  );
  assert.deepEqual(more, [
    "assemble: id-token",
    "assemble: attestations",
    "npm: id-token",
    "images: packages",
    "manifests: packages",
    "manifests: id-token",
    "manifests: attestations",
    "github: contents",
  ]);
  // Nothing is built before the tag is checked, and the release comes last.
  for (const [name, { needs }] of Object.entries(jobs)) assert.ok(name === "version" || needs?.length > 0, name);
  assert.deepEqual(jobs.github.needs, ["npm", "manifests"]);
});

test("the action uses the same versions of other actions as the workflows", () => {
  const workflows = readdirSync(".github/workflows").map((file) => readFileSync(join(".github/workflows", file), "utf8"));
  const used = readFileSync("action.yml", "utf8").match(/^ .*uses: .+$/gm);
  assert.equal(used.length, 2);
  for (const line of used) {
    const action = /uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.exec(line)?.[0];
    assert.ok(action && workflows.some((workflow) => workflow.includes(action)), line);
  }
});

test("the documents name the oldest glibc that a release is tried with", () => {
  const oldest = /^oldest=(.+)$/m.exec(readFileSync(".ci/try-release", "utf8"))[1];
  for (const file of ["docs/install.md", "npm/sitegen/README.md"]) {
    assert.ok(readFileSync(file, "utf8").includes(`glibc ${oldest}`), file);
  }
});
