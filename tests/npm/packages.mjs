// Installations of the npm packages under test: real ones of what `npm/pack` writes, and small ones with a stand-in for the
// program, in which the command can meet what no test machine has.

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

export const PROGRAM = resolve(process.env.SITEGEN || "target/release/sitegen");
export const PLATFORM = `${process.platform}-${process.arch}`;
export const command = JSON.parse(readFileSync("npm/sitegen/package.json", "utf8"));
export const platforms = Object.keys(command.optionalDependencies).map((name) => name.split("/")[1]);
export const version = /^version = "(.+)"$/m.exec(readFileSync("Cargo.toml", "utf8"))[1];

/** All files of a test lie below this folder. No `node_modules` is in or above it. */
export const folder = mkdtempSync(join(tmpdir(), "sitegen-npm-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

// What a user of npm has set must not decide, and neither what runs this test.
for (const name of Object.keys(process.env)) if (/^SITEGEN_/.test(name)) delete process.env[name];

/** Runs a program to its end. */
export function run(program, args, options = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", ...options });
  if (error) throw error;
  return { status, signal, stdout, stderr };
}

export const pack = (...args) => run("npm/pack", args);

/** Writes an executable shell script. */
export function script(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/**
 * Packs the program for this platform and stand-ins for the others. Returns the tarballs by the name of their package: `file`,
 * its `manifest`, and the `files` in it with their modes.
 */
export function packAll(out) {
  const standIn = script(join(folder, "stand-in"), "exit 70");
  const programs = platforms.map((platform) => `${platform}=${platform === PLATFORM ? PROGRAM : standIn}`);
  const { status, stderr } = pack("--out", out, "--repository", "https://github.com/owner/sitegen", ...programs);
  if (status !== 0) throw new Error(stderr);
  const tarballs = readdirSync(out).map((name) => {
    const file = join(out, name);
    const content = `${file}.content`;
    mkdirSync(content);
    run("tar", ["-xf", file, "-C", content]);
    const files = readdirSync(content, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    const modes = paths.map((path) => /** @type {[string, number]} */ ([relative(content, path), statSync(path).mode & 0o777]));
    return { file, manifest: JSON.parse(readFileSync(join(content, "package/package.json"), "utf8")), files: new Map(modes) };
  });
  return new Map(tarballs.map((tarball) => [tarball.manifest.name, tarball]));
}

/**
 * Installs the packages of this project from their tarballs; npm takes those of others from its cache, if it has them.
 * The registry is not asked for the packages of this project: it may have other ones of the same version.
 */
export function install(tarballs) {
  const home = join(folder, "installed");
  mkdirSync(home);
  const { [command.name]: own, ...programs } = Object.fromEntries(
    [...tarballs].map(([name, { file }]) => [name, `file:${file}`]),
  );
  const manifest = { private: true, dependencies: { [command.name]: own }, overrides: programs };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  const words = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const { status, stderr } = run("npm", words, { cwd: home });
  if (status !== 0) throw new Error(`npm ${words.join(" ")}: status ${status}\n${stderr}`);
  return home;
}

let number = 0;

/** Installs the command with a shell script as the program; `null` leaves its package out. Returns the command. */
export function standIn(text) {
  const modules = join(folder, `stand-in-${number++}`, "node_modules");
  const home = join(modules, command.name);
  cpSync("npm/sitegen", home, { recursive: true });
  if (text !== null) script(join(modules, dirname(command.name), PLATFORM, "bin/sitegen"), text);
  return join(home, "bin/sitegen.js");
}

/** Packages as pnpm lays them out: each in a folder of its own, with links to those it depends on. Returns the command. */
export function withPnpm(home, installed) {
  const store = join(home, "node_modules/.pnpm/command/node_modules");
  const packages = join(installed, "node_modules");
  cpSync(join(packages, command.name), join(store, command.name), { recursive: true });
  const alone = ["esbuild", "react", ...Object.keys(command.dependencies)];
  for (const name of new Set([...alone, `${dirname(command.name)}/${PLATFORM}`])) {
    mkdirSync(dirname(join(store, name)), { recursive: true });
    symlinkSync(join(packages, name), join(store, name));
  }
  const link = join(home, "node_modules", command.name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(store, command.name), link);
  return join(link, "bin/sitegen.js");
}

/** Starts a command, and waits until a pattern is in its output. `ended` resolves to its status and signal. */
export function started(program, args, pattern, options = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  process.once("exit", () => child.kill("SIGKILL"));
  let said = "";
  const ended = new Promise((done) => child.once("close", (status, signal) => done({ status, signal, said })));
  return new Promise((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        said += text;
        const found = pattern.exec(said);
        if (found) done({ child, ended, found });
      });
    }
    ended.then(() => fail(new Error(`${program} ended:\n${said}`)));
  });
}
