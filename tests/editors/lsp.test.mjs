// The language server, through the client library of the protocol: a whole editing session, and bad input.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../browser/site.mjs";
import { editor, stopAll } from "./client.mjs";
import { newSite, sitegen } from "./site.mjs";

const HOME = "content/pages/home/en.yaml";
const POST = "content/blog/en/a-calendar-not-a-hero.md";

after(stopAll);

describe("an editing session", () => {
  const site = newSite();
  /** @type {Awaited<ReturnType<typeof editor>>} */
  let own;
  before(async () => {
    own = await editor(site.folder);
  });
  after(() => own.stop());
  after(site.remove);

  it("reports a mistake while it is typed, and its fix", async () => {
    await own.open(HOME);
    await own.clean(HOME);
    await own.type(HOME, "eyebrow: A", "eyebro: A");
    const problem = await own.problem(HOME, "unknown-key");
    assert.match(problem.message, /unknown key `eyebro`\ndid you mean `eyebrow`\?/);
    assert.deepEqual(problem.range.start, { line: 9, character: 4 });
    assert.deepEqual(problem.range.end, { line: 9, character: 10 });
    const fixes = await own.fixes(HOME, problem);
    assert.deepEqual([...fixes.keys()], ["Replace with `eyebrow`"]);
    await own.edit(HOME, fixes.get("Replace with `eyebrow`"));
    await own.clean(HOME);
  });

  it("reports a dead link in a file that is not open, and forgets it", async () => {
    await own.type(HOME, "id: what-we-do", "id: what-we-did");
    const uses =
      (await own.request("references", "content/pages/services/en.yaml", {
        position: { line: 0, character: 8 },
        context: { includeDeclaration: true },
      })) ?? [];
    assert.ok(uses.length > 1, "links to services");
    await own.type(HOME, "id: what-we-did", "id: what-we-do");
    await own.type(HOME, "to: page:services#build", "to: page:servics#build");
    const problem = await own.problem(HOME, "dead-link");
    assert.match(problem.message, /services/);
    await own.type(HOME, "to: page:servics#build", "to: page:services#bild");
    await own.problem(HOME, "dead-anchor");
    await own.type(HOME, "to: page:services#bild", "to: page:services#build");
    await own.clean(HOME);
  });

  it("completes links, anchors, keys, kinds and values", async () => {
    const links = await own.completions(HOME, "to: page:");
    for (const link of ["page:contact", "page:services", "page:blog", "page:lead-form"]) assert.ok(links.includes(link), link);
    await own.type(HOME, "to: page:services#build", "to: page:services#");
    assert.ok((await own.completions(HOME, "to: page:services#")).includes("page:services#build"));
    await own.complete(HOME, "to: page:services#", "page:services#build");
    await own.clean(HOME);

    await own.type(HOME, "    eyebrow: A studio for web software\n", "    \n");
    const keys = await own.completions(HOME, "size: display\n    ");
    assert.ok(keys.includes("eyebrow") && !keys.includes("lead"), keys.join());
    await own.complete(HOME, "size: display\n    ", "eyebrow");
    await own.type(HOME, "eyebrow: ", "eyebrow: A studio for web software");
    await own.clean(HOME);

    assert.deepEqual(await own.completions(HOME, "band: "), ["paper", "white", "ink", "signal"]);
    const kinds = await own.completions(HOME, "kind: ");
    assert.ok(kinds.includes("faq") && kinds.includes("hero"), kinds.join());
    assert.ok((await own.completions(HOME, "text: light, logo: ")).includes("dark"));
    assert.ok((await own.completions(HOME, 'title: "{')).includes("company.name"));
    assert.ok((await own.completions(HOME, "figure: {src: ")).includes("figures/hero.svg"));
  });

  it("completes the front matter of posts", async () => {
    await own.open(POST);
    assert.deepEqual(await own.completions(POST, "author: "), ["sam-rivera"]);
    assert.ok((await own.completions(POST, "tags: [")).includes("Maintenance"));
    await own.type(POST, "author: sam-rivera\n", "author: sam-rivera\ndr\n");
    await own.complete(POST, "\ndr", "draft");
    await own.type(POST, "draft: ", "draft: fa");
    assert.deepEqual(await own.completions(POST, "draft: fa"), ["true", "false"]);
    await own.type(POST, "draft: fa", "draft: false");
    await own.clean(POST);
    await own.type(POST, "sam-rivera", "sam-riviera");
    const fixes = await own.fixes(POST, await own.problem(POST, "unknown-id"));
    await own.edit(POST, fixes.get("Replace with `sam-rivera`"));
    await own.clean(POST);
  });

  it("explains keys, values, pages and problems", async () => {
    const text = async (before, shift) => (await own.ask("hover", HOME, before, {}, shift)).contents.value;
    assert.match(await text("title: Web", 2), /main heading/);
    assert.match(await text("band: ink", 7), /Near-black/);
    assert.match(await text("page:contact", 7), /`\/contact\/`/);
    await own.type(HOME, "size: display", "size: displa");
    await own.problem(HOME, "invalid-value");
    assert.match(await text("size: displa", 8), /\*\*invalid-value\*\*: /);
    await own.type(HOME, "size: displa", "size: display");
    await own.clean(HOME);
  });

  it("leads to the file behind a name", async () => {
    const target = async (path, before, shift) => (await own.ask("definition", path, before, {}, shift)).uri;
    assert.match(await target(HOME, "page:contact", 7), /content\/pages\/contact\/en\.yaml$/);
    assert.match(await target(HOME, "figures/hero.svg", 3), /content\/images\/figures\/hero\.svg$/);
    assert.match(await target(POST, "author: sam", 10), /content\/authors\/sam-rivera\.yaml$/);
    assert.match(await target("content/pages/home/es.yaml", "page:contact", 7), /content\/pages\/contact\/es\.yaml$/);
  });

  it("renames a page in all files and languages", async () => {
    const refused = (name) => assert.rejects(own.ask("rename", HOME, "page:services", { newName: name }, 7));
    await refused("contact");
    await refused("What we do");
    const prepared = await own.ask("prepareRename", HOME, "page:services", {}, 7);
    assert.equal(prepared.placeholder, "services");
    const edit = await own.ask("rename", HOME, "page:services", { newName: "what-we-do" }, 7);
    await own.applyEverywhere(edit);
    assert.ok(own.exists("content/pages/what-we-do/es.yaml") && !own.exists("content/pages/services"));
    assert.match(own.textOf(HOME), /page:what-we-do#build/);
    const { status, stdout } = site.run("check", "--format", "json");
    assert.equal(status, 0, stdout);
    await own.clean(HOME);
  });

  it("takes a new post and its translation", async () => {
    const [english, spanish] = ["content/blog/en/new-office.md", "content/blog/es/oficina-nueva.md"];
    const post = (title) => `---\ntitle: ${title}\ndate: 2026-01-02\nauthor: sam-rivera\nkey: office\n---\n\nText.\n`;
    await own.open(english, post("A new office"));
    await own.save(english);
    await own.open(spanish, post("Una oficina nueva"));
    await own.save(spanish);
    await own.open("content/pages/about/en.yaml");
    const body = own.textOf(POST);
    await own.type(POST, "\n## ", "\nSee [the office](page:blog/office).\n\n## ");
    // The posts are known as soon as they were read.
    const isKnown = async () => (await own.completions(POST, "page:blog/")).includes("page:blog/office");
    for (const end = Date.now() + 20_000; !(await isKnown()) && Date.now() < end; );
    assert.ok(await isKnown());
    await own.clean(POST);
    assert.match((await own.ask("definition", POST, "page:blog/office", {}, 8)).uri, /new-office\.md$/);
    await own.type(POST, "\nSee [the office](page:blog/office).\n\n## ", "\n## ");
    assert.equal(own.textOf(POST), body);
  });

  it("corrects typography, and counts columns as editors do", async () => {
    await own.type(HOME, "eyebrow: A studio", "eyebrow: 😀 A 'studio'");
    const problem = await own.problem(HOME, "typography");
    const line = own.textOf(HOME).split("\n")[problem.range.start.line];
    assert.equal(line.slice(problem.range.start.character, problem.range.end.character), "'");
    await own.edit(HOME, await own.request("formatting", HOME, { options: { tabSize: 2, insertSpaces: true } }));
    assert.match(own.textOf(HOME), /eyebrow: 😀 A ‘studio’ for/);
    await own.type(HOME, own.textOf(HOME).match(/eyebrow: .*/)[0], "eyebrow: A studio for web software");
    await own.clean(HOME);
  });

  it("outlines documents, and shows colors", async () => {
    const [symbols, headings, colors] = await Promise.all([
      own.request("documentSymbol", HOME),
      own.request("documentSymbol", POST),
      own.request("documentColor", "content/design.yaml"),
    ]);
    const sections = symbols.find((symbol) => symbol.name === "sections");
    assert.equal(sections.children[0].name, "hero");
    assert.ok(headings.length > 1);
    assert.ok(colors.length > 10 && colors.every(({ color }) => color.red <= 1));
  });

  it("survives a thousand edits in a second, and reports the last text", async () => {
    const last = "title: Web software that people keep using.";
    for (let number = 0; number < 1000; number += 1) {
      const now = own.textOf(HOME).match(/^ {4}title: .*/m)[0];
      await own.type(HOME, now, `    title: Number ${number}`);
    }
    await own.type(HOME, "    title: Number 999", "    titel: x");
    await own.problem(HOME, "unknown-key");
    await own.type(HOME, "    titel: x", `    ${last}`);
    await own.clean(HOME);
  });

  it("asks to be told of changes outside of the editor", () => {
    assert.deepEqual(
      own.registered.map(({ method }) => method),
      ["workspace/didChangeWatchedFiles"],
    );
    const globs = own.registered[0].registerOptions.watchers.map(({ globPattern }) => globPattern);
    assert.ok(globs.includes("**/content/**"), globs.join());
  });

  it("answers what it does not know with an error, and goes on", async () => {
    await assert.rejects(own.connection.sendRequest("textDocument/nonsense", {}));
    assert.equal(await own.connection.sendRequest("textDocument/hover", { wrong: true }), null);
    assert.equal(await own.ask("hover", HOME, "sections", {}, 9999), null);
  });
});

describe("bad input", () => {
  it("a folder that is no site has no problems, and can become one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sitegen-lsp-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
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
      after(() => rmSync(folder, { recursive: true, force: true }));
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
