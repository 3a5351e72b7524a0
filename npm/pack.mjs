// Packs the command and the programs of platforms for npm. See `pack` in this folder.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, version } from "./version.mjs";

const USAGE = "usage: npm/pack --out FOLDER [--repository URL] PLATFORM=PROGRAM …";

const command = JSON.parse(readFileSync(join(ROOT, "npm/sitegen/package.json"), "utf8"));
/** Packages with a program: `@sitegen/linux-x64` of the platform `linux-x64`. */
const packages = new Map(Object.keys(command.optionalDependencies).map((name) => [name.split("/")[1], name]));
const { out, repository, programs } = readArguments();

for (const [platform, program] of programs) checkProgram(platform, program);

const work = mkdtempSync(join(tmpdir(), "sitegen-pack-"));
process.once("exit", () => rmSync(work, { recursive: true, force: true }));
mkdirSync(out, { recursive: true });
pack([...[...programs].map(([platform, program]) => platformPackage(platform, program)), commandPackage()]);

function readArguments() {
  try {
    const options = { out: { type: "string" }, repository: { type: "string" } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (!values.out || positionals.length === 0) fail(USAGE);
    const programs = new Map(positionals.map((word) => /** @type {[string, string]} */ (word.split(/=(.*)/s).slice(0, 2))));
    return { out: resolve(values.out), repository: values.repository, programs };
  } catch (error) {
    return fail(`${error.message}\n${USAGE}`);
  }
}

function checkProgram(platform, program) {
  if (!packages.has(platform)) fail(`no package is for \`${platform}\`; there are ${[...packages.keys()].join(", ")}`);
  if (!program) fail(`which program is for ${platform}? Write ${platform}=PROGRAM`);
  if (!statSync(program, { throwIfNoEntry: false })?.isFile()) fail(`the program for ${platform} does not exist: ${program}`);
  // Programs of other platforms do not run here.
  if (platform !== `${process.platform}-${process.arch}`) return;
  const run = spawnSync(resolve(program), ["--version"], { encoding: "utf8" });
  if (run.status !== 0) fail(`\`${program} --version\` failed: ${run.error?.message ?? run.stderr.trim()}`);
  const said = run.stdout.trim();
  if (said !== `sitegen ${version}`) fail(`\`${program}\` is ${said}, and Cargo.toml says ${version}: build it again`);
}

/** Writes a package with the program of a platform, and returns its folder. */
function platformPackage(platform, program) {
  const folder = join(work, platform);
  const [os, cpu] = platform.split("-");
  mkdirSync(join(folder, "bin"), { recursive: true });
  cpSync(program, join(folder, "bin/sitegen"));
  chmodSync(join(folder, "bin/sitegen"), 0o755);
  write(folder, {
    name: packages.get(platform),
    version,
    description: `The program of ${command.name} for ${platform}`,
    license: command.license,
    os: [os],
    cpu: [cpu],
    // The program is linked to glibc: on Alpine, npm leaves the package out.
    ...(os === "linux" && { libc: ["glibc"] }),
    // Package managers that keep packages zipped unpack this one.
    preferUnplugged: true,
    files: ["bin"],
  });
  const text = `# ${packages.get(platform)}\n\nThe program of [${command.name}](https://www.npmjs.com/package/${command.name}) for ${platform}.\n`;
  writeFileSync(join(folder, "README.md"), text);
  return folder;
}

/** Writes the package with the command, which depends on the packages of all platforms, and returns its folder. */
function commandPackage() {
  const folder = join(work, "command");
  cpSync(join(ROOT, "npm/sitegen"), folder, { recursive: true });
  const optionalDependencies = Object.fromEntries([...packages.values()].map((name) => [name, version]));
  write(folder, { ...command, version, optionalDependencies });
  return folder;
}

function write(folder, manifest) {
  // npm publishes with provenance only if the package names the repository that it is built in.
  const source = repository && { repository: { type: "git", url: `git+${repository}.git` } };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...source }, null, 2)}\n`);
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

/** Runs `npm pack`, and prints the paths of the tarballs. */
function pack(folders) {
  const words = ["pack", ...folders, "--pack-destination", out, "--ignore-scripts", "--loglevel=error"];
  const run = spawnSync("npm", words, { encoding: "utf8", cwd: work });
  if (run.status !== 0) fail(`\`npm pack\` failed: ${run.error?.message ?? run.stderr.trim()}`);
  for (const name of run.stdout.trim().split("\n")) console.log(join(out, name));
}

/** @returns {never} */
function fail(problem) {
  console.error(`error: ${problem}`);
  process.exit(2);
}
