#!/usr/bin/env node
// The command `sitegen`: starts the program in the package of this platform with the same arguments, passes signals on to
// it, and ends as it ends. It also tells the program where the npm packages are that it works with.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";

const require = createRequire(import.meta.url);
const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const environment = { ...process.env, SITEGEN_INSTALLED_BY: "npm" };
environment.SITEGEN_NODE ||= process.execPath;
if (!environment.SITEGEN_NODE_MODULES) Object.assign(environment, locatePackages());

// Ctrl+C reaches the program by itself, because the terminal sends it to both. The signal that this process got is still
// passed on: `kill`, containers and process managers send it to this one only, and a second one does no harm. Handlers are
// there before the program is: a signal in between would end this process alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => child.kill(signal));

const child = spawn(locateProgram(), process.argv.slice(2), { stdio: "inherit", env: environment });
child.once("error", (error) =>
  fail(`the program could not be started (${error.message})`, "remove `node_modules` and run `npm install` again"),
);

child.once("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // A shell stops a script after Ctrl+C only if the command was ended by the signal itself.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Signals that Node.js ignores leave the status that a shell would give.
  process.exitCode = 128 + constants.signals[signal];
});

/** The program for this platform. Ends with an explanation if it is not installed. */
function locateProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const name = `${own.name.split("/")[0]}/${platform}`;
  if (!Object.hasOwn(own.optionalDependencies, name)) {
    const others = Object.keys(own.optionalDependencies).map((other) => other.split("/")[1]);
    fail(
      `sitegen has no program for ${platform}; there are ${others.join(", ")}`,
      process.platform === "win32"
        ? "run it in WSL, a Linux inside of Windows: https://learn.microsoft.com/windows/wsl/install"
        : "compile it with Rust: run `cargo install --path .` in a clone of sitegen",
    );
  }
  try {
    return require.resolve(`${name}/bin/sitegen`);
  } catch {
    if (process.platform === "linux" && isMusl()) {
      fail(
        "sitegen needs glibc, and this Linux has another C library, as Alpine does",
        "use an image with glibc, such as `node:22-slim`, or run `cargo install --path .` in a clone of sitegen",
      );
    }
    fail(
      `the package ${name}, which holds the program, is not installed`,
      "install again without `--omit=optional` and `--no-optional`, on the system that runs it: `npm install`",
    );
  }
}

function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

/**
 * The variables that name the packages sitegen works with. The program finds them by itself in the first `node_modules`
 * in or above the site. npm puts them there; pnpm, `npm install --global` and `npx` keep them elsewhere.
 */
function locatePackages() {
  const nearest = ancestors(siteFolder())
    .map((folder) => join(folder, "node_modules"))
    .find((folder) => existsSync(folder));
  if (nearest && holdsPackages(nearest)) return {};

  // Not `require.resolve("react")`, which follows the link to a folder where pnpm keeps React alone.
  const folder = require.resolve.paths(own.name)?.find(holdsPackages);
  // The program reports what it misses.
  if (!folder) return {};
  return {
    SITEGEN_NODE_MODULES: folder,
    SITEGEN_ESBUILD: process.env.SITEGEN_ESBUILD || locate(folder, "esbuild", "bin/esbuild"),
    SITEGEN_PAGEFIND: process.env.SITEGEN_PAGEFIND || locate(folder, "pagefind", "bin/pagefind_extended"),
  };
}

function holdsPackages(folder) {
  return Object.keys(own.dependencies).every((name) => existsSync(join(folder, name, "package.json")));
}

/** The executable of a package is in another one for each platform, which with pnpm only that package sees. */
function locate(folder, name, executable) {
  const from = createRequire(realpathSync(join(folder, name, "package.json")));
  try {
    return from.resolve(`@${name}/${process.platform}-${process.arch}/${executable}`);
  } catch {
    return undefined;
  }
}

/** The folder of the site: that of `--root`, or the current one. */
function siteFolder() {
  const words = process.argv.slice(2);
  const at = words.findIndex((word) => word === "--root" || word.startsWith("--root="));
  if (at === -1) return process.cwd();
  return resolve(words[at].slice("--root=".length) || (words[at + 1] ?? "."));
}

/** A folder and those above it. */
function ancestors(folder) {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

/** Prints a problem as the program does, and ends with its status for causes outside of the site. */
function fail(problem, hint) {
  console.error(`error: ${problem}\n  hint: ${hint}`);
  process.exit(3);
}
