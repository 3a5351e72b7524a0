// Installs Python packages that tests use from PyPI into target/, unless they are already installed.
//
// Test files call this module at the top level, so that downloads do not count toward the timeout of a test.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Takes a lock for which other test files wait: a file with the process that has it. Returns a function that releases it. */
function take(lock) {
  mkdirSync("target", { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const owner = Number(existsSync(lock) && readFileSync(lock, "utf8"));
      // It was killed while it installed.
      if (owner && !isRunning(owner)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** Tells whether a process is there. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Returns the path of a command. Each line of the requirement is a package with its version: `cfn-lint==1.58.0`. */
export function python(folder, requirement, command) {
  const home = `target/${folder}`;
  // This file is written last. If it is missing or has another version, the installation is incomplete or outdated.
  const installed = `${home}/installed`;
  const isInstalled = () => existsSync(installed) && readFileSync(installed, "utf8") === requirement;
  const release = isInstalled() ? () => {} : take(`${home}.lock`);
  // Another file may have installed it meanwhile.
  if (!isInstalled()) {
    rmSync(home, { recursive: true, force: true });
    for (const [program, ...rest] of [
      ["python3", "-m", "venv", home],
      [`${home}/bin/pip`, "install", "--quiet", ...requirement.split("\n")],
    ]) {
      const made = spawnSync(program, rest, { encoding: "utf8" });
      if (made.status !== 0) release();
      if (made.status !== 0) throw new Error(`${program} ${rest.join(" ")}: ${made.error?.message ?? made.stderr}`);
    }
    writeFileSync(installed, requirement);
  }
  release();
  return `${home}/bin/${command}`;
}
