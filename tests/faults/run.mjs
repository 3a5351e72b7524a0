// Mutation testing: injects one fault at a time, and runs the tests that must detect it. See `run` in this folder.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITEGEN = resolve(process.env.SITEGEN ?? join(ROOT, "target/release/sitegen"));
/** A copy of the project, in which the tests find the modified site at its usual paths. */
const COPY = join(ROOT, "target/faults");
const DIST = join(COPY, "dist");

/** A copy of the workspace, in which crates are compiled with a fault. */
const WORKSPACE = join(ROOT, "target/faults-workspace");

/**
 * @typedef {{ name: string, file: string, find: string, with: string, ask: string[], pages: string[], test?: string,
 *   crate?: string, says: string, sample?: boolean }} Fault
 */

/** @type {Fault[]} */
const table = parse(await readFile(new URL("faults.yaml", import.meta.url), "utf8"));
const words = process.argv.slice(2).filter((word) => word !== "--sample");
const isSample = process.argv.includes("--sample");
const chosen = table.filter(
  (fault) => (!isSample || fault.sample) && (words.length === 0 || words.some((word) => fault.name.includes(word))),
);
if (chosen.length === 0) {
  console.error(`error: no fault is called ${words.join(" or ")}`);
  process.exit(2);
}

const ofSite = chosen.filter((fault) => !fault.crate);
const ofCrates = chosen.filter((fault) => fault.crate);
if (ofSite.length > 0) await copySite();
if (ofCrates.length > 0) await copyWorkspace();
for (const some of [ofSite.filter(({ test }) => !test), ofSite.filter(({ test }) => test)].filter(({ length }) => length > 0)) {
  const control = await findings({
    ask: union(some, "ask"),
    pages: union(some, "pages"),
    test: some[0].test && union(some, "test").join("|"),
  });
  if (control.isRed) {
    console.error(`error: the tests fail without any fault\n${control.said}`);
    process.exit(1);
  }
}

let missed = 0;
for (const fault of chosen) {
  const started = performance.now();
  const { isRed, said } = await planted(fault);
  const line = said.split("\n").find((each) => new RegExp(fault.says, "i").test(each));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (isRed && line !== undefined) {
    console.log(`ok    ${fault.name} (${seconds} s)\n      ${line.trim().slice(0, 160)}`);
  } else {
    missed += 1;
    console.log(
      `FAIL  ${fault.name} (${seconds} s): ${isRed ? `red, but nothing says /${fault.says}/` : "no test notices"}\n${said}`,
    );
  }
}
console.log(`tests: ${chosen.length - missed} passed ${missed} failed`);
process.exitCode = missed === 0 ? 0 : 1;

function union(faults, field) {
  return [...new Set(faults.flatMap((fault) => fault[field]))];
}

/** Copies the project without build artifacts. The cache is copied, so that pictures are not encoded again. */
async function copySite() {
  await mkdir(COPY, { recursive: true });
  for (const part of ["content", "templates", "react", "static", "tests", "package.json"]) {
    await rm(join(COPY, part), { recursive: true, force: true });
    await cp(join(ROOT, part), join(COPY, part), { recursive: true });
  }
  if (!existsSync(join(COPY, "node_modules"))) await symlink(join(ROOT, "node_modules"), join(COPY, "node_modules"));
  const kept = join(ROOT, ".sitegen");
  if (!existsSync(join(COPY, ".sitegen")) && existsSync(kept)) await cp(kept, join(COPY, ".sitegen"), { recursive: true });
}

/** Copies the files of the workspace that git knows, and those that are new. */
async function copyWorkspace() {
  const { said } = await run("git", ["-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {}, ROOT);
  await rm(WORKSPACE, { recursive: true, force: true });
  for (const path of said.split("\0").filter((path) => path && existsSync(join(ROOT, path)))) {
    await cp(join(ROOT, path), join(WORKSPACE, path), { recursive: true });
  }
}

/**
 * Compiles a crate with a fault, and runs the test that must notice. Dependencies are those of the project's own target folder.
 * @param {Fault} fault
 */
async function tested(fault) {
  const args = ["test", "--release", "--locked", "--quiet", "-p", fault.crate, "--lib", fault.test];
  const { code, said } = await run("cargo", args, { CARGO_TARGET_DIR: join(ROOT, "target") }, WORKSPACE);
  // What does not compile is no fault that a test has noticed.
  return { isRed: code !== 0 && /^test result: FAILED/m.test(said), said };
}

/** @param {Fault} fault */
async function planted(fault) {
  const file = join(fault.crate ? WORKSPACE : COPY, fault.file);
  const good = await readFile(file, "utf8");
  const parts = good.split(fault.find);
  if (parts.length !== 2)
    return { isRed: false, said: `${fault.file} holds what the fault replaces ${parts.length - 1} times, not once` };
  await writeFile(file, parts.join(fault.with));
  try {
    return await (fault.crate ? tested(fault) : findings(fault));
  } finally {
    await writeFile(file, good);
  }
}

/**
 * Builds the site, and runs test files for some pages. A failing build counts as detection.
 * @param {{ ask: string[], pages: string[], test?: string }} question
 */
async function findings({ ask, pages, test }) {
  // The script budget is raised, so that a fault is not detected only because it adds code.
  const built = await run(SITEGEN, ["build", "--strict", "--set", "budgets.script=2", "--root", COPY, "--out", DIST]);
  if (built.code !== 0) return { isRed: true, said: built.said };
  const files = ask.map((name) => join(COPY, "tests", `${name}.test.mjs`));
  const { code, said } = await run(
    process.execPath,
    [
      "--test",
      "--test-concurrency=1",
      `--test-reporter=${join(COPY, "tests/browser/reporter.mjs")}`,
      "--test-reporter-destination=stdout",
      ...(test ? [`--test-name-pattern=${test}`] : []),
      ...files,
    ],
    { SITEGEN, SITE_TEST_DIST: DIST, SITE_TEST_PAGES: pages.join(",") },
  );
  return { isRed: code !== 0, said };
}

/** @returns {Promise<{ code: number, said: string }>} */
function run(program, args, environment = {}, cwd = COPY) {
  return new Promise((done) => {
    const options = { cwd, maxBuffer: 64 << 20, env: { ...process.env, ...environment } };
    execFile(program, args, options, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) || 1 : 0, said: stdout + stderr }),
    );
  });
}
