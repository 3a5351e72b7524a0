// The language server, through the client library of the protocol: bad input, and that it reports what `check` reports.

import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { CancellationTokenSource } from "vscode-languageserver-protocol/node";
import { ROOT } from "../browser/site.mjs";
import { editor, stopAll } from "./client.mjs";
import { newSite, removeFolder, sitegen } from "./site.mjs";

const HOME = "content/pages/home/en.yaml";
const ABOUT = "content/pages/about/en.yaml";

after(stopAll);

describe("sections on many pages", () => {
  it("their pages are completed, explained, found and renamed, and their mistakes shown while they are typed", async () => {
    const site = newSite();
    after(site.remove);
    const [page, words] = ["content/pages/call/page.yaml", "content/pages/call/en.yaml"];
    site.write(
      page,
      'on_pages: ["*"]\nnot_on_pages: [about]\nsections:\n  line: {kind: call_to_action, actions: [{to: page:contact}]}\n',
    );
    const call = (title, label) => `line.title: ${title}\nline.actions.1.label: ${label}\n`;
    site.write(words, call("Call us any day", "Write to us"));
    site.write("content/pages/call/es.yaml", call("Llámanos cualquier día", "Escríbenos"));
    const own = await editor(site.folder);
    await own.open(page);
    await own.clean(page);
    // The names of a site are known once it was read.
    let patterns = [];
    for (const end = Date.now() + 20_000; patterns.length === 0 && Date.now() < end; ) {
      patterns = await own.completions(page, "not_on_pages: [");
    }
    for (const name of ['"*"', "blog/*", "about", "home"]) assert.ok(patterns.includes(name), `${name}: ${patterns}`);
    assert.match(JSON.stringify(await own.ask("hover", page, "[about", {}, 3)), /About/);
    assert.match(JSON.stringify(await own.ask("hover", page, '"*"', {}, 1)), /all \d+ pages/);
    assert.match(JSON.stringify(await own.ask("hover", page, "on_pages", {}, 2)), /shown at the end of other pages/);
    const [found] = await own.ask("definition", page, "[about", {}, 3);
    assert.equal(found.uri, pathToFileURL(join(site.folder, ABOUT)).href);
    await own.type(page, "[about]", "[abuot]");
    const problem = await own.problem(page, "unknown-id");
    assert.equal(problem.range.start.line, 1);
    await own.type(page, "[abuot]", "[about]");
    await own.clean(page);
    // The words of one language: only what sections can have.
    await own.open(words);
    const keys = await own.completions(words, call("Call us any day", "Write to us"));
    assert.ok(
      keys.includes("line.lead") || keys.includes("line.intro") || keys.some((key) => key.startsWith("line.")),
      `${keys}`,
    );
    for (const key of ["path", "title", "layout"]) assert.ok(!keys.includes(key), `${key}: ${keys}`);
    await own.type(words, "line.title", "line.titel");
    await own.problem(words, "unknown-key");
    await own.type(words, "line.titel", "line.title");
    await own.clean(words);
    const { documentChanges } = await own.ask("rename", page, "[about", { newName: "us" }, 3);
    const edits = documentChanges.filter(({ textDocument }) => textDocument?.uri.endsWith("call/page.yaml"));
    assert.deepEqual(
      edits[0].edits.map(({ newText }) => newText),
      ["us"],
    );
    await own.stop();
  });
});

