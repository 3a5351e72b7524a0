// Browser tests of the header and footer. Tests of their HTML are in tests/html/frame.test.mjs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DESKTOP, locales, openBrowser, PHONE, settings, startSite, TABLET, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const see = (path, look, options) => visit(browser, site.origin + path, options, look);
const pageOf = (key, locale) => site.pages.find((route) => route.key === key && route.locale === locale);
const pathOf = (url) => new URL(url).pathname + new URL(url).hash;
const homes = Object.keys(locales).map((locale) => pageOf("home", locale));

describe("the header", () => {
  for (const { path } of homes) {
    it(`of ${path} shows the logo at 150 × 40 pixels, with the name of the product`, () =>
      see(path, async (page) => {
        const home = page.locator("header").getByRole("link", { name: settings.product.name }).first();
        const { width, height } = await home.locator("svg, img").first().boundingBox();
        assert.deepEqual([width, height], [150, 40]);
        assert.equal(pathOf(await home.evaluate((element) => element.href)), path);
      }));
  }

  for (const viewport of [DESKTOP, PHONE]) {
    it(`takes another style beyond 50 pixels, and loses it below (${viewport.width} px)`, () =>
      see(
        "/",
        async (page) => {
          const scrolled = (y) => page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), y);
          const marked = (yes) =>
            page.waitForFunction((wanted) => document.documentElement.hasAttribute("data-scrolled") === wanted, yes);
          const style = () =>
            page.evaluate(() => {
              const { backgroundColor, borderColor, boxShadow, color, height } = getComputedStyle(
                document.querySelector("header"),
              );
              return JSON.stringify([backgroundColor, borderColor, boxShadow, color, height]);
            });
          await marked(false);
          const atTop = await style();
          await scrolled(51);
          await marked(true);
          assert.notEqual(await style(), atTop);
          await scrolled(50);
          await marked(false);
          assert.equal(await style(), atTop);
        },
        { viewport },
      ));
  }

  it("has its scrolled style immediately after a reload in a scrolled position", () =>
    see("/", async (page) => {
      await page.evaluate(() => window.scrollTo({ top: 900, behavior: "instant" }));
      await page.reload();
      await page.waitForFunction(() => window.scrollY > 50 && document.documentElement.hasAttribute("data-scrolled"));
    }));

  it("collapses its menu at 768 pixels, but not at 769", async () => {
    const button = (page) => page.getByRole("button", { name: /^menu$/i });
    await see("/", async (page) => assert.ok(await button(page).isVisible()), { viewport: TABLET });
    await see("/", async (page) => assert.ok(await button(page).isHidden()), { viewport: { ...TABLET, width: 769 } });
  });
});

describe("the footer", () => {
  it("switches the language of a page, and back", () =>
    see("/services/operations-automation/", async (page) => {
      const footer = page.getByRole("contentinfo");
      const switchTo = async (locale) => {
        await footer.getByRole("link", { name: locales[locale].name }).click();
        await page.waitForURL((url) => url.pathname === pageOf("operations-automation", locale).path);
        assert.equal(await page.locator("html").getAttribute("lang"), locales[locale].language);
      };
      await switchTo("es");
      await switchTo("en");
    }));
});
