// Runs the files of browser tests side by side, with one server of the site for all of them:
//
//   node tests/browser/run.mjs                      every file
//   node tests/browser/run.mjs blog lists           tests/browser/blog.test.mjs, tests/browser/lists.test.mjs
//   node tests/browser/run.mjs --repeat 20 lists    each file so many times
//   node tests/browser/run.mjs --seed 7             in the order of an earlier run, which has printed this number
//   node tests/browser/run.mjs --jobs 1             one file after the other, instead of one more than there are cores
//
// A file with a failed test runs once more. A test that passes then is flaky: it is counted apart, and is an error with
// FLAKY_IS_ERROR=1. The output of both runs and pictures of the pages are kept in target/test-logs/browser/. The last line is
// `tests: N passed, N failed, N flaky`.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { line } from "./reporter.mjs";
import { share } from "./shared.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "../..");
/** Where logs and pictures of failed tests are kept; SITE_TEST_LOGS names another folder, for two runs at a time. */
const LOGS = process.env.SITE_TEST_LOGS ?? join(ROOT, "target/test-logs/browser");

/** Begins before the others: it waits for minutes, during which another file uses the processor. */
const FIRST = "forms";

/** Time limit of a file, in milliseconds. */
const FILE_LIMIT = 1_200_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Date.now() % 100_000) },
    repeat: { type: "string", default: "1" },
    jobs: { type: "string", default: String(1 + availableParallelism()) },
  },
});

/** A generator of numbers from 0 to 1 (mulberry32), the same ones for a seed. @param {number} seed */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A copy of a list in another order. @template T @param {T[]} list @param {() => number} next @returns {T[]} */
function shuffled(list, next) {
  const all = [...list];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all;
}

/** The names of the files to run, without their endings. */
function wanted() {
  const known = readdirSync(HERE).flatMap((file) => (file.endsWith(".test.mjs") ? [file.replace(".test.mjs", "")] : []));
  const named = positionals.map((path) => basename(path).replace(".test.mjs", ""));
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no browser test is called ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  return named.length > 0 ? named : known;
}

/**
 * Runs a file once. Its results are those of its tests; a file that ends without them is a failed test itself.
 * @param {string} name @param {string} label of its log and its pictures
 * @param {Record<string, string>} environment
 * @returns {Promise<{ results: import("./reporter.mjs").Result[], log: string, seconds: number }>}
 */
async function runFile(name, label, environment) {
  const started = performance.now();
  const log = join(LOGS, `${label}.log`);
  const rows = join(LOGS, `${label}.json`);
  const reporters = ["./tests/browser/reporter.mjs", "stdout", "./tests/browser/results.mjs", rows];
  const flags = reporters.map((value, at) => `--test-reporter${at % 2 === 0 ? "" : "-destination"}=${value}`);
  const child = spawn(process.execPath, [...flags, join(HERE, `${name}.test.mjs`)], {
    cwd: ROOT,
    env: { ...process.env, ...environment, SITE_TEST_LABEL: label },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (said += chunk));
  const end = () => child.kill();
  process.once("exit", end);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, FILE_LIMIT);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(limit);
  process.off("exit", end);
  writeFileSync(log, said);
  const results = readRows(rows);
  rmSync(rows, { force: true });
  if ((code !== 0 || results.length === 0) && results.every(({ passed }) => passed)) {
    const end = code === 0 ? "without a test" : `with status ${code ?? child.signalCode}`;
    const why = isLate ? `took more than ${FILE_LIMIT} ms` : `ended ${end}`;
    const reason = `      ${why}\n${said.trimEnd().split("\n").slice(-12).join("\n      ")}`;
    results.push({ name, passed: false, milliseconds: Math.round(performance.now() - started), reason });
  }
  return { results, log, seconds: (performance.now() - started) / 1000 };
}

/** @param {string} path @returns {import("./reporter.mjs").Result[]} */
function readRows(path) {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((row) => row.endsWith("}"))
      .map((row) => JSON.parse(row));
  } catch {
    return [];
  }
}

/** The seconds of all programs that this one has started and that have ended, on Linux. */
function usedSeconds() {
  try {
    // Behind the name of the program, which may contain spaces: fields 16 and 17 are its children's, in hundredths.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return undefined;
  }
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const started = performance.now();
rmSync(LOGS, { recursive: true, force: true });
mkdirSync(LOGS, { recursive: true });
const files = wanted();
const todo = Array.from({ length: Number(options.repeat) }, (_, round) =>
  shuffled(files, numbers(Number(options.seed) + round))
    .toSorted((one, other) => Number(other === FIRST) - Number(one === FIRST))
    .map((name) => ({ name, round })),
).flat();
console.log(`seed ${options.seed}`);
const hasForms = files.some((name) => readFileSync(join(HERE, `${name}.test.mjs`), "utf8").includes("/admin/"));
const shared = await share(LOGS, hasForms);
let [passed, failed] = [0, 0];
/** @type {{ name: string, logs: string[] }[]} */
const flaky = [];
/** @type {Map<string, number>} */
const seconds = new Map();

/** Takes files until there are none. */
async function work() {
  for (let job = todo.shift(); job !== undefined; job = todo.shift()) {
    const label = Number(options.repeat) > 1 ? `${job.name}.${job.round + 1}` : job.name;
    const first = await runFile(job.name, label, shared.environment);
    const again = first.results.some((result) => !result.passed)
      ? await runFile(job.name, `${label}.again`, shared.environment)
      : undefined;
    seconds.set(job.name, (seconds.get(job.name) ?? 0) + first.seconds + (again?.seconds ?? 0));
    const passedAgain = new Set(again?.results.flatMap((result) => (result.passed ? [result.name] : [])));
    const failedAgain = new Set(again?.results.flatMap((result) => (result.passed ? [] : [result.name])));
    let text = `── ${job.name} (${first.seconds.toFixed(1)} s)\n`;
    for (const result of first.results) {
      const isFlaky = result.passed ? failedAgain.has(result.name) : passedAgain.has(result.name);
      const failure = result.passed ? again?.results.find(({ name }) => name === result.name) : result;
      if (isFlaky) flaky.push({ name: `${job.name}: ${result.name}`, logs: [first.log, again.log] });
      else if (result.passed) passed += 1;
      else failed += 1;
      text += isFlaky ? `FLAKY ${result.name}\n${failure?.reason}\n` : line(result);
    }
    process.stdout.write(text);
    if (!again) rmSync(first.log);
  }
}
await Promise.all(Array.from({ length: Math.min(Number(options.jobs), todo.length) }, work));
await shared.stop();

const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, 10);
console.log(`slowest: ${slowest.map(([name, took]) => `${name} ${took.toFixed(0)} s`).join(", ")}`);
const used = usedSeconds();
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s${used ? `, ${used.toFixed(0)} s of CPU` : ""}`);
const shown = (path) => relative(ROOT, path);
for (const { name, logs } of flaky) console.log(`FLAKY ${name}\n      ${logs.map(shown).join("\n      ")}`);
if (flaky.length + failed > 0) console.log(`pictures of pages with a failed test are in ${shown(LOGS)}/`);
const isWrong = failed > 0 || (Boolean(process.env.FLAKY_IS_ERROR) && flaky.length > 0);
console.log(`tests: ${passed} passed, ${failed} failed, ${flaky.length} flaky`);
process.exitCode = isWrong ? 1 : 0;
