// A small site of its own for each test, made by the program itself, and the program.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../browser/site.mjs";

export const SITEGEN = join(ROOT, "target/release/sitegen");

function start(cwd, command) {
  const packages = join(ROOT, "node_modules");
  const env = { ...process.env, GITHUB_ACTIONS: "", GITHUB_WORKSPACE: "", SITEGEN_NODE_MODULES: packages };
  const { status, stdout, stderr } = spawnSync(SITEGEN, command, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 });
  return { status, stdout, stderr };
}

/** Runs a command for the site in a folder. */
export const sitegen = (root, ...command) => start(root, [...command, "--root", root]);

/** A new site whose images were drawn: what a check draws first takes seconds of a processor. Made once in each process. */
let drawn;
function drawnSite() {
  if (drawn !== undefined) return drawn;
  const parent = mkdtempSync(join(tmpdir(), "sitegen-editors-"));
  process.on("exit", () => removeFolder(parent));
  const folder = join(parent, "site");
  for (const command of [
    ["new", folder, "--sample", "--name", "Example", "--languages", "en,es"],
    ["check", "--root", folder],
  ]) {
    const { status, stderr } = start(parent, command);
    if (status !== 0) throw new Error(stderr);
  }
  drawn = folder;
  return drawn;
}

/** A site as `sitegen new` creates it, in a temporary folder. */
export function newSite() {
  const parent = mkdtempSync(join(tmpdir(), "sitegen-editors-"));
  const folder = join(parent, "site");
  cpSync(drawnSite(), folder, { recursive: true });
  const run = (...command) => start(parent, command);
  return {
    folder,
    /** Runs a command for the site. */
    run: (...command) => run(...command, "--root", folder),
    /** Runs a command for a folder that is no site. */
    runElsewhere: (...command) => run(...command, "--root", parent),
    /** Replaces the first `before` in a file; it must be there. */
    edit(path, before, after) {
      const text = readFileSync(join(folder, path), "utf8");
      if (!text.includes(before)) throw new Error(`no \`${before}\` in ${path}`);
      writeFileSync(join(folder, path), text.replace(before, after));
    },
    /** Writes a file, bytes or text. */
    write(path, bytes) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    },
    remove: () => removeFolder(parent),
  };
}

/**
 * Removes a folder in which a program that a server had started may still write. `maxRetries` of Node does not help: it
 * does not list a folder again.
 */
export function removeFolder(folder) {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
