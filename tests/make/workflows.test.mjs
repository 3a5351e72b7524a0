// Checks of the workflows in .github/ that actionlint lacks: pinned actions, existing commands, and all kinds of tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const FOLDER = ".github/workflows";
const texts = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]));
const workflows = new Map([...texts].map(([file, text]) => [file, parse(text)]));
const makefile = readFileSync("Makefile", "utf8");
const testsRun = readFileSync("tests/run", "utf8");
const kinds = /^every_kind=\((.+)\)$/m.exec(testsRun)[1].split(" ");

/** `[file, job, name]` of all jobs in all workflows. */
const jobs = [...workflows].flatMap(([file, { jobs }]) => Object.entries(jobs).map(([name, job]) => [file, job, name]));
/** Lines of all `run:` steps. */
const commands = jobs.flatMap(([, job]) => job.steps.flatMap((step) => (step.run ?? "").split("\n"))).filter(Boolean);

test("each action is pinned by a digest, with its version in a comment", () => {
  const digests = new Map();
  for (const [file, text] of texts) {
    for (const [line, action] of text.matchAll(/^.*\buses: *(\S+).*$/gm)) {
      const pinned = /^\s*(?:- )?uses: ([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$/.exec(line);
      assert.ok(pinned, `${file}: \`${action}\` is not written as owner/name@<40 digits> # v1.2.3`);
      const [, name, digest, version] = pinned;
      const known = digests.get(name) ?? [digest, version];
      assert.deepEqual([digest, version], known, `${file}: another ${name} than elsewhere`);
      digests.set(name, known);
    }
  }
  assert.ok(digests.size >= 6, [...digests.keys()].join(", "));
});

test("each job has a timeout, and workflows have read-only permissions", () => {
  for (const [file, { permissions }] of workflows) assert.deepEqual(permissions, { contents: "read" }, file);
  for (const [file, job, name] of jobs) assert.ok(job["timeout-minutes"] > 0, `${file}: ${name}`);
});

test("commands that the workflows run exist", () => {
  let seen = 0;
  for (const command of commands) {
    const [program, argument] = command.trim().split(/\s+/);
    if (program === "make") assert.match(makefile, new RegExp(`^${argument}:`, "m"), command);
    else if (/^[\w.]+\/\w/.test(program) && !program.startsWith("target/")) {
      assert.ok(existsSync(program) && statSync(program).mode & 0o100, command);
    } else continue;
    seen += 1;
  }
  assert.ok(seen >= 7, `only ${seen} commands were found`);
});

test("a push compiles the workspace once, and a pull request runs what it can break", () => {
  const { test: whole, ...others } = workflows.get("ci.yml").jobs;
  const [step] = whole.steps.filter(({ run }) => run);
  assert.equal(step.run, 'make test KINDS="$KINDS"');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow.
  assert.equal(step.env.KINDS, "${{ github.event_name == 'pull_request' && 'changed' || '' }}");
  for (const [name, { steps }] of Object.entries(others)) {
    for (const { run = "" } of steps) assert.doesNotMatch(run, /\bmake |cargo (build|test|clippy)|tests\/run/, name);
  }
});

test("kinds of tests that a workflow names exist", () => {
  let seen = 0;
  for (const command of commands) {
    const named = /KINDS="?([a-z ]+)/.exec(command)?.[1] ?? /^tests\/run (.+)$/.exec(command)?.[1];
    for (const kind of named?.trim().split(" ") ?? []) {
      assert.ok(kinds.includes(kind), command);
      seen += 1;
    }
  }
  assert.ok(seen >= 10, `${seen} kinds`);
});

test("the commands of the README run in a bare container", () => {
  const { newcomer } = workflows.get("nightly.yml").jobs;
  assert.match(newcomer.container, /^debian:/);
  const said = newcomer.steps.map((step) => step.run);
  assert.ok(said.includes(".ci/first-page") && said.includes("make test"), String(said));
  assert.match(readFileSync(".ci/first-page", "utf8"), /^make serve /m);
});

test("dependabot checks the folders of all manifests", () => {
  const { updates } = parse(readFileSync(".github/dependabot.yml", "utf8"));
  const manifest = { cargo: "Cargo.toml", npm: "package.json", docker: "Containerfile", "github-actions": FOLDER };
  assert.deepEqual(updates.map((update) => update["package-ecosystem"]).sort(), Object.keys(manifest).sort());
  for (const update of updates) {
    for (const folder of update.directories ?? [update.directory]) {
      assert.ok(
        existsSync(join(".", folder, manifest[update["package-ecosystem"]])),
        `${update["package-ecosystem"]}: ${folder}`,
      );
    }
    assert.equal(update.schedule.interval, "weekly");
    assert.ok(update.groups, "one pull request for each kind of update");
  }
});

test("CI asks for known vulnerabilities of all npm packages", () => {
  const { stdout } = spawnSync("git", ["ls-files", "package-lock.json", "*/package-lock.json"], { encoding: "utf8" });
  const folders = stdout
    .trim()
    .split("\n")
    .map((file) => file.replace(/\/?package-lock\.json$/, ""));
  assert.ok(folders.includes("") && folders.length >= 2, stdout);
  const run = workflows
    .get("ci.yml")
    .jobs.audit.steps.map((step) => step.run ?? "")
    .join("\n")
    .trim()
    .split("\n");
  const command = "npm audit --package-lock-only --audit-level=high";
  assert.deepEqual(
    run.map((line) => line.trim()).sort(),
    folders.map((folder) => command + (folder && ` --prefix ${folder}`)).sort(),
  );
});

test("CI asks the registry for each image in deploy/", () => {
  const listed = spawnSync(".ci/images", ["--list"], { encoding: "utf8" }).stdout.trim().split("\n");
  const files = readdirSync("deploy").filter((file) => file.endsWith("Containerfile"));
  const named = files.flatMap((file) =>
    [...readFileSync(join("deploy", file), "utf8").matchAll(/^FROM (\S+)/gm)].map(([, image]) => image),
  );
  assert.ok(named.length >= 4);
  assert.deepEqual(listed.sort(), [...new Set(named)].sort());
  for (const image of named) assert.match(image, /^[a-z]+:\d[\w.-]+@sha256:[0-9a-f]{64}$/);
  assert.deepEqual(
    workflows
      .get("ci.yml")
      .jobs.images.steps.map((step) => step.run)
      .filter(Boolean),
    [".ci/images"],
  );
});

test("a container that compiles has the compiler that the settings of Cargo name", () => {
  const wrapper = /^rustc-workspace-wrapper = "(.+)"$/m.exec(readFileSync(".cargo/config.toml", "utf8"))[1];
  const compiling = readdirSync("deploy")
    .filter((file) => file.endsWith("Containerfile"))
    .map((file) => readFileSync(join("deploy", file), "utf8"))
    .filter((text) => text.includes("COPY .cargo"));
  assert.ok(compiling.length >= 1);
  for (const text of compiling) assert.ok(text.includes(`COPY ${wrapper} ${wrapper}`), wrapper);
});
