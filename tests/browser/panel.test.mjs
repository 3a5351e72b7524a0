// Browser tests of the preview's panel, and of the click with Alt that opens the source of what is clicked: over pages of
// each kind of this site, with the keyboard alone, on a phone, after a save.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  asAuthor,
  content,
  DESKTOP,
  named,
  openBrowser,
  PHONE,
  readPlan,
  serveCopy,
  settings,
  sitegen,
  TABLET,
  TIMEOUT,
  words,
} from "./site.mjs";

const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")};undefined`;
const FILE = "content/pages/services/en.yaml";
const PAGE = content("pages/services/en.yaml").path;
const SPANISH = content("pages/services/es.yaml").path;

const browser = await openBrowser();
/** @type {Awaited<ReturnType<typeof serveCopy>>} */
let server;
let root;
let pages;

before(async () => {
  pages = (await readPlan()).pages;
  server = await serveCopy("--editor", "none");
  root = server.root;
});
after(async () => {
  await browser.close();
  await server?.stop();
});

/** Opens a page of the preview, and waits until its panel is there. */
async function open(path, viewport = DESKTOP) {
  const page = await browser.newPage({ viewport, reducedMotion: "reduce" });
  page.setDefaultTimeout(TIMEOUT);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await asAuthor(page.context(), server);
  await page.goto(server.origin + path);
  await page.locator("sitegen-preview .launcher").waitFor();
  return { page, errors, panel: page.locator("sitegen-preview .panel") };
}

const letters = (text) => text.toLowerCase().replace(/[^\p{Alphabetic}\p{N}]/gu, "");

/** The letters of a file from a place on. Names in braces are filled in, addresses of links are no text. */
async function lettersAt({ path, line, column }) {
  const lines = (await readFile(join(root, path), "utf8")).split("\n").slice(line - 1, line + 20);
  const text = [[...lines[0]].slice(column - 1).join(""), ...lines.slice(1)].join(" ");
  return letters(
    named(text)
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/\\u00A0/gi, ""),
  );
}

/** Clicks with Alt, and returns what the script of the page has found there. */
async function altClick(page, target) {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.locator("sitegen-preview .toast").evaluate((toast) => toast.replaceChildren());
  await page.mouse.move(x, y);
  await page.keyboard.down("Alt");
  await page.mouse.click(x, y);
  await page.keyboard.up("Alt");
  await page.locator("sitegen-preview .toast", { hasText: /./ }).waitFor();
  return page.evaluate(
    async ([left, top]) => {
      const { locate, targetAt } = await import(`${location.origin}/_sitegen/panel/clicked.js`);
      return locate(targetAt(document.elementFromPoint(left, top), left, top));
    },
    [x, y],
  );
}

/** The places of all texts of a page that are not made of signs alone, as clicks on their beginnings find them. */
const allTexts = (page) =>
  page.evaluate(async () => {
    const { locate } = await import(`${location.origin}/_sitegen/panel/clicked.js`);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const asked = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const isText = /[\p{Alphabetic}\p{N}]/u.test(node.textContent);
      if (!isText || node.parentElement.closest("script, style, noscript, template, svg, sitegen-preview, .code__copy")) continue;
      // At its first word: code begins with the end of the line before.
      const offset = node.textContent.search(/[\p{Alphabetic}\p{N}]/u);
      const answer = await locate({ node, offset });
      const isMade = node.parentElement.closest("time") !== null;
      const isCode = node.parentElement.closest("pre") !== null;
      asked.push({ text: node.textContent.trim(), isMade, isCode, found: answer?.found[0] });
    }
    return asked;
  });

/** One page of each kind: the home pages, lists, a post, a case study, an author, a form. */
function sample() {
  const ofKind = (kind) =>
    pages.find(({ key }) => key.startsWith(kind) && key.split("/").length === kind.split("/").length)?.path;
  const kinds = ["blog/", "blog/author/", "case-studies/"].map(ofKind);
  const own = ["home", "services", "about", "blog", "case-studies", "contact", "lead-form", "org-chart", "privacy"];
  const paths = pages.filter(({ key }) => own.includes(key)).map(({ path }) => path);
  return [...new Set([...paths, ...kinds.filter(Boolean)])];
}

