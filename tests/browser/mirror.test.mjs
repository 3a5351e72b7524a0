// Opens a page of each kind of the site of the brief, in English and in Arabic, with the theme, and compares its boxes with
// those in the other direction of text: each must be where a mirror shows it.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse, stringify } from "yaml";
import { findUnmirrored } from "./checks.mjs";
import { CODES, HORIZON, LANGUAGES } from "./horizon.mjs";
import { DESKTOP, openBrowser, PHONE, ROOT, SIDE_BY_SIDE, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

/** The pages of a group in the menu. */
const GROUP = ["treatments", "team", "clinics"];

const browser = await openBrowser();
const folder = await temporaryFolder();
const root = join(folder.path, "site");
let server;

/** A new site in the languages of the brief, with everything of its site but the templates. */
async function prepare() {
  const created = await sitegen("new", root, "--sample", "--languages", CODES.join(","), "--name", "Horizon");
  assert.equal(created.code, 0, created.stderr);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const content = join(root, "content");
  // The site of the brief writes the code of Chinese in lower case.
  for (const path of readdirSync(content, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith("zh-Hans.yaml")) renameSync(join(content, path), join(content, path.replace("zh-Hans", "zh-hans")));
  }
  for (const name of readdirSync(join(HORIZON, "content"))) {
    if (["pages", "locales", "site.yaml"].includes(name)) continue;
    cpSync(join(HORIZON, "content", name), join(content, name), { recursive: true });
  }
  for (const name of readdirSync(join(HORIZON, "content/pages"))) {
    const page = join(content, "pages", name);
    if (!existsSync(page)) cpSync(join(HORIZON, "content/pages", name), page, { recursive: true });
  }
  cpSync(join(HORIZON, "static"), join(root, "static"), { recursive: true });
  for (const part of ["templates/collections", "templates/layouts/entry.html"])
    cpSync(join(HORIZON, part), join(root, part), { recursive: true });
  mkdirSync(join(content, "locales"), { recursive: true });
  mkdirSync(join(content, "pages/find"), { recursive: true });
  for (const [code, { path, title, label }] of Object.entries(LANGUAGES)) {
    const { messages } = parse(readFileSync(join(HORIZON, `content/locales/${code}.yaml`), "utf8"));
    const own = Object.fromEntries(["price_from", "done_by", "hours", "apply_until"].map((key) => [key, messages[key]]));
    writeFileSync(join(content, `locales/${code}.yaml`), stringify({ messages: { ...own, site_search_label: label } }));
    const search = { path, title, description: title, sections: [{ kind: "search", title }] };
    writeFileSync(join(content, `pages/find/${code}.yaml`), stringify(search));
    // Two pages of thanks would have one title.
    const welcome = join(content, `pages/welcome/${code}.yaml`);
    writeFileSync(welcome, readFileSync(welcome, "utf8").replace(/^title: .*$/m, `title: Welcome ${code}`));
  }
  const settings = parse(readFileSync(join(content, "site.yaml"), "utf8").replaceAll("zh-Hans", "zh-hans"));
  settings.search = true;
  const children = GROUP.map((name) => ({ label: { en: name, es: name }, to: `page:${name}` }));
  settings.header.menu.unshift({ label: { en: "Dentistry", es: "Odontología", ar: "طب الأسنان" }, children });
  writeFileSync(join(content, "site.yaml"), stringify(settings));
}

/** A page of each kind: the first below each folder. */
function kinds() {
  const pages = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("index.html") && !/^(es|de|zh-hans)\//.test(path))
    .map((path) => `/${path.replace(/index\.html$/, "")}`)
    .sort();
  const found = new Map();
  for (const path of pages) {
    const parts = path
      .replace(/^\/ar\//, "/")
      .split("/")
      .filter(Boolean);
    // The folders of pages of their own are all there is of their kind.
    const kind = `${path.startsWith("/ar/")} ${parts.length > 1 ? parts.slice(0, -1).join("/") : parts.join("")} ${parts.length}`;
    if (!found.has(kind)) found.set(kind, path);
  }
  return [...found.values(), "/404.html"];
}

/** Unfolds the details of a page together, then each menu, which closes the one before. Gives what is open. */
async function* unfolded(page) {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("details")) element.open = true;
  });
  yield ", with its details";
  const menus = await page.locator("[popover]").count();
  for (let at = 0; at < menus; at += 1) {
    await page.evaluate((index) => {
      /** @type {NodeListOf<HTMLElement>} */
      const all = document.querySelectorAll("[popover]");
      all[index].showPopover();
    }, at);
    yield `, with menu ${at + 1}`;
  }
}

before(async () => {
  await prepare();
  const built = await sitegen("build", "--root", root);
  assert.equal(built.code, 0, built.stderr);
  server = await serve("--no-watch", "--root", root);
});

after(async () => {
  await server?.stop();
  await browser.close();
  await folder.remove();
});

describe("each kind of page is its own mirror image", { concurrency: SIDE_BY_SIDE }, () => {
  for (const viewport of [DESKTOP, PHONE]) {
    it(`at ${viewport.width} px`, async () => {
      const paths = kinds();
      assert.ok(paths.length > 40, paths.join(" "));
      const found = [];
      for (const path of paths) {
        await visit(browser, server.origin + path, { viewport }, async (page) => {
          const note = (what, problems) => found.push(...problems.map((problem) => `${path}${what}: ${problem}`));
          note("", await findUnmirrored(page));
          for await (const what of unfolded(page)) note(what, await findUnmirrored(page));
        });
      }
      assert.deepEqual(found, []);
    });
  }
});

it("a phone number begins with its plus in each direction of text", () =>
  visit(browser, `${server.origin}/contact/`, {}, async (page) => {
    for (const direction of ["ltr", "rtl"]) {
      const [plus, last] = await page.locator(".contact-details__link[href^=tel]").evaluate((link, direction) => {
        document.documentElement.dir = direction;
        const text = link.firstChild;
        const left = (at) => {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        };
        return [left(0), left(text.textContent.length - 1)];
      }, direction);
      assert.ok(plus < last, direction);
    }
  }));
