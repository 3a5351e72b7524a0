// The extension for Visual Studio Code: packed, looked into, and started with a stand-in for the editor's own module. The client
// library and the language server are the real ones.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { strFromU8, unzipSync } from "fflate";
import { version } from "../../npm/version.mjs";
import { ROOT } from "../browser/site.mjs";
import { newSite, SITEGEN } from "./site.mjs";
import { standIn } from "./stand-in.mjs";

process.env.SITEGEN_NODE_MODULES = join(ROOT, "node_modules");

const folder = mkdtempSync(join(tmpdir(), "sitegen-vscode-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Packs the extension into a folder. */
function pack(out, ...more) {
  const words = ["run", "--silent", "--prefix", join(ROOT, "editors/vscode"), "package", "--", "--out", out, ...more];
  const { INIT_CWD: _, ...env } = process.env;
  return spawnSync("npm", words, { cwd: folder, env, encoding: "utf8" });
}

const packed = pack("one", "--repository", "https://github.com/owner/sitegen");
assert.equal(packed.status, 0, packed.stderr);
const file = packed.stdout.trim();
const files = unzipSync(readFileSync(file));
const text = (path) => strFromU8(files[path]);

describe("the package", () => {
  it("holds the extension, what describes it, and the licenses", () => {
    assert.equal(file, join(folder, "one", `sitegen-vscode-${version}.vsix`));
    assert.deepEqual(Object.keys(files).sort(), [
      "[Content_Types].xml",
      "extension.vsixmanifest",
      "extension/LICENSE.txt",
      "extension/ThirdPartyNotices.txt",
      "extension/dist/extension.js",
      "extension/icon.png",
      "extension/package.json",
      "extension/readme.md",
    ]);
    assert.equal(text("extension/LICENSE.txt"), readFileSync(join(ROOT, "LICENSE"), "utf8"));
    assert.match(text("extension/ThirdPartyNotices.txt"), /^vscode-languageclient [\d.]+ \(MIT\)$/m);
    assert.deepEqual(
      [...files["extension/icon.png"].slice(1, 4)],
      [..."PNG"].map((letter) => letter.charCodeAt(0)),
    );
  });

  it("says what the editor reads before it starts anything", () => {
    const manifest = JSON.parse(text("extension/package.json"));
    assert.equal(manifest.version, version);
    assert.deepEqual(manifest.activationEvents, ["workspaceContains:content/site.yaml", "workspaceContains:*/content/site.yaml"]);
    assert.ok(files[join("extension", manifest.main)], manifest.main);
    assert.ok(files[join("extension", manifest.icon)], manifest.icon);
    assert.equal(manifest.scripts, undefined);
    assert.equal(manifest.repository.url, "https://github.com/owner/sitegen.git");
    const description = text("extension.vsixmanifest");
    assert.match(description, new RegExp(`Id="sitegen" Version="${version}" Publisher="sitegen"`));
    assert.ok(description.includes(`Value="${manifest.engines.vscode}"`));
    for (const [, path] of description.matchAll(/ Path="([^"]+)"/g)) assert.ok(files[path], path);
    // Each ending has a type.
    const types = [...text("[Content_Types].xml").matchAll(/Extension="\.([a-z]+)"/g)].map(([, ending]) => ending);
    for (const path of Object.keys(files).slice(2)) assert.ok(types.includes(path.split(".").at(-1)), path);
  });

  it("names every setting and command that the code has", () => {
    const { contributes } = JSON.parse(text("extension/package.json"));
    const code = readFileSync(join(ROOT, "editors/vscode/src/extension.ts"), "utf8");
    const names = [...code.matchAll(/"sitegen\.([a-zA-Z]+)"/g)].map(([, name]) => `sitegen.${name}`);
    const known = [...Object.keys(contributes.configuration.properties), ...contributes.commands.map(({ command }) => command)];
    for (const name of names.filter((name) => name !== "sitegen.active")) assert.ok(known.includes(name), name);
    const readme = text("extension/readme.md");
    for (const name of Object.keys(contributes.configuration.properties)) assert.ok(readme.includes(`\`${name}\``), name);
  });

  it("has the same bytes each time, and says how it is used", () => {
    const again = pack(join(folder, "two"), "--repository", "https://github.com/owner/sitegen");
    assert.ok(readFileSync(again.stdout.trim()).equals(readFileSync(file)));
    const wrong = spawnSync(process.execPath, ["editors/vscode/pack.mjs"], { cwd: ROOT, encoding: "utf8" });
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /^error: the option --out is missing\nusage: npm run/);
  });
});

/** What settings write for the folder that is open. */
const FOLDER = ["$", "{workspaceFolder}"].join("");

describe("finding the site and the program", async () => {
  const out = join(folder, "find.mjs");
  await build({
    entryPoints: [join(ROOT, "editors/vscode/src/find.ts")],
    outfile: out,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const { findProgram, findSite } = await import(pathToFileURL(out).href);
  const write = (path, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
    chmodSync(join(folder, path), mode);
    return join(folder, path);
  };
  const [open, site] = [join(folder, "open"), join(folder, "open/site")];
  write("open/site/content/site.yaml");
  write("open/empty/readme.md");

  it("takes the folder that is open, or one right below it", async () => {
    assert.equal(await findSite(site), site);
    assert.equal(await findSite(open), site);
    assert.equal(await findSite(join(open, "empty")), undefined);
    assert.equal(await findSite(join(open, "nothing")), undefined);
  });

  it("takes the setting, then node_modules, then PATH", async () => {
    const path = write("path/sitegen", 0o755);
    const find = (setting, own = join(folder, "path")) => findProgram(site, open, setting, own);
    assert.deepEqual(await find(""), { program: path });
    const above = write("open/node_modules/.bin/sitegen", 0o755);
    assert.deepEqual(await find(""), { program: above });
    const own = write("open/site/node_modules/.bin/sitegen", 0o755);
    assert.deepEqual(await find(""), { program: own });
    const named = write("open/target/sitegen", 0o755);
    for (const setting of ["target/sitegen", named, `${FOLDER}/target/sitegen`])
      assert.deepEqual(await find(setting), { program: named });
  });

  it("says what is wrong with a setting, and does not start another program", async () => {
    write("open/notes.txt");
    const problem = async (setting) => (await findProgram(site, open, setting, join(folder, "path"))).problem;
    assert.match(await problem("missing"), /sitegen\.path names .*open\/missing, which does not exist/);
    assert.match(await problem("notes.txt"), /which is not a program that can be started/);
    assert.match(await problem(FOLDER), /which is not a program/);
  });

  it("says how to install the program if there is none", async () => {
    const elsewhere = join(folder, "elsewhere");
    const { problem, hint } = await findProgram(elsewhere, elsewhere, "", join(folder, "nothing"));
    assert.match(problem, /neither in node_modules of this site nor in PATH/);
    assert.match(hint, /npm install/);
  });
});

describe("the extension in an editor", () => {
  const site = newSite();
  after(site.remove);
  const HOME = join(site.folder, "content/pages/home/en.yaml");
  const home = readFileSync(HOME, "utf8");
  const main = join(folder, "extension.js");
  writeFileSync(main, files["extension/dist/extension.js"]);

  /** Starts the packed code in an editor. */
  async function start(options) {
    const own = standIn(options);
    // The editor answers for this name; each start has code and state of its own.
    const loader = /** @type {any} */ (Module);
    const load = loader._load;
    loader._load = (name, ...rest) => (name === "vscode" ? own.vscode : load(name, ...rest));
    const require = createRequire(main);
    delete require.cache[main];
    const extension = require(main);
    loader._load = load;
    const context = { subscriptions: [] };
    await extension.activate(context);
    return { ...own, extension, context };
  }

  const until = async (test, what) => {
    for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20)))
      if (test()) return;
    assert.fail(what);
  };
  const codes = (own, path) => (own.state.problems.get(path) ?? []).map(({ code }) => code?.value ?? code);

  it("shows a mistake while it is typed, and forgets it", async () => {
    const own = await start({ folders: [site.folder], settings: { "sitegen.path": SITEGEN } });
    assert.deepEqual(own.state.messages, []);
    assert.equal(own.state.contexts["sitegen.active"], true);
    const document = await own.open(HOME, "yaml", home);
    await own.replace(document, home.replace("eyebrow:", "eyebro:"));
    await until(() => codes(own, HOME).includes("unknown-key"), "the mistake is shown");
    const problem = own.state.problems.get(HOME).find(({ code }) => (code?.value ?? code) === "unknown-key");
    assert.match(problem.message, /did you mean `eyebrow`\?/);
    assert.equal(problem.severity, own.vscode.DiagnosticSeverity.Error);
    await own.replace(document, home);
    await until(() => codes(own, HOME).length === 0, "the mistake is gone");
    await own.extension.deactivate();
  });

  it("finds a site below the folder, and restarts with another setting", async () => {
    const settings = { "sitegen.path": SITEGEN };
    const own = await start({ folders: [dirname(site.folder)], settings });
    const document = await own.open(HOME, "yaml", home);
    await own.replace(document, `${home}# A comment\ntitle: again\n`);
    await until(() => codes(own, HOME).length > 0, "the mistake is shown");
    await own.set("sitegen.strict", true);
    await own.state.commands.get("sitegen.restart")();
    assert.ok(
      own.state.log.some((line) => line.endsWith("--strict")),
      own.state.log.join("\n"),
    );
    await until(() => codes(own, HOME).length > 0, "the mistake is shown again");
    await own.extension.deactivate();
  });

  it("starts nothing in a folder that holds no site, until one with a site is opened", async () => {
    const empty = join(folder, "open/empty");
    const own = await start({ folders: [empty], settings: { "sitegen.path": SITEGEN } });
    assert.deepEqual(
      own.state.log.filter((line) => line.startsWith("info")),
      [],
    );
    await own.setFolders([empty, site.folder]);
    const document = await own.open(HOME, "yaml", home);
    await own.replace(document, home.replace("eyebrow:", "eyebro:"));
    await until(() => codes(own, HOME).includes("unknown-key"), "the mistake is shown");
    await own.setFolders([empty]);
    await own.state.commands.get("sitegen.showLog")();
    await until(() => own.state.problems.size === 0, "the problems of a closed folder are gone");
    await own.extension.deactivate();
  });

  it("says that the program is missing, and tries again", async () => {
    const settings = { "sitegen.path": join(folder, "no-such-program") };
    const choices = ["Open Settings", "Try Again"];
    const own = await start({
      folders: [site.folder],
      settings,
      answer: (message, buttons) => {
        assert.deepEqual(buttons, ["Open Settings", "Try Again", "Show Log"], message);
        if (choices[0] === "Try Again") settings["sitegen.path"] = SITEGEN;
        return choices.shift();
      },
    });
    await until(() => own.state.executed.length > 0, "the settings are opened");
    assert.deepEqual(own.state.executed, ["workbench.action.openSettings sitegen.path"]);
    assert.match(own.state.messages[0], /no-such-program, which does not exist\. Correct the setting/);
    await own.state.commands.get("sitegen.restart")();
    await until(() => own.state.log.some((line) => line.startsWith("info:") && line.includes(SITEGEN)), "it was started");
    const document = await own.open(HOME, "yaml", home);
    await own.replace(document, home.replace("eyebrow:", "eyebro:"));
    await until(() => codes(own, HOME).includes("unknown-key"), "the mistake is shown");
    await own.extension.deactivate();
  });
});
