// Commands of Python packages that tests use, installed from PyPI below target/ when they are not there yet.
//
// A file asks for them before its tests begin: the first time on a machine takes as long as its network does, which is no
// test's time.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** The path of a command of a package; the requirement names its version: `cfn-lint==1.58.0`. */
export function python(folder, requirement, command) {
  const home = `target/${folder}`;
  // Written last: a folder without it, or with another version's name in it, was never finished.
  const installed = `${home}/installed`;
  if (!existsSync(installed) || readFileSync(installed, "utf8") !== requirement) {
    rmSync(home, { recursive: true, force: true });
    for (const [program, ...rest] of [["python3", "-m", "venv", home], [`${home}/bin/pip`, "install", "--quiet", requirement]]) {
      const made = spawnSync(program, rest, { encoding: "utf8" });
      if (made.status !== 0) throw new Error(`${program} ${rest.join(" ")}: ${made.error?.message ?? made.stderr}`);
    }
    writeFileSync(installed, requirement);
  }
  return `${home}/bin/${command}`;
}
