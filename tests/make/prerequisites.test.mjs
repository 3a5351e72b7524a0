// Tests the messages of `scripts/prerequisites` about missing and outdated tools. Each test runs the script with a PATH
// that contains the system's shell tools and mocks of the required tools.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "sitegen-make-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const SHELL_TOOLS = [
  "awk",
  "grep",
  "tail",
  "tee",
  "bash",
  "dirname",
  "env",
  "head",
  "make",
  "mkdir",
  "rm",
  "sed",
  "sort",
  "touch",
];
const RUST = /^rust-version = "(.+)"$/m.exec(readFileSync("Cargo.toml", "utf8"))[1];
const NODE = /^>=(\d+)$/.exec(JSON.parse(readFileSync("package.json", "utf8")).engines.node)[1];

/** Returns the path of an installed program. */
function located(program) {
  const found = spawnSync("bash", ["-c", 'command -v "$0"', program], { encoding: "utf8" });
  assert.equal(found.status, 0, `${program} is needed for this test`);
  return found.stdout.trim();
}

const WORKING = {
  cargo: "exit 0",
  rustc: `echo 'rustc ${RUST}.0 (0123456789 2026-01-01)'`,
  cc: "cat >/dev/null",
  node: `echo v${NODE}.0.0`,
  npm: "exit 0",
};

let number = 0;

/** Copies the files that the script reads, and creates a PATH with mocks; `null` removes a tool. */
function newcomer(tools) {
  const home = join(folder, String(number++));
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  for (const file of ["scripts", "Makefile", "Cargo.toml", "package.json", "package-lock.json", ".npmrc"]) {
    cpSync(file, join(home, file), { recursive: true });
  }
  for (const tool of [...SHELL_TOOLS, "cat"]) symlinkSync(located(tool), join(bin, tool));
  for (const [name, script] of Object.entries({ ...WORKING, ...tools })) {
    if (script === null) continue;
    writeFileSync(join(bin, name), `#!${located("bash")}\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { home, environment: { PATH: bin, HOME: home } };
}

function prerequisites(tools) {
  const { home, environment } = newcomer(tools);
  return spawnSync(join(home, "scripts/prerequisites"), [], { env: environment, encoding: "utf8" });
}

test("tools that are recent enough cause no output", () => {
  const run = prerequisites({});
  assert.deepEqual([run.status, run.stdout, run.stderr], [0, "", ""]);
});

for (const [situation, tools, error, hint] of [
  ["no Rust", { cargo: null, rustc: null }, /^error: `cargo` or `rustc` is not installed$/m, /^hint: .*https:\/\/rustup\.rs/m],
  [
    "the Rust of Debian 12",
    { rustc: "echo 'rustc 1.63.0'" },
    /^error: Rust 1\.63\.0 is too old; 1\.\d+ or later is needed$/m,
    /^hint: .*rustup/m,
  ],
  [
    "rustup without network",
    { rustc: "echo 'could not download file' >&2; exit 1" },
    /could not download file\nerror: Rust is installed but does not run/,
    /^hint: .*network/m,
  ],
  ["no C compiler", { cc: null }, /^error: the C compiler `cc` is not installed$/m, /^hint: .*build-essential/m],
  [
    "a C compiler without headers",
    { cc: "cat >/dev/null; echo 'stdio.h: No such file' >&2; exit 1" },
    /stdio\.h.*\nerror: the C compiler `cc` does not find the headers/,
    /^hint: .*build-essential/m,
  ],
  ["no Node.js", { node: null }, /^error: `node` is not installed$/m, /^hint: .*https:\/\/nodejs\.org/m],
  [
    "the Node.js of Debian 12",
    { node: "echo v18.20.4" },
    new RegExp(`^error: Node\\.js 18\\.20\\.4 is too old; ${NODE} or later is needed$`, "m"),
    /^hint: .*https:\/\/nodejs\.org/m,
  ],
  ["Debian's Node.js without npm", { npm: null }, /^error: `npm` is not installed$/m, /^hint: .*apt-get install npm/m],
]) {
  test(`${situation}: names what to install`, () => {
    const run = prerequisites(tools);
    assert.notEqual(run.status, 0);
    assert.match(run.stderr, error);
    assert.match(run.stderr, hint);
    assert.equal(run.stdout, "");
  });
}

test("`make serve` fails on a missing prerequisite before it downloads anything", () => {
  const { home, environment } = newcomer({ node: null, npm: "echo npm ran" });
  const run = spawnSync("make", ["serve"], { cwd: home, env: environment, encoding: "utf8" });
  assert.notEqual(run.status, 0);
  assert.match(run.stderr, /^error: `node` is not installed$/m);
  assert.doesNotMatch(run.stdout, /npm ran/);
});

const SITE = "node_modules/.package-lock.json";
const COMPLETE = "node_modules/.complete";

/** Whether `make` would install the npm packages of a mark. */
function installs({ home, environment }, mark = SITE) {
  const run = spawnSync("make", ["--dry-run", mark], { cwd: home, env: environment, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.includes("npm ci");
}

test("npm packages are installed again after an interruption, but not after a complete installation", () => {
  const computer = newcomer({});
  assert.ok(installs(computer), "nothing is installed");
  mkdirSync(join(computer.home, "node_modules/react"), { recursive: true });
  assert.ok(installs(computer), "npm was interrupted before it wrote its own lock file");
  writeFileSync(join(computer.home, "node_modules/.package-lock.json"), "{}");
  assert.ok(!installs(computer), "npm has finished");
  utimesSync(join(computer.home, "node_modules/.package-lock.json"), 0, 0);
  assert.ok(installs(computer), "the lock file has changed since");
});

test("a site is built without the packages that only tests need, until these are installed", () => {
  const npm = `echo "$@" >>asked; mkdir -p node_modules && rm -f ${COMPLETE} && echo '{}' >${SITE}`;
  const computer = newcomer({ npm });
  const asked = () =>
    readFileSync(join(computer.home, "asked"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.includes("--omit=dev"));
  const make = (mark) => {
    const run = spawnSync("make", [mark], { cwd: computer.home, env: computer.environment, encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
  };
  make(SITE);
  assert.deepEqual(asked(), [true]);
  assert.ok(installs(computer, COMPLETE), "the tests need more");
  make(COMPLETE);
  assert.deepEqual(asked(), [true, false]);
  assert.ok(!installs(computer) && !installs(computer, COMPLETE), "everything is installed");
  utimesSync(join(computer.home, SITE), 0, 0);
  make(SITE);
  assert.deepEqual(asked(), [true, false, false], "what was complete stays complete");
  assert.ok(!installs(computer, COMPLETE));
});

test("an npm that exits early with status 0 does not count as a complete installation", () => {
  const { home, environment } = newcomer({ npm: "exit 0" });
  const run = spawnSync("make", ["node_modules/.package-lock.json"], { cwd: home, env: environment, encoding: "utf8" });
  assert.notEqual(run.status, 0);
  assert.match(run.stderr, /^error: npm ended before it had installed everything$/m);
  assert.match(run.stderr, /^hint: run the command again$/m);
});