describe("collections", () => {
  it("their fields and entries are completed, explained, found and checked", async () => {
    const site = newSite();
    after(site.remove);
    const schema = (fields) => `meaning: For the test.\nfields:\n${fields}`;
    site.write(
      "templates/collections/events/schema.yaml",
      schema(
        "  title: {type: text, required: true, meaning: Its name.}\n  place: {type: reference, to: places, meaning: Where it is.}\n",
      ),
    );
    site.write("templates/collections/places/schema.yaml", schema("  name: {type: text, required: true, meaning: Its name.}\n"));
    site.write("content/places/hall.yaml", "name: The great hall\n");
    site.write("content/places/yard.yaml", "name: The yard\n");
    const path = "content/events/one.yaml";
    site.write(path, "title: One\nplace: hall\n");
    const own = await editor(site.folder);
    await own.open(path);
    await own.type(path, "place: hall", "place: hal");
    await own.problem(path, "unknown-id");
    await own.type(path, "place: hal", "place: hall");
    await own.clean(path);
    assert.deepEqual(await own.completions(path, "place: "), ["hall", "yard"]);
    assert.match(JSON.stringify(await own.ask("hover", path, "place", {}, 1)), /Where it is/);
    const [found] = await own.ask("definition", path, "hall", {}, 1);
    assert.equal(found.uri, pathToFileURL(join(site.folder, "content/places/hall.yaml")).href);
    await own.stop();
  });

  it("names are found in texts as they are typed, in other documents, and in files that others have written", async () => {
    const site = newSite();
    after(site.remove);
    const name = "type: text, required: true, meaning: Its name.";
    const schema = (fields) => `meaning: For the test.\nfields:\n${fields}`;
    site.write("templates/collections/places/schema.yaml", schema(`  name: {${name}}\n`));
    site.write(
      "templates/collections/events/schema.yaml",
      schema(`  title: {${name}}\n  place: {type: reference, to: places, meaning: Where it is.}\n`),
    );
    site.write("content/places/hall.yaml", "name: The great hall\n");
    site.write("content/places/yard.yaml", "name: The yard\n");
    const [one, two] = ["content/events/one.yaml", "content/events/two.yaml"];
    site.write(one, "title: One\nplace: hall\n");
    site.write(two, "title: Two\nplace: hall\n");
    const own = await editor(site.folder);
    await own.open(one);
    const uses = async (path, before, shift) => {
      const found = await own.ask("references", path, before, { context: { includeDeclaration: false } }, shift);
      return found.map(({ uri, range }) => `${uri.split("/").slice(-2).join("/")}:${range.start.line}`).sort();
    };
    assert.deepEqual(await uses(one, "place: hall", 8), ["events/one.yaml:1", "events/two.yaml:1"]);
    await own.type(one, "place:", "# A note.\nplace:");
    assert.deepEqual(await uses(one, "place: hall", 8), ["events/one.yaml:2", "events/two.yaml:1"]);
    const { placeholder, range } = await own.ask("prepareRename", one, "place: hall", {}, 8);
    assert.deepEqual([placeholder, range.start.line], ["hall", 2]);
    await own.type(one, "place: hall", "place: yard");
    assert.deepEqual(await uses(one, "place: yard", 8), ["events/one.yaml:2"]);
    // A second document, and a page, whose sections are read with the pages of its other languages.
    await own.open(two);
    await own.type(two, "place: hall", "\nplace: yard");
    assert.deepEqual(await uses(two, "place: yard", 8), ["events/one.yaml:2", "events/two.yaml:2"]);
    await own.open(HOME);
    const text = own.textOf(HOME);
    const line = text.slice(0, text.indexOf("page:contact")).split("\n").length - 1;
    await own.type(HOME, "page:contact", "page:about");
    assert.ok((await uses(HOME, "page:about", 7)).includes(`home/en.yaml:${line}`));
    site.write("content/events/three.yaml", "title: Three\nplace: yard\n");
    await own.type(one, "# A note.\n", "");
    assert.deepEqual(await uses(one, "place: yard", 8), ["events/one.yaml:1", "events/three.yaml:1", "events/two.yaml:2"]);
    await own.stop();
  });
});

