// Browser tests of the header and footer. Tests of their HTML are in tests/html/frame.test.mjs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DESKTOP, locales, openBrowser, PHONE, ready, settings, startSite, TABLET, visit } from "./site.mjs";

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

describe("loud buttons", () => {
  /** Runs in the page: the loud buttons in the viewport, below the header and in it. */
  const loud = () => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.background = "var(--color-signal)";
    const signal = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return [...document.querySelectorAll(".button")]
      .filter((button) => {
        const { top, bottom, width } = button.getBoundingClientRect();
        return width > 0 && bottom > 0 && top < innerHeight && getComputedStyle(button).backgroundColor === signal;
      })
      .map((button) => button.textContent.trim());
  };

  for (const key of ["home", "services", "operations-automation", "about", "contact", "lead-form"]) {
    it(`are never two in sight, from the top to the end of ${key}`, () =>
      see(pageOf(key, "en").path, async (page) => {
        await ready(page);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        let most = 0;
        for (let top = 0; top < height; top += 300) {
          await page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), top);
          await page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
          );
          // The button takes its other look within a moment.
          await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running"));
          const all = await page.evaluate(loud);
          assert.ok(all.length <= 1, `at ${top}: ${all.join(", ")}`);
          most = Math.max(most, all.length);
        }
        assert.equal(most, key === "lead-form" ? 0 : 1);
      }));
  }

  it("leave the window with the header where a page is enlarged to 400 %", () =>
    see(
      "/",
      async (page) => {
        await page.evaluate(() => window.scrollTo({ top: 400, behavior: "instant" }));
        const { bottom } = await page.locator("header").evaluate((header) => header.getBoundingClientRect());
        assert.ok(bottom <= 0, `the header ends at ${bottom}`);
      },
      { viewport: { width: 360, height: 225 } },
    ));
});

describe("the contact page on a phone", () => {
  for (const locale of Object.keys(locales))
    it(`gives the email address and the phone number in its first screen, ${locale}`, () =>
      see(
        pageOf("contact", locale).path,
        async (page) => {
          for (const href of [`mailto:${settings.company.email}`, `tel:${settings.company.phone}`]) {
            const { y, height } = await page.locator(`main a[href="${href}"]`).first().boundingBox();
            assert.ok(y + height < PHONE.height, `${href} ends at ${y + height}`);
          }
        },
        { viewport: PHONE, script: false },
      ));
});

describe("the home page on a phone", () => {
  // It was 10,323 and 10,661 pixels high, which is twelve screens.
  for (const [path, height] of /** @type {const} */ ([
    ["/", 6_882],
    ["/es/", 7_107],
  ]))
    it(`of ${path} is a third shorter than its parts one below the other, without hiding any`, () =>
      see(
        path,
        async (page) => {
          assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= height);
          const spans = page.locator(".spans__item");
          const places = await spans.evaluateAll((all) => all.map((item) => item.getBoundingClientRect()));
          assert.equal(new Set(places.map(({ top }) => top)).size, 1, "beside each other");
          assert.ok(places[1].left < PHONE.width - 40, "the next one is partly in sight");
          const link = spans.last().getByRole("link");
          await link.focus();
          const box = await link.boundingBox();
          assert.ok(box !== null && box.x >= 0 && box.x + box.width <= PHONE.width, "the focus is in sight");
        },
        { viewport: PHONE, script: false },
      ));
});

describe("filters on a phone", () => {
  const open = ".sheet__open";
  for (const [key, sheet, first] of [
    ["case-studies", ".case-explorer__rail", ".case-explorer-card"],
    ["blog", ".blog-explorer__sheet", ".post-card"],
  ]) {
    it(`of ${key} are a sheet, also without JavaScript, and the list begins in the first screen`, async () => {
      for (const script of [true, false])
        await see(
          pageOf(key, "en").path,
          async (page) => {
            const list = await page.locator(first).first().boundingBox();
            assert.ok(list.y <= 640, `the list begins at ${list.y}`);
            assert.equal(await page.locator(sheet).isVisible(), false);
            await page.locator(open).click();
            const box = await page.locator(sheet).boundingBox();
            assert.ok(box.y > 0 && Math.abs(box.y + box.height - PHONE.height) < 2, "at the bottom of the window");
            assert.ok((await page.locator(`${sheet} .chip`).count()) > 5);
            await page.keyboard.press("Escape");
            await page.locator(sheet).waitFor({ state: "hidden" });
            await page.locator(open).click();
            await page.locator(`${sheet} .sheet__close`).click();
            await page.locator(sheet).waitFor({ state: "hidden" });
          },
          { viewport: PHONE, script },
        );
      await see(
        pageOf(key, "en").path,
        async (page) => {
          assert.ok(await page.locator(sheet).isVisible());
          assert.equal(await page.locator(open).isVisible(), false);
        },
        { viewport: TABLET },
      );
    });
  }
});

describe("the other language", () => {
  for (const viewport of [DESKTOP, PHONE]) {
    it(`is in the header at ${viewport.width} px, and keeps the place`, () =>
      see(
        "/services/operations-automation/",
        async (page) => {
          const link = page.getByRole("banner").getByRole("link", { name: locales.es.name });
          const { height } = await link.boundingBox();
          assert.ok(height >= 44, `a target of ${height} px`);
          await link.click();
          await page.waitForURL((url) => url.pathname === pageOf("operations-automation", "es").path);
        },
        { viewport },
      ));
  }
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
