// Runs the shell steps of action.yml as a runner does, with stand-ins for Node.js and npm that note how they are called.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { command, folder, run, script } from "./packages.mjs";

const action = parse(readFileSync("action.yml", "utf8"));
const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));

let number = 0;

/**
 * Runs the steps for a site with these files. `uses` steps are noted, not run.
 * @param {{ files?: string[], inputs?: object, ref?: string, node?: string, status?: number }} runner
 */
function act({ files = [], inputs = {}, ref = "", node = "v22.1.0", status = 0 }) {
  const workspace = join(realpathSync(folder), `action-${number++}`);
  const given = { ...defaults, ...inputs };
  const root = join(workspace, given.root);
  for (const file of ["content/site.yaml", ...files]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "", { mode: 0o755 });
  }
  const bin = join(workspace, ".bin");
  const noted = join(workspace, ".noted");
  writeFileSync(noted, "");
  const note = (name) =>
    `printf '${name}' >>"${noted}"; for word; do printf ' [%s]' "$word" >>"${noted}"; done; echo >>"${noted}"`;
  script(join(bin, "npm"), `${note("npm")}; [ "$1" != exec ] || exit ${status}`);
  script(join(bin, "node"), `if [ "$1" = --version ]; then echo ${node}; exit; fi; ${note("node")}; exit ${status}`);

  const outputs = {};
  let said = "";
  for (const step of action.runs.steps) {
    if (step.if && filled(step.if, { given, outputs, ref }) !== "true") continue;
    if (step.uses) {
      writeFileSync(noted, `${step.uses.split("@")[0]}\n`, { flag: "a" });
      continue;
    }
    const output = join(workspace, ".output");
    writeFileSync(output, "");
    const environment = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, { given, outputs, ref })]);
    const ended = run("/bin/bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.run], {
      cwd: join(workspace, filled(step["working-directory"] ?? ".", { given, outputs, ref })),
      env: { PATH: `${bin}:/usr/bin:/bin`, GITHUB_OUTPUT: output, ...Object.fromEntries(environment) },
    });
    said += ended.stdout + ended.stderr;
    for (const line of readFileSync(output, "utf8").split("\n").filter(Boolean)) {
      const [name, value] = line.split(/=(.*)/s);
      outputs[`steps.${step.id}.outputs.${name}`] = value;
    }
    if (ended.status !== 0) return { status: ended.status, said, ran: lines(noted), root, folder: undefined };
  }
  return { status: 0, said, ran: lines(noted), root, folder: outputs["steps.run.outputs.folder"] };
}

const lines = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** The value of an expression of the kinds that action.yml has. */
function filled(text, { given, outputs, ref }) {
  const value = (name) => (name === "github.action_ref" ? ref : (given[name.replace(/^inputs\./, "")] ?? outputs[name] ?? ""));
  const compared = /^([\w.-]+) == '(\w+)'$/.exec(text);
  if (compared) return String(value(compared[1]) === compared[2]);
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name) => value(name));
}

const CACHE = "actions/cache";
const own = `node_modules/${command.name}/bin/sitegen.js`;

test("a site with its own sitegen is built with it", () => {
  const { status, said, ran, root, folder: out } = act({ files: ["package.json", "package-lock.json", own], ref: "v0.1.0" });
  assert.equal(status, 0, said);
  assert.deepEqual(ran, [CACHE, "npm [ci] [--no-audit] [--no-fund]", `node [${own}] [build] [--format] [github]`]);
  assert.equal(out, join(root, "dist"));
});

test("a site without a lock file is installed as package.json says", () => {
  assert.equal(act({ files: ["package.json", own] }).ran[1], "npm [install] [--no-audit] [--no-fund]");
});

test("a site without sitegen is built with the version of the action", () => {
  const version = (inputs, ref) => /cli@([^\]]+)\]/.exec(act({ inputs, ref }).ran.at(-1))[1];
  const { ran } = act({ ref: "v0.1.0" });
  assert.deepEqual(ran, [
    CACHE,
    `npm [exec] [--yes] [--package=${command.name}@0.1.0] [--] [sitegen] [build] [--format] [github]`,
  ]);
  assert.equal(version({}, "v1.0.0-rc.1"), "1.0.0-rc.1");
  assert.equal(version({}, "main"), "latest");
  assert.equal(version({ version: "0.2.0" }, "v0.1.0"), "0.2.0");
});

test("a version that is asked for is used instead of the site's own", () => {
  assert.match(act({ files: ["package.json", own], inputs: { version: "0.2.0" } }).ran.at(-1), /^npm \[exec\].*@0\.2\.0\]/);
});

test("inputs become arguments, and never code", () => {
  const inputs = { root: "my site", command: "check", "base-url": 'https://a.example/"; touch $(pwd)/run #', strict: "true" };
  const { status, said, ran, folder: out } = act({ files: [own], inputs });
  assert.equal(status, 0, said);
  const words = ["check", "--format", "github", "--base-url", inputs["base-url"], "--strict"];
  assert.equal(ran.at(-1), `node [${own}] ${words.map((word) => `[${word}]`).join(" ")}`);
  assert.equal(out, undefined, "a check writes no folder");
  for (const step of action.runs.steps) assert.doesNotMatch(step.run ?? "", /\$\{\{/);
});

test("Node.js is installed only if it is missing or too old", () => {
  assert.ok(!act({ node: "v20.0.0" }).ran.includes("actions/setup-node"));
  assert.ok(act({ node: "v18.20.0" }).ran.includes("actions/setup-node"));
});

test("a failing build fails the step, and names no folder", () => {
  const { status, folder: out } = act({ files: [own], status: 1 });
  assert.deepEqual([status, out], [1, undefined]);
});

test("wrong inputs are told", () => {
  for (const [inputs, said] of [
    [{ command: "serve" }, "::error::`command` is `serve`; it can be `build` or `check`"],
    [{ strict: "yes" }, "::error::`strict` is `yes`; it can be `true` or `false`"],
  ]) {
    const run = act({ inputs });
    assert.deepEqual([run.status, run.said.trim(), run.ran], [1, said, []]);
  }
  const plan = action.runs.steps[0];
  const env = { PATH: process.env.PATH, ROOT: "empty", COMMAND: "build", STRICT: "false" };
  const elsewhere = run("bash", ["-e", "-c", plan.run], { cwd: folder, env });
  assert.deepEqual([elsewhere.status, elsewhere.stdout.includes("`empty` is no site")], [1, true]);
});
