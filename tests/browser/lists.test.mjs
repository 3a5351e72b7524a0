// Browser tests of reading on: nothing that is in sight moves while a list is scrolled, whatever the API takes, the
// footer can be reached, and a visitor who comes back from a post finds the place again.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { content, locales, openBrowser, settings, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const API = "**/api/posts?**";
const WIDTHS = [
  { width: 375, height: 812 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];
/** How far and how often the page is scrolled, in CSS pixels and milliseconds. */
const STEP = 50;
const PAUSE = 50;
const words = locales.en.messages;

const BLOGS = settings.locales.map((code) => content(`pages/blog/${code}.yaml`).path);
const hydrated = (page) => page.locator("sitegen-island[hydrated]:has(.search-field)").waitFor({ state: "attached" });
const titles = (page) => page.locator(".post-card__title").allTextContents();
const slowly = (delay) => async (route) => {
  await new Promise((resolve) => setTimeout(resolve, delay));
  await route.continue().catch(() => {});
};

/** Opens a list, delays the API, and waits until the list is hydrated. */
const open = (path, { viewport, delay = 0, answer = undefined }, look) =>
  visit(
    browser,
    site.origin + path,
    { viewport, prepare: (page) => (delay > 0 || answer ? page.route(API, answer ?? slowly(delay)) : undefined) },
    async (page, seen) => {
      await hydrated(page);
      await page.evaluate(() => document.fonts.ready);
      await page.evaluate(watchShifts);
      return look(page, seen);
    },
  );

/** Runs in the page: records each layout shift from now on, with the elements that moved. */
function watchShifts() {
  globalThis.moves = [];
  new PerformanceObserver((list) => {
    for (const entry of /** @type {any[]} */ (list.getEntries())) {
      const name = ({ node }) => `${node?.localName ?? "?"}.${node?.className ?? ""}`;
      globalThis.moves.push(`${entry.value.toFixed(4)} at ${Math.round(scrollY)}: ${entry.sources.map(name).join(", ")}`);
    }
  }).observe({ type: "layout-shift" });
}

/** Runs in the page: scrolls to the end in steps. With `stopAt`, only so many pixels. */
async function scrollOn([step, pause, stopAt]) {
  const rest = () => document.documentElement.scrollHeight - innerHeight - scrollY;
  for (let moved = 0; rest() > 1 && moved < stopAt; moved += step) {
    scrollBy({ top: step, behavior: "instant" });
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
const scroll = (page, { step = STEP, pause = PAUSE, stopAt = 1e6 } = {}) => page.evaluate(scrollOn, [step, pause, stopAt]);
const moves = (page) => page.evaluate(() => globalThis.moves);

describe("reading on moves nothing that is in sight", { concurrency: 3 }, () => {
  for (const viewport of WIDTHS) {
    for (const path of BLOGS) {
      for (const delay of viewport.width === 1280 ? [0, 2000] : [2000]) {
        it(`${path} at ${viewport.width} px, with answers after ${delay} ms`, () =>
          open(path, { viewport, delay }, async (page) => {
            const total = Number(/\d+/.exec(await page.locator(".blog-explorer__count").textContent())[0]);
            await scroll(page);
            assert.deepEqual(await moves(page), []);
            assert.equal((await titles(page)).length, total, "every post has been shown");
            assert.equal(await page.locator(".blog-explorer__pages").count(), 0, "a list from page 1 on needs no links to pages");
          }));
      }
    }

    it(`${BLOGS[0]} at ${viewport.width} px, when the visitor is faster than the answer`, () =>
      open(BLOGS[0], { viewport, delay: 2000 }, async (page) => {
        const before = (await titles(page)).length;
        await scroll(page, { step: 600, pause: 30 });
        assert.ok(
          await page
            .locator("footer")
            .last()
            .evaluate((footer) => footer.getBoundingClientRect().bottom <= innerHeight + 1),
          "the end of the page is reached",
        );
        await page.locator(".post-card").nth(before).waitFor({ state: "attached" });
        await page.evaluate(() => scrollBy({ top: -900, behavior: "instant" }));
        await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
        await scroll(page, { stopAt: 1000 });
        assert.deepEqual(await moves(page), []);
      }));

    it(`case studies at ${viewport.width} px`, () =>
      open("/case-studies/", { viewport }, async (page) => {
        await scroll(page);
        assert.deepEqual(await moves(page), []);
      }));
  }

  // The list of a tag, and the one of an author, that has more than a page.
  for (const kind of ["tag", "author"]) {
    const has = new Set(site.pages.map(({ path }) => path));
    const { path } = site.pages.find((page) => page.path.includes(`/${kind}/`) && has.has(`${page.path}page/2/`));
    it(`${path} at 375 px`, () =>
      visit(
        browser,
        site.origin + path,
        { viewport: WIDTHS[0], prepare: (page) => page.route(API, slowly(2000)) },
        async (page) => {
          if (kind === "tag") await hydrated(page);
          await page.evaluate(() => document.fonts.ready);
          await page.evaluate(watchShifts);
          await scroll(page);
          assert.deepEqual(await moves(page), []);
        },
      ));
  }

  it("when the next posts cannot be loaded", () =>
    open(BLOGS[0], { viewport: WIDTHS[2], answer: (route) => route.fulfill({ status: 503, body: "" }) }, async (page) => {
      // The visitor scrolls on before the browser has shown the message.
      await page.evaluate(() =>
        new MutationObserver((_, observer) => {
          if (!document.querySelector(".blog-explorer [role=alert]")) return;
          observer.disconnect();
          scrollBy({ top: 150, behavior: "instant" });
        }).observe(document.body, { childList: true, subtree: true }),
      );
      await scroll(page, { step: 150 });
      assert.equal(await page.getByRole("alert").count(), 1);
      assert.deepEqual(await moves(page), []);
    }));

  it("while a search runs and when it has found less", () =>
    open(BLOGS[0], { viewport: WIDTHS[2], delay: 700 }, async (page) => {
      await page.getByRole("textbox").fill("python");
      await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
      await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
      assert.deepEqual(
        (await moves(page)).filter((move) => /post-card|call|band|footer/.test(move)),
        [],
      );
    }));
});

describe("the footer", () => {
  it("is reached with the keyboard, and stays where it is", () =>
    open(BLOGS[0], { viewport: WIDTHS[2] }, async (page) => {
      await page.locator(".post-card__link").last().focus();
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement.closest("footer") !== null)) break;
      }
      await page.waitForTimeout(1000);
      assert.ok(await page.evaluate(() => document.activeElement.closest("footer") !== null), "the focus is in the footer");
      const { top, bottom, text } = await page.evaluate(() => ({
        ...document.activeElement.getBoundingClientRect().toJSON(),
        text: document.activeElement.textContent,
      }));
      assert.ok(top >= 0 && bottom <= 801, `"${text}" has the focus from ${top} to ${bottom}`);
    }));
});

