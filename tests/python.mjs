// Installs Python packages that tests use from PyPI into target/, unless they are already installed.
//
// Test files call this module at the top level, so that downloads do not count toward the timeout of a test.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Returns the path of a command. Each line of the requirement is a package with its version: `cfn-lint==1.58.0`. */
export function python(folder, requirement, command) {
  const home = `target/${folder}`;
  // This file is written last. If it is missing or has another version, the installation is incomplete or outdated.
  const installed = `${home}/installed`;
  if (!existsSync(installed) || readFileSync(installed, "utf8") !== requirement) {
    rmSync(home, { recursive: true, force: true });
    for (const [program, ...rest] of [
      ["python3", "-m", "venv", home],
      [`${home}/bin/pip`, "install", "--quiet", ...requirement.split("\n")],
    ]) {
      const made = spawnSync(program, rest, { encoding: "utf8" });
      if (made.status !== 0) throw new Error(`${program} ${rest.join(" ")}: ${made.error?.message ?? made.stderr}`);
    }
    writeFileSync(installed, requirement);
  }
  return `${home}/bin/${command}`;
}