describe("the printed address", () => {
  it("shows the panel, and is not seen again", async () => {
    const page = await browser.newPage();
    await page.goto(server.address);
    assert.equal(page.url(), `${server.origin}/`);
    await page.locator("sitegen-preview .launcher").waitFor();
    assert.equal(await page.evaluate("document.cookie"), "", "a script can read the token");
    assert.equal(await page.evaluate("document.referrer"), "");
    await page.goto(`${server.origin}/admin/`);
    assert.equal(await page.locator("h1", { hasText: "author of the site" }).count(), 0);
    await page.close();
  });

  it("is told to who has not opened it", async () => {
    const page = await browser.newPage();
    const loaded = page.waitForResponse((response) => response.url().includes("/_sitegen/live.js"));
    await page.goto(`${server.origin}/`);
    assert.doesNotMatch(await (await loaded).text(), /panel/);
    assert.equal(await page.locator("sitegen-preview").count(), 0);
    const refused = await page.goto(`${server.origin}/admin/`);
    assert.equal(refused?.status(), 403);
    assert.match(await page.locator("p").first().innerText(), /sitegen serve.* printed/);
    await page.close();
  });
});

describe("a click with Alt", () => {
  it("finds the line of every text", async () => {
    const { page } = await open("/");
    const wrong = [];
    let count = 0;
    for (const path of sample()) {
      await page.goto(server.origin + path);
      await page.locator("sitegen-preview .launcher").waitFor();
      for (const { text, isMade, isCode, found } of await allTexts(page)) {
        count++;
        if (!found?.line) {
          wrong.push(`${path}: nothing for ${text}`);
          continue;
        }
        const [wanted, line] = [letters(text), await lettersAt(found)];
        // Numbers are counted, and days are written in another way than they are shown.
        if (!/\p{Alphabetic}/u.test(wanted) || isMade) continue;
        // A message has values in place of names in braces, and a text may have a value of another one behind it.
        // One with a text for each number has them between quotes.
        const isFilled = (message) => {
          const pieces = message.split(/\{[\w.]+\}/).map(letters);
          return pieces.length > 1 && pieces.every((piece) => wanted.includes(piece));
        };
        const quoted = [...found.text.matchAll(/"([^"]*)"/g)].map(([, one]) => one);
        const isMessage = [found.text.replace(/^[\w.]+: /, ""), ...quoted].some(isFilled);
        // The key of a block may be shown beside its value.
        const isKey = letters(found.text).startsWith(wanted);
        const isPart = line.length > 0 && (line.startsWith(wanted.slice(0, 12)) || wanted.startsWith(line.slice(0, 8)));
        // A value of the settings in Markdown.
        const isValue = [...found.text]
          .slice(found.column - 1)
          .join("")
          .startsWith("{");
        const isLine = isCode && letters(found.text).includes(letters(text.split("\n").find((one) => letters(one)) ?? ""));
        if (!isMessage && !isPart && !isKey && !isValue && !isLine)
          wrong.push(`${path}: ${text} → ${found.path}:${found.line}:${found.column} ${found.text}`);
      }
    }
    assert.ok(count > 1000, `${count} texts`);
    assert.deepEqual(wrong, []);
    await page.close();
  });

  it("on a heading, a link, a picture and a section names their lines, and does nothing else", async () => {
    const { page, errors } = await open(PAGE);
    const lines = (await readFile(join(root, FILE), "utf8")).split("\n");
    const lineOf = (start) => lines.findIndex((line) => line.startsWith(start)) + 1;
    const first = async (target) => (await altClick(page, page.locator(target).first())).found[0];

    const heading = await first("main h1");
    assert.deepEqual([heading.path, heading.line], [FILE, lineOf("hero.title:")]);
    const button = await first("main .hero a");
    assert.deepEqual([button.path, button.line], [FILE, lineOf("hero.actions.1.label:")]);
    assert.equal(new URL(page.url()).pathname, PAGE, "the link was followed");
    const last = await first("main section:last-of-type a");
    assert.deepEqual([last.path, last.line], [FILE, lineOf("call.actions.1.label:")]);
    const photo = await first("main .photo img");
    assert.deepEqual([photo.path, photo.text], ["content/pages/services/page.yaml", "image: {src: photos/bridge-dawn.jpg}"]);
    const drawing = await first("main .hero svg[viewBox]:not(a svg)");
    assert.equal(drawing.text, "figure: {src: figures/services.svg}");
    const menu = await first("header nav a");
    assert.equal(menu.path, "content/site.yaml");
    assert.ok(menu.text.includes(settings.header.menu[0].label.en), menu.text);
    // The path is said, whether or not the browser lets it be copied.
    assert.match(await page.locator("sitegen-preview .toast").innerText(), /content\/site\.yaml:\d+:\d+/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  it("outlines what would open while the key is held", async () => {
    const { page } = await open(PAGE);
    const outline = page.locator("sitegen-preview .outline");
    await page.keyboard.down("Alt");
    await page.locator("main h1").hover();
    await outline.waitFor({ state: "visible" });
    await outline.getByText(new RegExp(`${FILE}:\\d+:\\d+`)).waitFor();
    await page.keyboard.up("Alt");
    await outline.waitFor({ state: "hidden" });
    await page.close();
  });

  it("on a text that nobody wrote offers the files of the page", async () => {
    const { page, panel } = await open(PAGE);
    await page.evaluate(() => {
      document.querySelector("main h1").textContent = "Xyzzy plugh quux";
    });
    const { found, files } = await altClick(page, page.locator("main h1"));
    assert.deepEqual(found, []);
    assert.equal(files[0].path, FILE);
    await panel.getByText("No source found").first().waitFor();
    await panel.getByText(FILE).first().waitFor();
    await page.close();
  });

  it("is not needed: Alt and O open the source of what has the focus", async () => {
    const { page } = await open(SPANISH);
    await page.locator("main .hero a").first().focus();
    await page.keyboard.press("Alt+o");
    const toast = page.locator("sitegen-preview .toast", { hasText: /./ });
    await toast.waitFor();
    const [, path, line] = /(content\/\S+\.yaml):(\d+):\d+/.exec(await toast.innerText());
    assert.match((await readFile(join(root, path), "utf8")).split("\n")[Number(line) - 1], /^hero\.actions\.1\.label:/);
    await page.close();
  });
});

describe("the panel", () => {
  it("opens, changes tabs and closes with the keyboard, and gives the focus back", async () => {
    const { page, panel, errors } = await open(PAGE);
    assert.equal(await panel.isVisible(), false);
    await page.locator("main .hero a").first().focus();
    const focused = () =>
      page.evaluate(() => (document.activeElement.shadowRoot?.activeElement ?? document.activeElement).textContent.trim());
    const before = await focused();
    await page.keyboard.press("Alt+p");
    await panel.waitFor({ state: "visible" });
    assert.equal(await focused(), "Page");
    const seen = [];
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press("ArrowRight");
      seen.push(await panel.locator("[role=tab][aria-selected=true]").innerText());
    }
    assert.deepEqual(
      seen.map((name) => name.replace(/\s*\d+$/, "")),
      ["Problems", "Languages", "Weight", "Sharing", "Last save", "Page"],
    );
    await page.keyboard.press("End");
    assert.match(await focused(), /^Last save/);
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("role")), "tabpanel");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    assert.equal(await focused(), before);
    assert.deepEqual(errors, []);
    await page.close();
  });

  for (const viewport of [DESKTOP, TABLET, PHONE]) {
    it(`has no barriers and fits at ${viewport.width} pixels`, async () => {
      const { page, panel, errors } = await open(PAGE, viewport);
      await page.evaluate(AXE);
      await page.locator("sitegen-preview .launcher").click();
      const names = await panel.locator("[role=tab]").count();
      for (let index = 0; index < names; index++) {
        await panel.locator("[role=tab]").nth(index).click();
        await panel.locator("[role=tabpanel] h3").first().waitFor();
        const name = await panel.locator("[role=tab]").nth(index).innerText();
        const barriers = await page.evaluate(async () => {
          const { violations } = await globalThis.axe.run("sitegen-preview");
          return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
        });
        assert.deepEqual(barriers, [], name);
        const { scrollWidth, clientWidth } = await panel
          .locator("[role=tabpanel]")
          .evaluate((body) => ({ scrollWidth: body.scrollWidth, clientWidth: body.clientWidth }));
        assert.ok(scrollWidth === clientWidth, `${name}: ${scrollWidth} of ${clientWidth}`);
        const box = await panel.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, JSON.stringify(box));
      }
      assert.deepEqual(errors, []);
      await page.close();
    });
  }

  it("shows what the page is, weighs and says where it is shared", async () => {
    const { page, panel } = await open(PAGE);
    await page.keyboard.press("Alt+p");
    const tab = async (name) => {
      await panel.getByRole("tab", { name }).click();
      await panel.locator("[role=tabpanel] h3").first().waitFor();
      return panel.locator("[role=tabpanel]");
    };
    const own = await tab("Page");
    assert.match(await own.innerText(), new RegExp(`${PAGE}[^]*page:services[^]*${FILE}`));
    const weight = await (await tab("Weight")).innerText();
    assert.match(weight, new RegExp(`HTML: [\\d.]+ kB of ${settings.budgets.html} kB`));
    assert.match(weight, /\.css\s+[\d.]+ kB\s+[\d.]+ kB/);
    const sharing = await tab("Sharing");
    assert.ok((await sharing.innerText()).includes(content("pages/services/en.yaml").description));
    assert.equal(
      await sharing.locator(".linkedin img").evaluate((/** @type {HTMLImageElement} */ image) => image.naturalWidth > 0),
      true,
    );
    assert.ok((await (await tab("Languages")).innerText()).includes(SPANISH));
    await page.close();
  });

  it("stays open after a save, and says which pages the save changed and why", async () => {
    const { page, panel } = await open(PAGE);
    const { title } = words("pages/services/en.yaml", "hero");
    await page.keyboard.press("Alt+p");
    await page.keyboard.press("End");
    await panel.getByText("Nothing has been saved").waitFor();
    const good = await readFile(join(root, FILE), "utf8");
    await writeFile(join(root, FILE), good.replace(title, "Saved while somebody looks on"));
    await page.waitForFunction(() => document.querySelector("h1")?.textContent.includes("Saved while"));
    await panel.waitFor({ state: "visible" });
    assert.match(await panel.locator("[role=tab][aria-selected=true]").innerText(), /^Last save/);
    await panel.getByText(FILE).waitFor();
    const item = panel.locator("li", { has: page.locator(`a[href="${PAGE}"]`) });
    assert.match(await item.innerText(), /`hero`/);
    await writeFile(join(root, FILE), good);
    await page.waitForFunction((wanted) => document.querySelector("h1")?.textContent.includes(wanted), title);
    await page.close();
  });

  it("changes nothing of what is published", async () => {
    const out = join(root, "../built");
    const built = await sitegen("build", "--root", root, "--out", out);
    assert.equal(built.code, 0, built.stderr);
    const compared = await sitegen("diff", out, join(root, "dist"), "--root", root);
    assert.equal(compared.code, 0, compared.stdout);
    for (const { path } of pages) {
      const [one, other] = [out, join(root, "dist")].map((place) => readFileSync(join(place, path, "index.html")));
      assert.ok(one.equals(other), path);
      assert.ok(!one.includes("_sitegen"), path);
    }
  });
});