describe("a visitor who comes back from a post", { concurrency: 2 }, () => {
  for (const [path, query] of [
    ["/blog/", ""],
    ["/blog/", "a"],
  ]) {
    it(`finds the place again in ${path}${query && ` with a search`}`, () =>
      open(path + (query && `?q=${query}`), { viewport: WIDTHS[2] }, async (page) => {
        await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
        await scroll(page, { step: 400, stopAt: 5200 });
        await page.waitForFunction(() => document.querySelectorAll(".post-card").length > 10);
        const card = page.locator(".post-card__link").nth(14);
        await card.scrollIntoViewIfNeeded();
        const before = { titles: await titles(page), url: page.url(), top: await page.evaluate(() => scrollY) };
        await card.click();
        await page.waitForURL((url) => url.href !== before.url);
        await page.goBack();
        await hydrated(page);
        await page.waitForFunction((count) => document.querySelectorAll(".post-card").length >= count, before.titles.length);
        assert.equal(page.url(), before.url);
        assert.deepEqual((await titles(page)).slice(0, before.titles.length), before.titles);
        const top = await page.evaluate(() => scrollY);
        assert.ok(Math.abs(top - before.top) < 4, `${before.top} before, ${top} afterwards`);
        assert.equal(await page.getByRole("textbox").inputValue(), query);
      }));
  }
});
