// Selects the tests that changed files can make fail, by the table in tests/changed.yaml, and prints them for tests/run:
// a line for each kind, with a tab and the selected files of that kind behind it if not all of them run.
//
//   node tests/changed.mjs [COMMIT]      what differs from COMMIT, by default from where this branch left `main`

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** @typedef {"all" | string[]} Selection the whole kind, or names of its files */
/** @typedef {{ paths: string[], tests: "everything" | Record<string, "all" | "changed" | string[]> }} Row */

/** @type {Row[]} */
export const table = parse(readFileSync("tests/changed.yaml", "utf8"));

/** Kinds of tests that run by default, in the order of tests/run. */
export const kinds = /^every_kind=\((.+)\)$/m.exec(readFileSync("tests/run", "utf8"))[1].split(" ");

/** Kinds that can run some of their files. */
export const DIVIDED = ["rust", "editors", "html", "hosts", "api", "deploy", "leads", "make", "npm", "browser"];

/** Compiles a pattern of the table. `{name}` becomes a group. */
function pattern(glob) {
  const source = glob
    .split(/(\*\*|\*|\{name\})/)
    .map((part) => ({ "**": ".*", "*": "[^/]*", "{name}": "(?<name>[^/]+)" })[part] ?? RegExp.escape?.(part) ?? escaped(part));
  return new RegExp(`^${source.join("")}$`);
}
const escaped = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");

const rows = table.map((row) => ({ ...row, patterns: row.paths.map(pattern) }));

/** The first row that matches a file, and the name in it. */
export function rowOf(file) {
  for (const row of rows) {
    for (const compiled of row.patterns) {
      const match = compiled.exec(file);
      if (match) return { row, name: match.groups?.name };
    }
  }
  return undefined;
}

/**
 * The kinds that a set of files selects, and of each kind the names of its files.
 * @param {string[]} files
 * @returns {Map<string, Selection>}
 */
export function select(files) {
  /** @type {Map<string, Selection>} */
  const selected = new Map();
  const add = (kind, more) => {
    const known = selected.get(kind) ?? [];
    selected.set(kind, known === "all" || more === "all" ? "all" : [...new Set([...known, ...more])]);
  };
  for (const file of files) {
    const found = rowOf(file);
    if (!found || found.row.tests === "everything") for (const kind of kinds) add(kind, "all");
    else {
      for (const [key, value] of Object.entries(found.row.tests)) {
        const kind = key.replaceAll("{name}", found.name);
        // A folder below tests/ that is not a kind belongs to one that runs whole.
        if (!kinds.includes(kind)) continue;
        if (value === "changed")
          add(kind, [
            file
              .split("/")
              .at(-1)
              .replace(/\.test\.mjs$/, ""),
          ]);
        else add(kind, value === "all" ? value : value.map((word) => word.replaceAll("{name}", found.name)));
      }
    }
  }
  return selected;
}

/** A filterset of cargo-nextest for names of modules in tests/it/ and of crates. */
export const filterset = (names) =>
  names
    .map((name) => (name.startsWith("crates/") ? `package(${name.slice(7)})` : `(binary(it) & test(/^${name}::/))`))
    .join(" + ");

/** Runs git, and returns the lines that it prints. */
function git(...words) {
  const { status, stdout, stderr } = spawnSync("git", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.split("\n").filter(Boolean);
}

function main(base) {
  const [from] = git("merge-base", "HEAD", base);
  const files = [...git("diff", "--name-only", from), ...git("ls-files", "--others", "--exclude-standard")];
  const selected = select(files);
  for (const kind of kinds) {
    const names = selected.get(kind);
    if (names === "all") console.log(kind);
    else if (names) console.log(`${kind}\t${kind === "rust" ? filterset(names) : names.join(" ")}`);
  }
}

if (process.argv[1]?.endsWith("changed.mjs")) {
  try {
    main(process.argv[2] ?? process.env.CHANGED_FROM ?? "main");
  } catch (error) {
    console.error(`error: ${error.message}hint: CHANGED_FROM names the commit to compare with, such as origin/main`);
    process.exit(1);
  }
}
