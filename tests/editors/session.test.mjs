// An editing session in a site of two languages, through the client library of the protocol: each test is a step of it, and
// begins with what the one before has left.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { editor, stopAll } from "./client.mjs";
import { newSite } from "./site.mjs";

const HOME = "content/pages/home/en.yaml";
const SPANISH_HOME = "content/pages/home/es.yaml";
const POST = "content/blog/en/a-calendar-not-a-hero.md";
const STUDY = "content/case-studies/vivero-nogal.yaml";
const DESIGN = "content/design.yaml";
const SETTINGS = "content/site.yaml";
/** A new post, and its translation. */
const [ENGLISH, SPANISH] = ["content/blog/en/new-office.md", "content/blog/es/oficina-nueva.md"];

after(stopAll);

let steps = 0;
const step = (name, run) => {
  steps += 1;
  it(name, run);
};

describe("an editing session", () => {
  const site = newSite();
  // From here on, addresses and translations are compared.
  for (const command of [
    ["check", "--accept-urls"],
    ["translations", "--accept"],
  ]) {
    const { status, stderr } = site.run(...command);
    assert.equal(status, 0, stderr);
  }
  /** @type {Awaited<ReturnType<typeof editor>>} */
  let own;
  before(async () => {
    own = await editor(site.folder);
  });
  after(() => own.stop());
  after(site.remove);

  /** Takes the only fix that begins with these words. */
  const fix = async (path, code, title) => {
    const fixes = await own.fixes(path, await own.problem(path, code));
    assert.ok(fixes.has(title), [...fixes.keys()].join());
    await own.edit(path, fixes.get(title));
  };
  const hover = async (path, before, shift) => (await own.ask("hover", path, before, {}, shift)).contents.value;
  const definitions = async (path, before, shift) => (await own.ask("definition", path, before, {}, shift)) ?? [];
  const rename = (path, before, newName, shift = before.length) => own.ask("rename", path, before, { newName }, shift);
  const isRefused = (promise, why) => assert.rejects(promise, { message: why });
  /** Waits until a completion is offered: the names of a site are known once it was read. */
  const isCompleted = async (path, before, label) => {
    const isKnown = async () => (await own.completions(path, before)).includes(label);
    for (const end = Date.now() + 20_000; !(await isKnown()) && Date.now() < end; );
    assert.ok(await isKnown(), `${label} is completed`);
  };
  const isValid = () => {
    const { status, stdout } = site.run("check", "--strict", "--format", "json");
    assert.equal(status, 0, stdout);
  };

  step("opens a page that has no problems", async () => {
    await own.open(HOME);
    await own.clean(HOME);
  });

  step("misspells a key, and sees it at its place", async () => {
    await own.type(HOME, "eyebrow: A", "eyebro: A");
    const problem = await own.problem(HOME, "unknown-key");
    assert.match(problem.message, /unknown key `eyebro`\ndid you mean `eyebrow`\?/);
    assert.deepEqual(problem.range, { start: { line: 9, character: 4 }, end: { line: 9, character: 10 } });
  });

  step("takes the fix", async () => {
    await fix(HOME, "unknown-key", "Replace with `eyebrow`");
    await own.clean(HOME);
  });

  step("misspells a value, and takes the fix", async () => {
    await own.type(HOME, "band: ink", "band: inc");
    await fix(HOME, "invalid-value", "Replace with `ink`");
    await own.clean(HOME);
  });

  step("links to a page that does not exist, and takes the fix", async () => {
    await own.type(HOME, "to: page:services#build", "to: page:servics#build");
    const problem = await own.problem(HOME, "dead-link");
    assert.match(problem.message, /services/);
    await own.type(HOME, "page:servics#build", "page:servics");
    await fix(HOME, "dead-link", "Replace with `page:services`");
    await own.clean(HOME);
  });

  step("links to an anchor that does not exist", async () => {
    await own.type(HOME, "to: page:services\n", "to: page:services#bild\n");
    await own.problem(HOME, "dead-anchor");
  });

  step("completes the anchor", async () => {
    await own.type(HOME, "page:services#bild", "page:services#");
    assert.ok((await own.completions(HOME, "to: page:services#")).includes("page:services#build"));
    await own.complete(HOME, "to: page:services#", "page:services#build");
    await own.clean(HOME);
  });

  step("completes links to pages, posts and studies", async () => {
    const links = await own.completions(HOME, "to: page:");
    const expected = ["page:contact", "page:services", "page:blog", "page:lead-form", "page:case-studies/vivero-nogal"];
    for (const link of expected) assert.ok(links.includes(link), link);
  });

  step("leaves out what is required, and puts it back", async () => {
    await own.type(HOME, "    title: Three things we do\n", "");
    await own.problem(HOME, "missing-key");
    await own.type(HOME, "    layout: cards\n", "    layout: cards\n    title: Three things we do\n");
    await own.clean(HOME);
  });

  step("opens a quote and closes it later", async () => {
    await own.type(HOME, 'title: "{product.name}', "title: '{product.name}");
    await own.problem(HOME, "unclosed-quote");
    await own.type(HOME, "title: '{product.name}", 'title: "{product.name}');
    await own.clean(HOME);
  });

  step("completes a key that is not there yet", async () => {
    await own.type(HOME, "    eyebrow: A studio for web software\n", "    \n");
    const keys = await own.completions(HOME, "size: display\n    ");
    assert.ok(keys.includes("eyebrow") && !keys.includes("lead"), keys.join());
    await own.complete(HOME, "size: display\n    ", "eyebrow");
    await own.type(HOME, "eyebrow: ", "eyebrow: A studio for web software");
    await own.clean(HOME);
  });

  step("completes values", async () => {
    assert.deepEqual(await own.completions(HOME, "band: "), ["paper", "white", "ink", "signal"]);
    assert.ok((await own.completions(HOME, "text: light, logo: ")).includes("dark"));
  });

  step("completes kinds of sections", async () => {
    const kinds = await own.completions(HOME, "kind: ");
    assert.ok(kinds.includes("faq") && kinds.includes("hero"), kinds.join());
  });

  step("completes placeholders", async () => {
    assert.ok((await own.completions(HOME, 'title: "{')).includes("company.name"));
  });

  step("completes pictures", async () => {
    assert.ok((await own.completions(HOME, "figure: {src: ")).includes("figures/hero.svg"));
  });

  step("completes studies, and the ids that studies have", async () => {
    assert.deepEqual(await own.completions(HOME, "- study: "), ["vivero-nogal"]);
    await own.open(STUDY);
    assert.ok((await own.completions(STUDY, "services: [")).includes("care"));
  });

  step("completes icons", async () => {
    await own.open(SETTINGS);
    await own.type(SETTINGS, "header:\n", "social:\n  - name: Code\n    icon: \n    to: https://example.com/\n\nheader:\n");
    const icons = await own.completions(SETTINGS, "    icon: ");
    assert.ok(icons.includes("github-logo"), `${icons.length} icons`);
    await own.complete(SETTINGS, "    icon: ", "github-logo");
    await own.clean(SETTINGS);
  });

  step("completes colors", async () => {
    await own.open(DESIGN);
    const colors = await own.completions(DESIGN, "- {text: ");
    assert.ok(colors.includes("ink") && colors.includes("paper"), colors.join());
    await own.type(DESIGN, "  mono: ui-monospace", "  mono: var(--font-");
    assert.ok((await own.completions(DESIGN, "mono: var(--font-")).includes("--font-text"));
    await own.type(DESIGN, "  mono: var(--font-", "  mono: ui-monospace");
  });

  step("asks what a key means", async () => {
    assert.match(await hover(HOME, "title: Web", 2), /main heading/);
  });

  step("asks what a value means", async () => {
    assert.match(await hover(HOME, "band: ink", 7), /Near-black/);
  });

  step("asks where a link leads", async () => {
    assert.match(await hover(HOME, "page:contact", 7), /`\/contact\/`/);
  });

  step("asks what a problem is about", async () => {
    await own.type(HOME, "size: display", "size: displa");
    await own.problem(HOME, "invalid-value");
    assert.match(await hover(HOME, "size: displa", 8), /\*\*invalid-value\*\*: /);
    await own.type(HOME, "size: displa", "size: display");
    await own.clean(HOME);
  });

  step("asks which color a token is", async () => {
    assert.match(await hover(DESIGN, "- {text: ink", 11), /`--color-ink`: `#14322D`/);
  });

  step("goes to the page, in the language of the file", async () => {
    assert.match((await definitions(HOME, "page:contact", 7))[0].uri, /content\/pages\/contact\/en\.yaml$/);
    assert.match((await definitions(SPANISH_HOME, "page:contact", 7))[0].uri, /content\/pages\/contact\/es\.yaml$/);
  });

  step("goes to a picture, a study and an author", async () => {
    assert.match((await definitions(HOME, "figures/hero.svg", 3))[0].uri, /content\/images\/figures\/hero\.svg$/);
    assert.match((await definitions(HOME, "study: vivero", 9))[0].uri, /content\/case-studies\/vivero-nogal\.yaml$/);
    assert.match((await definitions(POST, "author: sam", 10))[0].uri, /content\/authors\/sam-rivera\.yaml$/);
  });

  step("goes to the line of a token and of a word", async () => {
    const [token] = await definitions(DESIGN, "- {text: ink", 11);
    assert.match(token.uri, /content\/design\.yaml$/);
    assert.equal(own.textOf(DESIGN).split("\n")[token.range.start.line].trim(), 'ink: "#14322D"');
    site.write("content/locales/en.yaml", "messages:\n  menu: The menu\n");
    await own.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    const [word] = await definitions("content/locales/en.yaml", "  menu", 4);
    assert.equal(word.range.start.line, 1);
  });

  step("goes to the posts of a tag", async () => {
    const found = await definitions(POST, "tags: [Main");
    assert.deepEqual(
      found.map(({ uri }) => uri.split("/").at(-1)),
      ["a-calendar-not-a-hero.md"],
    );
  });

  step("finds all links to a page, with and without where it says what it is", async () => {
    const ask = (includeDeclaration) => own.ask("references", HOME, "page:services", { context: { includeDeclaration } }, 7);
    const files = (await ask(true)).map(({ uri }) => uri.split("/content/")[1]);
    for (const file of ["site.yaml", "pages/home/en.yaml", "pages/home/es.yaml", "blog/en/a-calendar-not-a-hero.md"])
      assert.ok(files.includes(file), `${file} is not in ${files}`);
    assert.equal((await ask(false)).length, files.length);
  });

  step("completes the front matter of a post", async () => {
    await own.open(POST);
    assert.deepEqual(await own.completions(POST, "author: "), ["sam-rivera"]);
    assert.ok((await own.completions(POST, "tags: [")).includes("Maintenance"));
    await own.type(POST, "author: sam-rivera\n", "author: sam-rivera\ndr\n");
    await own.complete(POST, "\ndr", "draft");
    await own.type(POST, "draft: ", "draft: fa");
    assert.deepEqual(await own.completions(POST, "draft: fa"), ["true", "false"]);
    await own.type(POST, "draft: fa", "draft: false");
    await own.clean(POST);
    await own.type(POST, "draft: false\n", "");
  });

  step("misspells an author, and takes the fix", async () => {
    await own.type(POST, "sam-rivera", "sam-riviera");
    await fix(POST, "unknown-id", "Replace with `sam-rivera`");
    await own.clean(POST);
  });

  step("shows a picture without saying what it shows, and says it", async () => {
    await own.type(POST, "\n## Write", "\n![](posts/a-calendar-not-a-hero.svg)\n\n## Write");
    await own.problem(POST, "missing-alt");
    await own.type(POST, "![](posts", "![A calendar](posts");
    await own.clean(POST);
    await own.type(POST, "\n![A calendar](posts/a-calendar-not-a-hero.svg)\n", "");
  });

  const post = (title) => `---\ntitle: ${title}\ndate: 2026-01-02\nauthor: sam-rivera\nkey: office\n---\n\n`;

  step("begins a new post, which has problems before it is saved", async () => {
    await own.open(ENGLISH, `${post("A new office").replace("author: sam-rivera\n", "")}We moved.\n`);
    await own.problem(ENGLISH, "missing-key");
    assert.ok(!own.exists(ENGLISH));
    await own.type(ENGLISH, "key: office\n", "author: sam-rivera\nkey: office\n");
    await own.clean(ENGLISH);
  });

  step("links to the new post, which is no file yet", async () => {
    await own.type(POST, "\n## Write", "\nSee [the office](page:blog/office).\n\n## Write");
    await own.clean(POST);
    await isCompleted(POST, "page:blog/", "page:blog/office");
    assert.match((await definitions(POST, "page:blog/office", 8))[0].uri, /new-office\.md$/);
    assert.ok(!own.exists(ENGLISH));
  });

  step("writes its translation, with the same key", async () => {
    await own.open(SPANISH, `${post("Una oficina nueva")}Nos mudamos.\n`);
    await own.clean(SPANISH);
    await own.save(ENGLISH);
    await own.save(SPANISH);
    assert.equal(site.run("translations", "--accept", "blog/office").status, 0);
    await own.type(POST, "\nSee [the office](page:blog/office).\n", "");
    await own.save(POST);
  });

  step("writes a new page in a folder that is not there, and links to it", async () => {
    const team = "content/pages/team/en.yaml";
    const page = 'path: /team/\ntitle: "The team · {product.name}"\ndescription: Who we are.\nunlinked: true\nsections:\n';
    await own.open(team, `${page}  - kind: hero\n    title: The team\n`);
    await own.clean(team);
    await own.type(HOME, "label: See our work, to: page:case-studies", "label: See our work, to: page:team");
    await isCompleted(HOME, "label: See our work, to: page:", "page:team");
    await own.clean(HOME);
    assert.match((await definitions(HOME, "to: page:team"))[0].uri, /content\/pages\/team\/en\.yaml$/);
    await own.type(HOME, "to: page:team", "to: page:case-studies");
    await own.close(team);
    await own.clean(HOME);
  });

  step("saves, and the check agrees", async () => {
    for (const path of [HOME, SETTINGS, STUDY, DESIGN]) await own.save(path);
    assert.equal(site.run("check", "--accept-urls").status, 0);
    isValid();
  });

  step("is refused names that are taken or no names", async () => {
    await isRefused(rename(HOME, "page:services", "contact", 7), /there is already a page `contact`/);
    await isRefused(rename(HOME, "page:services", "What we do", 7), /not a valid key/);
    await isRefused(rename(POST, "tags: [Main", "..."), /a tag needs a letter/);
    await isRefused(rename(HOME, "study: vivero-nogal", "What we did"), /not a valid key/);
    await isRefused(rename(ENGLISH, "key: office", "author"), /there is already a page `blog\/author`/);
    await isRefused(rename("content/pages/services/en.yaml", "path: /serv", "/contact/"), /contact/);
    await isRefused(rename("content/pages/services/en.yaml", "path: /serv", "what we do"), /is not a URL/);
    await isRefused(rename(HOME, "eyebrow", "x", 3), /nothing to rename here/);
  });

  step("is refused to rename what the theme reads", async () => {
    await isRefused(rename(DESIGN, "  line-strong", "edge"), /the theme's `.*` uses `--color-line-strong`/);
    await isRefused(own.ask("prepareRename", DESIGN, "  growth:", {}, 4), /in post covers/);
    await isRefused(rename("content/locales/en.yaml", "  menu", "the_menu", 4), /reads the message `menu`/);
  });

  step("renames a tag, whose address gets a redirect", async () => {
    await own.applyEverywhere(await rename(POST, "tags: [Main", "Care & repair"));
    assert.match(own.textOf(POST), /tags: \[Care & repair\]/);
    assert.match(own.textOf(SETTINGS), /\{from: \/blog\/tag\/maintenance, to: page:blog\/tag\/en\/care-/);
    assert.match(own.textOf("content/urls.lock"), /^\/blog\/tag\/care-.*\/$/m);
    isValid();
  });

  step("renames a study, with its file", async () => {
    await own.applyEverywhere(await rename(HOME, "study: vivero-nogal", "plant-nursery"));
    assert.ok(own.exists("content/case-studies/plant-nursery.yaml") && !own.exists(STUDY));
    assert.match(own.textOf(SPANISH_HOME), /study: plant-nursery/);
    const redirect = "{from: /case-studies/vivero-nogal, to: page:case-studies/plant-nursery}";
    assert.ok(own.textOf(SETTINGS).includes(redirect), own.textOf(SETTINGS));
    isValid();
  });

  step("renames a post in both languages", async () => {
    await own.type(POST, "\n## Write", "\nSee [the office](page:blog/office).\n\n## Write");
    await own.applyEverywhere(await rename(SPANISH, "key: office", "new-rooms"));
    assert.match(own.textOf(ENGLISH), /^key: new-rooms$/m);
    assert.match(own.textOf(SPANISH), /^key: new-rooms$/m);
    assert.match(own.textOf(POST), /page:blog\/new-rooms/);
    await own.type(POST, "\nSee [the office](page:blog/new-rooms).\n", "");
    await own.save(POST);
    isValid();
  });

  step("renames a page in all files and languages", async () => {
    const prepared = await own.ask("prepareRename", HOME, "page:services", {}, 7);
    assert.equal(prepared.placeholder, "services");
    await own.applyEverywhere(await rename(HOME, "page:services", "what-we-do", 7));
    assert.ok(own.exists("content/pages/what-we-do/es.yaml") && !own.exists("content/pages/services"));
    assert.match(own.textOf(HOME), /page:what-we-do#build/);
    assert.match(own.textOf("content/translations.lock"), /^pages\/what-we-do es$/m);
    isValid();
    await own.clean(HOME);
  });

  step("renames the address of a page, and back", async () => {
    const page = "content/pages/what-we-do/es.yaml";
    await own.applyEverywhere(await rename(page, "path: /es/", "/es/que-hacemos/"));
    assert.match(own.textOf(page), /^path: \/es\/que-hacemos\/$/m);
    assert.match(own.textOf(SETTINGS), /\{from: \/es\/servicios, to: page:what-we-do\}/);
    const addresses = own.textOf("content/urls.lock").split("\n");
    assert.ok(addresses.includes("/es/que-hacemos/") && addresses.includes("/es/servicios/"));
    isValid();
    await own.applyEverywhere(await rename(page, "path: /es/", "/es/servicios/"));
    assert.doesNotMatch(own.textOf(SETTINGS), /from: \/es\/servicios,/);
    isValid();
  });

  step("sees that a translation is out of date, and that it agrees again", async () => {
    const [english, spanish] = ["content/pages/about/en.yaml", "content/pages/about/es.yaml"];
    await own.open(english);
    await own.type(english, "    title: ", "    title: Indeed, ");
    const problem = await own.problem(spanish, "stale-translation");
    assert.match(problem.message, /the counterpart in `en` has changed/);
    await own.save(english);
    assert.equal(site.run("translations", "--accept", "pages/about").status, 0);
    await own.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    await own.clean(spanish);
  });

  step("corrects typography, and counts columns as editors do", async () => {
    await own.type(HOME, "eyebrow: A studio", "eyebrow: 😀 A 'studio'");
    const problem = await own.problem(HOME, "typography");
    const line = own.textOf(HOME).split("\n")[problem.range.start.line];
    assert.equal(line.slice(problem.range.start.character, problem.range.end.character), "'");
    await own.edit(HOME, await own.request("formatting", HOME, { options: { tabSize: 2, insertSpaces: true } }));
    assert.match(own.textOf(HOME), /eyebrow: 😀 A ‘studio’ for/);
    await own.type(HOME, own.textOf(HOME).match(/eyebrow: .*/)[0], "eyebrow: A studio for web software");
    await own.clean(HOME);
  });

  step("formats a file that is not saved yet", async () => {
    const path = "content/blog/en/unsaved.md";
    await own.open(path, `${post("It's new").replace("office", "unsaved")}Text.\n`);
    await own.problem(path, "typography");
    await own.edit(path, await own.request("formatting", path, { options: { tabSize: 2, insertSpaces: true } }));
    assert.match(own.textOf(path), /It’s new/);
    await own.close(path);
    await own.clean(path);
  });

  step("looks at the outline of a page and of a post", async () => {
    const [symbols, headings] = await Promise.all([own.request("documentSymbol", HOME), own.request("documentSymbol", POST)]);
    const sections = symbols.find((symbol) => symbol.name === "sections");
    assert.equal(sections.children[0].name, "hero");
    assert.ok(headings.length > 1);
  });

  step("folds sections, front matter and the parts of a post", async () => {
    const [page, text] = await Promise.all([own.request("foldingRange", HOME), own.request("foldingRange", POST)]);
    const lines = own.textOf(HOME).split("\n");
    const first = page.find(({ startLine }) => lines[startLine] === "  - kind: hero");
    assert.match(lines[first.endLine], /note: /);
    assert.equal(text[0].startLine, 0);
    assert.ok(text.length >= 4, `${text.length} folds`);
  });

  step("follows links of a document", async () => {
    const [page, text] = await Promise.all([own.request("documentLink", HOME), own.request("documentLink", POST)]);
    const target = (links, ending) => links.find((link) => link.target.endsWith(ending));
    assert.equal(target(page, "content/pages/contact/en.yaml").tooltip, "/contact/");
    assert.ok(target(page, "content/images/figures/hero.svg"));
    assert.ok(target(text, "content/pages/what-we-do/en.yaml"));
    assert.ok(target(await own.request("documentLink", SETTINGS), "https://example.com/"));
  });

  step("follows the pictures of a post, however they are written", async () => {
    const path = "content/blog/en/pictured/index.md";
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
    const names = ["blog/en/pictured/my photo.svg", "blog/en/above.svg", "images/shared.SVG"];
    mkdirSync(join(site.folder, "content/blog/en/pictured"), { recursive: true });
    for (const name of names) writeFileSync(join(site.folder, "content", name), drawing);
    const written = post("Pictures").replace("office", "pictured");
    const front = written.replace("key:", 'image: {src: "my photo.svg", alt: A}\nkey:');
    const body =
      "![above.svg](above.svg)\n\n![B](<./my photo.svg>) ![C](my%20photo.svg)\n\n`![D](above.svg)` ![E](none.svg) ![G](/above.svg)\n";
    const section = ":::photo\nsrc: shared.SVG\nalt: F\n:::\n";
    await own.open(path, front + body + section);
    const links = (await own.request("documentLink", path)).map(({ target }) => decodeURIComponent(target.split("/content/")[1]));
    assert.deepEqual(links, [names[0], names[1], names[0], names[0], names[2]]);
    const places = await definitions(path, "src: shared");
    assert.ok(places[0]?.uri.endsWith(names[2]), JSON.stringify(places));
    await own.close(path);
    for (const name of names) rmSync(join(site.folder, "content", name));
  });

  step("sees the colors of the design", async () => {
    const colors = await own.request("documentColor", DESIGN);
    assert.ok(colors.length > 10 && colors.every(({ color }) => color.red <= 1));
  });

  step("makes a thousand edits in a second, and sees the problems of the last text", async () => {
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

  step("is asked to tell what happens to files outside of the editor", () => {
    assert.deepEqual(
      own.registered.map(({ method }) => method),
      ["workspace/didChangeWatchedFiles"],
    );
    const globs = own.registered[0].registerOptions.watchers.map(({ globPattern }) => globPattern);
    assert.ok(globs.includes("**/content/**"), globs.join());
  });

  step("asks what nobody knows, gets an error, and goes on", async () => {
    await assert.rejects(own.connection.sendRequest("textDocument/nonsense", {}));
    await assert.rejects(own.connection.sendRequest("textDocument/hover", { wrong: true }), { code: -32602 });
    assert.equal(await own.ask("hover", HOME, "sections", {}, 9999), null);
  });

  step("ends with a site without a warning", async () => {
    await own.save(HOME);
    isValid();
    assert.ok(steps >= 40, `${steps} steps`);
  });
});
