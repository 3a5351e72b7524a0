// Commands of Python packages that tests use, installed from PyPI below target/ when they are not there yet.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The path of a command of a package; the requirement names its version: `cfn-lint==1.58.0`. */
export function python(folder, requirement, command) {
  const home = `target/${folder}`;
  if (!existsSync(`${home}/bin/${command}`)) {
    for (const [program, ...rest] of [["python3", "-m", "venv", home], [`${home}/bin/pip`, "install", "--quiet", requirement]]) {
      const made = spawnSync(program, rest, { encoding: "utf8" });
      assert.equal(made.status, 0, made.stderr);
    }
  }
  return `${home}/bin/${command}`;
}