describe("bad input", () => {
  it("a folder that is no site has no problems, and can become one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sitegen-lsp-"));
    after(() => removeFolder(folder));
    writeFileSync(join(folder, "notes.yaml"), "a: [\n");
    const own = await editor(folder);
    await own.open("notes.yaml");
    assert.equal(await own.ask("hover", "notes.yaml", "a", {}, 0), null);
    assert.deepEqual(await own.completions("notes.yaml", "a: ["), []);
    assert.equal((await own.stop()).code, 0);
  });

  it("a site below the folder of the editor is found", async () => {
    const site = newSite();
    after(site.remove);
    const parent = join(site.folder, "..");
    const own = await editor(parent);
    await own.open("site/content/pages/home/en.yaml");
    await own.type("site/content/pages/home/en.yaml", "title:", "titel:");
    await own.problem("site/content/pages/home/en.yaml", "unknown-key");
    await own.stop();
  });

  it("files that are not UTF-8 or too large are reported, and files that vanish are forgotten", async () => {
    const site = newSite();
    after(site.remove);
    site.write("content/pages/about/en.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff]));
    site.write("content/pages/contact/en.yaml", `title: ${"x".repeat(2 * 1024 * 1024)}\n`);
    const own = await editor(site.folder);
    await own.problem("content/pages/about/en.yaml", "not-utf8");
    await own.problem("content/pages/contact/en.yaml", "too-large");
    rmSync(join(site.folder, "content/pages/about/en.yaml"));
    await own.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    await own.clean("content/pages/about/en.yaml");
    await own.stop();
  });

  it("a text that has become too large in the editor is reported, and read again once it is smaller", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder);
    await own.open(ABOUT);
    await own.clean(ABOUT);
    const long = `# ${"x".repeat(2 * 1024 * 1024)}\npath:`;
    await own.type(ABOUT, "path:", long);
    await own.problem(ABOUT, "too-large");
    await own.type(ABOUT, long, "path:");
    await own.clean(ABOUT);
    await own.stop();
  });

  it("files that are renamed outside are read where they are, also while they are open", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder);
    await own.open(ABOUT);
    await own.type(ABOUT, "title:", "titel:");
    await own.problem(ABOUT, "unknown-key");
    await own.type(ABOUT, "titel:", "title:");
    await own.clean(ABOUT);
    renameSync(join(site.folder, "content/pages/about"), join(site.folder, "content/pages/company"));
    await own.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    // The open text is not read as a second page with the same address; links to the old key are dead.
    await own.problem("content/site.yaml", "dead-link");
    assert.deepEqual(
      [...own.problems.values()].flat().filter(({ code }) => code === "path-taken"),
      [],
    );
    renameSync(join(site.folder, "content/pages/company"), join(site.folder, "content/pages/about"));
    await own.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    await own.clean("content/site.yaml");
    await own.type(ABOUT, "title:", "titel:");
    await own.problem(ABOUT, "unknown-key");
    await own.stop();
  });

  it("a site that is opened through a link has its problems at the addresses that the editor knows", async () => {
    const site = newSite();
    after(site.remove);
    const link = join(site.folder, "../link");
    symlinkSync(site.folder, link);
    const own = await editor(link);
    await own.open(ABOUT);
    await own.type(ABOUT, "title:", "titel:");
    await own.problem(ABOUT, "unknown-key");
    await own.type(ABOUT, "titel:", "title:");
    await own.clean(ABOUT);
    await own.open(HOME);
    const [found] = await own.ask("definition", HOME, "page:contact", {}, 7);
    assert.equal(found.uri, pathToFileURL(join(link, "content/pages/contact/en.yaml")).href);
    const edit = await own.ask("rename", HOME, "page:contact", { newName: "write-to-us" }, 7);
    const uris = JSON.stringify(edit).match(/file:[^"]*/g);
    assert.ok(uris.length > 2 && uris.every((uri) => uri.startsWith(pathToFileURL(link).href)), uris.join());
    await own.stop();
  });

  it("problems have the version of the text that they were found in", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder);
    await own.open(ABOUT);
    await own.clean(ABOUT);
    await own.type(ABOUT, "title:", "titel:");
    await own.type(ABOUT, "titel:", "title:");
    await own.type(ABOUT, "title:", "titel:");
    await own.problem(ABOUT, "unknown-key");
    const reported = own.reports.filter(({ path }) => path === ABOUT);
    assert.ok(reported.some(({ version }) => version > 1));
    for (const { version, codes } of reported) {
      assert.equal(codes.includes("unknown-key"), version % 2 === 0, JSON.stringify(reported));
    }
    await own.stop();
  });

  it("a typed mistake does not hide for a moment what else is wrong with the file or the site", async () => {
    const site = newSite();
    after(site.remove);
    site.edit(HOME, "page:contact", "page:nowhere");
    site.edit("content/pages/about/es.yaml", "title:", "titel:");
    const own = await editor(site.folder);
    await own.open(HOME);
    await own.problem(HOME, "dead-link");
    await own.problem("content/pages/about/es.yaml", "unknown-key");
    const first = own.reports.length;
    for (const [before, after] of [
      ["title:", "titel:"],
      ["titel:", "title:"],
      ["title:", "titel:"],
    ]) {
      await own.type(HOME, before, after);
      const isWrong = after === "titel:";
      await own.until(HOME, (found) => found.some(({ code }) => code === "unknown-key") === isWrong);
    }
    const reported = own.reports.slice(first);
    assert.ok(reported.length >= 3);
    for (const { path, codes } of reported) {
      if (path === HOME) assert.ok(codes.includes("dead-link"), JSON.stringify(reported));
      if (path === "content/pages/about/es.yaml") assert.ok(codes.includes("unknown-key"), JSON.stringify(reported));
    }
    await own.stop();
  });

  it("a cancelled request, and one whose text has changed, are refused", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder);
    await own.open(HOME);
    /** Asks until a request is refused: an answer may be there before what refuses it. Returns the code of the refusal. */
    const refused = async (ask) => {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        // After a key, an answer takes longer.
        await own.type(HOME, "title:", "title: ");
        const code = await ask().then(
          () => undefined,
          (error) => error.code,
        );
        if (code !== undefined) return code;
        await own.type(HOME, "title: ", "title:");
      }
      return undefined;
    };
    const changed = await refused(async () => {
      const asked = own.ask("references", HOME, "page:contact", { context: { includeDeclaration: true } }, 7);
      await own.type(HOME, "title: ", "title:");
      await own.type(HOME, "title:", "title: ");
      return asked;
    });
    assert.equal(changed, -32801);
    await own.type(HOME, "title: ", "title:");
    const params = { textDocument: { uri: pathToFileURL(join(site.folder, HOME)).href }, position: { line: 0, character: 0 } };
    const cancelled = await refused(async () => {
      const source = new CancellationTokenSource();
      const asked = own.connection.sendRequest("textDocument/prepareRename", params, source.token);
      source.cancel();
      return asked;
    });
    assert.equal(cancelled, -32800);
    assert.ok((await own.ask("references", HOME, "page:contact", { context: { includeDeclaration: true } }, 7)).length > 0);
    await own.stop();
  });

  it("a lock file that somebody merged by hand is reported at its lines", async () => {
    const site = newSite();
    after(site.remove);
    assert.equal(site.run("translations", "--accept").status, 0);
    const LOCK = "content/translations.lock";
    site.edit(LOCK, "pages/about es\n", "<<<<<<< ours\npages/about es\n");
    const own = await editor(site.folder);
    const problem = await own.problem(LOCK, "translations-lock");
    assert.ok(problem.range.start.line > 0, "not at the beginning of the file");
    // A rename leaves such a file alone, and says nothing that is not true.
    await own.open(HOME);
    const edit = await own.ask("rename", HOME, "page:contact", { newName: "write-to-us" }, 7);
    const files = edit.documentChanges.map((change) => change.textDocument?.uri ?? "");
    assert.ok(!files.some((uri) => uri.endsWith("translations.lock")), files.join());
    await own.stop();
  });

  it("an editor that cannot rename files is told so, and renames what needs no file", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder, { canMove: false });
    await own.open(HOME);
    await assert.rejects(own.ask("rename", HOME, "page:contact", { newName: "write-to-us" }, 7), /this editor cannot rename/);
    const POST = "content/blog/en/a-calendar-not-a-hero.md";
    const { changes } = await own.ask("rename", POST, "tags: [Main", { newName: "Care" });
    assert.ok(Object.keys(changes).some((uri) => uri.endsWith("a-calendar-not-a-hero.md")));
    await own.stop();
  });

  it("a file that is not UTF-8 on disk is read as the editor has it", async () => {
    const site = newSite();
    after(site.remove);
    const text = readFileSync(join(site.folder, ABOUT), "utf8");
    site.write(ABOUT, Buffer.from(`# caf\xe9\n${text}`, "latin1"));
    const own = await editor(site.folder);
    await own.problem(ABOUT, "not-utf8");
    await own.open(ABOUT, `# café\n${text}`);
    await own.clean(ABOUT);
    await own.stop();
  });

  it("an editor that closes in the middle ends the server", async () => {
    const site = newSite();
    after(site.remove);
    const own = await editor(site.folder);
    await own.open(HOME);
    own.server.stdin.end();
    const { code, stderr } = await own.ended;
    assert.ok(code === 0 || code === 3, `${code}: ${stderr}`);
    assert.ok(!stderr.includes("panicked"), stderr);
  });

  it("two editors at once see their own texts", async () => {
    const site = newSite();
    after(site.remove);
    const [one, other] = await Promise.all([editor(site.folder), editor(site.folder)]);
    await Promise.all([one.open(HOME), other.open(HOME)]);
    await one.type(HOME, "title:", "titel:");
    await one.problem(HOME, "unknown-key");
    await other.clean(HOME);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe("what it reports for saved files is what check reports", () => {
  const cases = join(ROOT, "tests/sites");
  for (const name of readdirSync(cases).filter((name) => existsSync(join(cases, name, "problems.txt")))) {
    it(name, async () => {
      const folder = mkdtempSync(join(tmpdir(), "sitegen-lsp-"));
      after(() => removeFolder(folder));
      cpSync(join(cases, "_base"), folder, { recursive: true });
      cpSync(join(cases, name, "in"), folder, { recursive: true });
      for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const file = join(folder, path);
        const isGone = /\.(yaml|md|html)$/.test(path) && readFileSync(file, "utf8").trim() === "REMOVED";
        if (isGone) rmSync(file);
      }
      mkdirSync(join(folder, "content"), { recursive: true });
      const { diagnostics } = JSON.parse(sitegen(folder, "check", "--format", "json").stdout);
      const expected = diagnostics.map(({ code, message, hint, path, range }) => {
        const isFile = path !== null && range !== null;
        const isOwn = isFile || (path !== null && path !== "--set" && statSync(join(folder, path)).isFile());
        const shown = isOwn ? message : `${path ? `${path}: ` : ""}${message}`;
        const start = isFile ? range.start.line - 1 : 0;
        return `${code} ${start} ${shown}${hint ? `\n${hint}` : ""}`;
      });
      const own = await editor(folder);
      const reported = () =>
        [...own.problems.values()].flat().map(({ code, message, range }) => `${code} ${range.start.line} ${message}`);
      const deadline = Date.now() + 20_000;
      while (Date.now() < deadline && reported().sort().join() !== expected.sort().join()) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.deepEqual(reported().sort(), expected.sort());
      await own.stop();
    });
  }
});
