// Browser tests of sections: questions that open one at a time, the pricing table, and scrolling to the hero on phones.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DESKTOP, openBrowser, PHONE, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const see = (path, look, options) => visit(browser, site.origin + path, options, look);
const pathOf = (key, locale = "en") => site.pages.find((route) => route.key === key && route.locale === locale).path;

describe("questions", () => {
  for (const script of [true, false]) {
    it(`open one at a time and close on a second click, ${script ? "with" : "without"} JavaScript`, () =>
      see(
        pathOf("maintenance-plans"),
        async (page) => {
          const items = page.locator("details");
          const open = () => items.evaluateAll((all) => all.flatMap((item, index) => (item.open ? [index] : [])));
          assert.equal(await items.count(), 7);
          assert.deepEqual(await open(), [0]);
          await items.nth(2).locator("summary").click();
          assert.deepEqual(await open(), [2]);
          await items.nth(2).locator("summary").click();
          assert.deepEqual(await open(), []);
        },
        { viewport: DESKTOP, script },
      ));
  }

  it("are in the structured data, with the same text", () =>
    see(pathOf("maintenance-plans"), async (page) => {
      const data = JSON.parse(await page.locator('script[type="application/ld+json"]').textContent());
      const faq = data["@graph"].find((node) => node["@type"] === "FAQPage");
      const asked = (await page.locator("summary").allInnerTexts()).map((text) => text.trim());
      assert.deepEqual(
        faq.mainEntity.map((question) => question.name),
        asked,
      );
    }));
});

describe("the pricing table", () => {
  it("has a header for each row and column, and text for its icons", () =>
    see(pathOf("maintenance-plans"), async (page) => {
      assert.equal(await page.locator("table th[scope=col]").count(), 3);
      assert.equal(await page.locator("table tbody th[scope=row]").count(), 9);
      const cells = await page.locator("table tbody td").allTextContents();
      assert.equal(cells.length, 27);
      assert.deepEqual(
        cells.filter((text) => text.trim() === ""),
        [],
        "a cell says nothing to whoever cannot see its sign",
      );
    }));
});

describe("the services page on a phone", () => {
  /** Opens the page with a clock that stands still, and waits until its script has begun to wait. */
  const later = async (options, path, look) => {
    const context = await browser.newContext({ viewport: PHONE, ...options });
    const page = await context.newPage();
    try {
      await page.clock.install({ time: 0 });
      await page.clock.pauseAt(1_000);
      const script = page.waitForResponse(/\/scroll-on-load-\w+\.js$/);
      await page.goto(site.origin + path, { waitUntil: "load" });
      await page.evaluate((url) => import(url), (await script).url());
      await look(page);
    } finally {
      await context.close();
    }
  };
  const scrolled = (page) => page.evaluate(() => window.scrollY);

  it("scrolls to its hero after half a second", () =>
    later({}, pathOf("services"), async (page) => {
      await page.clock.runFor(400);
      assert.equal(await scrolled(page), 0, "too early");
      await page.clock.runFor(200);
      await page.waitForFunction(() => window.scrollY > 0);
    }));

  it("does not scroll for visitors who prefer reduced motion", () =>
    later({ reducedMotion: "reduce" }, pathOf("services"), async (page) => {
      await page.clock.runFor(2000);
      assert.equal(await scrolled(page), 0);
    }));

  it("does not scroll if the visitor has already scrolled", () =>
    later({}, pathOf("services"), async (page) => {
      await page.evaluate(() => window.scrollTo(0, 700));
      await page.clock.runFor(2000);
      assert.equal(await scrolled(page), 700);
    }));

  it("does not scroll on a larger screen", () =>
    later({ viewport: DESKTOP }, pathOf("services"), async (page) => {
      await page.clock.runFor(2000);
      assert.equal(await scrolled(page), 0);
    }));
});

describe("the sample page", () => {
  it("keeps its header visible while scrolling", () =>
    see(pathOf("sample"), async (page) => {
      await page.evaluate(() => window.scrollTo(0, 2000));
      await page.waitForFunction(() => window.scrollY > 1900);
      const box = await page.locator("header").first().boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y < 10, "the header has left the window");
    }));
});

describe("with forced colors", () => {
  // Colors of the system replace those of the site, and backgrounds that are drawn are removed.
  const forced = (path, look) =>
    see(path, async (page) => {
      await page.emulateMedia({ forcedColors: "active" });
      try {
        await look(page);
      } finally {
        await page.emulateMedia({ forcedColors: "none" });
      }
    });
  const style = (locator, property) =>
    locator.first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

  it("links and the current page of the menu are underlined", () =>
    forced(pathOf("contact"), async (page) => {
      for (const link of [".header__link[aria-current]", ".flow a"])
        assert.equal(await style(page.locator(link), "text-decoration-line"), "underline", link);
    }));

  it("the chosen filter stands out", () =>
    forced(site.pages.find(({ path }) => path.startsWith("/case-studies/sector/")).path, async (page) => {
      const chosen = await style(page.locator(".chip[aria-current]"), "background-color");
      assert.notEqual(chosen, await style(page.locator(".chip:not([aria-current])"), "background-color"));
    }));

  it("drawings on dark bands have the colors of the system", () =>
    forced("/style-guide/components/phases/", async (page) => {
      const [line, text] = await page
        .locator(".band--ink .phases__art [stroke]")
        .first()
        .evaluate((element) => [getComputedStyle(element).stroke, getComputedStyle(document.body).color]);
      assert.equal(line, text);
    }));

  it("lines on the areas of a drawing can be told from these", () =>
    forced("/", async (page) => {
      const area = await style(page.locator(".hero .art-signal"), "fill");
      const ground = await style(page.locator(".hero .art-ground-line"), "stroke");
      assert.notEqual(area, "rgb(240, 255, 100)", "a color of the system");
      assert.notEqual(ground, area);
    }));

  it("questions have their signs", () =>
    forced(pathOf("maintenance-plans"), async (page) => {
      const sign = await page
        .locator(".faq__question")
        .first()
        .evaluate((element) => getComputedStyle(element, "::after").backgroundImage);
      assert.match(sign, /gradient/);
    }));
});

describe("on paper", () => {
  it("titles stay with the table and the questions that follow", () =>
    see(pathOf("maintenance-plans"), async (page) => {
      await page.emulateMedia({ media: "print" });
      try {
        const rules = await page.evaluate(() =>
          [".pricing-table", ".faq__head"].map((at) => {
            const { breakInside, breakAfter, display } = getComputedStyle(/** @type {Element} */ (document.querySelector(at)));
            return `${breakInside} ${breakAfter} ${display}`;
          }),
        );
        // Browsers keep what is in a block together, and not what is in a grid.
        assert.deepEqual(rules, ["avoid auto block", "auto avoid block"]);
      } finally {
        await page.emulateMedia({ media: null });
      }
    }));
});
