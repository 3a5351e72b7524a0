// Browser tests of the wide menu and of the variants of the header (`look` in content/design.yaml): the panel of a group spans the
// window below the header, in both directions of writing, with and without JavaScript, with the keyboard and by touch.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { prepare } from "./horizon.mjs";
import { DESKTOP, openBrowser, PHONE, serve, sitegen, TABLET, TIMEOUT, temporaryFolder } from "./site.mjs";

const browser = await openBrowser();
/** @type {{ path: string, remove: () => Promise<void> }} */
let folder;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, "site");
  await prepare(root);
  const change = (path, edit) => writeFileSync(join(root, path), edit(readFileSync(join(root, path), "utf8")));
  change("content/design.yaml", (text) => `${text}look: {header: start, menu: wide, footer: paper}\n`);
  const label = JSON.stringify({ en: "Care", es: "Cuidados", de: "Pflege", ar: "العناية", "zh-hans": "护理" });
  const group = `    - label: ${label}\n      children:\n        - entries: treatments\n`;
  change("content/site.yaml", (text) => text.replace("  menu:\n", `  menu:\n${group}`));
  const built = await sitegen("build", "--root", root);
  assert.equal(built.code, 0, built.stderr);
  server = await serve("--no-watch", "--root", root);
});
after(async () => {
  await browser.close();
  await server?.stop();
  await folder?.remove();
});

/** Opens a page, and hands over its header and the group. */
async function open(path, options, look) {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  await page.goto(server.origin + path);
  const [summary, panel] = [page.locator(".header__group summary"), page.locator(".header__submenu")];
  await look({ page, summary, panel });
  await context.close();
}
const box = (locator) => locator.evaluate((element) => JSON.parse(JSON.stringify(element.getBoundingClientRect())));

describe("a wide menu", () => {
  for (const script of [true, false]) {
    it(`spans the window below the header ${script ? "with" : "without"} JavaScript`, () =>
      open("/", { javaScriptEnabled: script }, async ({ page, summary, panel }) => {
        assert.equal(await panel.isVisible(), false);
        const { x, y, width, height } = await summary.boundingBox();
        await page.mouse.click(x + width / 2, y + height / 2);
        await panel.waitFor({ state: "visible" });
        const [header, opened] = [await page.locator(".header").boundingBox(), await panel.boundingBox()];
        assert.ok(opened.x <= 0 && opened.width >= DESKTOP.width - 1, JSON.stringify(opened));
        assert.ok(Math.abs(opened.y - (header.y + header.height)) <= 2, JSON.stringify([header, opened]));
        assert.ok(opened.y + opened.height <= DESKTOP.height, "all of it lies in the window");
        const links = await panel.locator("a").evaluateAll((all) => all.map((link) => link.getBoundingClientRect().x));
        assert.ok(new Set(links).size >= 3, `${links} are in columns`);
      }));
  }

  it("is mirrored where text runs from right to left", async () => {
    const places = [];
    for (const path of ["/", "/ar/"]) {
      await open(path, {}, async ({ summary, panel }) => {
        await summary.click();
        await panel.waitFor({ state: "visible" });
        const all = await panel.locator("a").evaluateAll((links) =>
          links.map((link) => {
            const { left, right } = link.getBoundingClientRect();
            return document.dir === "rtl" ? innerWidth - right : left;
          }),
        );
        places.push(all.map(Math.round));
      });
    }
    assert.deepEqual(places[0], places[1]);
  });

  it("is opened, walked through and closed with the keyboard", () =>
    open("/", {}, async ({ page, summary, panel }) => {
      await summary.focus();
      await page.keyboard.press("Enter");
      await panel.waitFor({ state: "visible" });
      await page.keyboard.press("Tab");
      assert.equal(
        await panel
          .locator("a")
          .first()
          .evaluate((link) => link === document.activeElement),
        true,
      );
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "hidden" });
      assert.equal(await summary.evaluate((label) => label === document.activeElement), true);
    }));

  it("marks the current page and its group", () =>
    open("/treatments/crowns/", {}, async ({ summary, panel }) => {
      await summary.click();
      assert.equal(await panel.locator("[aria-current=page]").count(), 1);
      const size = await summary.evaluate((label) => getComputedStyle(label).backgroundSize);
      assert.match(size, /^100% /);
    }));

  for (const [name, viewport] of Object.entries({ "a phone": PHONE, "a tablet": TABLET })) {
    it(`is a list within the menu on ${name}, by touch`, () =>
      open("/", { viewport, hasTouch: true }, async ({ page, summary, panel }) => {
        await page.locator(".header__toggle").tap();
        await summary.tap();
        await panel.waitFor({ state: "visible" });
        const { x, width } = await panel.boundingBox();
        assert.ok(x >= 0 && x + width <= viewport.width);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        await panel.locator("a").first().tap();
        await page.waitForURL(/treatments/);
      }));
  }

  it("has no barriers when it is open", () =>
    open("/", {}, async ({ page, summary, panel }) => {
      await summary.click();
      await panel.waitFor({ state: "visible" });
      await page.evaluate(AXE);
      assert.deepEqual(await findBarriers(page), []);
    }));
});

describe("the look of header and footer", () => {
  it("puts the menu beside the logo, and the footer on the ground of the page", () =>
    open("/", {}, async ({ page }) => {
      const [home, menu, action] = [".header__home", ".header__menu", ".button--header"].map((name) =>
        page.locator(`.header ${name}`),
      );
      const [logo, links, button] = [await box(home), await box(menu), await box(action)];
      assert.ok(links.x - (logo.x + logo.width) < button.x - (links.x + links.width), "the room is before the button");
      const grounds = await page.evaluate(() => {
        const paper = document.body.appendChild(document.createElement("i"));
        paper.style.background = "var(--color-paper)";
        return [document.querySelector("footer.footer"), paper].map((one) => getComputedStyle(one).backgroundColor);
      });
      assert.equal(grounds[0], grounds[1]);
    }));
});
