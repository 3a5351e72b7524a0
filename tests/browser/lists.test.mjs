// Browser tests of reading on: nothing that is in sight moves while a list is scrolled, whatever the API takes, the
// footer can be reached, and a visitor who comes back from a post finds the place again.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { content, locales, openBrowser, ready, settings, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const API = "**/api/posts?**";
const WIDTHS = [
  { width: 375, height: 812 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];
/** How far the page is scrolled in each frame, in CSS pixels. */
const STEP = 100;
/** How far a visitor reads on until an answer arrives, in CSS pixels: less than the room below a list. */
const LATE = 2000;
const words = locales.en.messages;

const BLOGS = settings.locales.map((code) => content(`pages/blog/${code}.yaml`).path);
const hydrated = (page) => page.locator("sitegen-island[hydrated]:has(.search-field)").waitFor({ state: "attached" });
const titles = (page) => page.locator(".post-card__title").allTextContents();

/**
 * Runs in the page before its scripts: answers of the API come when the page has been scrolled on so far since they were asked for, in
 * CSS pixels. Without a distance, they come when `globalThis.answer` is called. `globalThis.isDue` says whether one should be there.
 */
function holdAnswers(distance) {
  const ask = fetch;
  let from = 0;
  globalThis.isDue = () => distance !== null && scrollY - from >= distance && document.querySelector("[aria-busy=true]") !== null;
  globalThis.fetch = async (input, init) => {
    if (!String(input instanceof Request ? input.url : input).includes("/api/posts?")) return ask(input, init);
    from = scrollY;
    const response = await ask(input, init);
    await new Promise((resolve) => {
      globalThis.answer = resolve;
      const look = () => {
        if (scrollY - from >= distance) resolve(undefined);
        else requestAnimationFrame(look);
      };
      if (distance !== null) look();
    });
    return response;
  };
}
const late = (distance) => (page) => page.addInitScript(holdAnswers, distance);
const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Opens a list, prepares its API, and waits until the list is hydrated. */
const open = (path, { viewport, prepare = undefined }, look) =>
  visit(browser, site.origin + path, { viewport, prepare }, async (page, seen) => {
    await hydrated(page);
    await ready(page);
    await page.evaluate(watchShifts);
    return look(page, seen);
  });

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

/** Runs in the page: scrolls to the end, a step in each frame. With `stopAt`, only so many pixels. */
async function scrollOn([step, stopAt]) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const rest = () => document.documentElement.scrollHeight - innerHeight - scrollY;
  for (let moved = 0; rest() > 1 && moved < stopAt; moved += step) {
    scrollBy({ top: step, behavior: "instant" });
    await frame();
    // An answer comes where it is due, however slow this machine is, and the list has seen what there is next two frames later.
    if (!globalThis.isDue?.()) continue;
    while (globalThis.isDue()) await frame();
    await frame();
    await frame();
  }
  await frame();
  await frame();
}
const scroll = (page, { step = STEP, stopAt = 1e6 } = {}) => page.evaluate(scrollOn, [step, stopAt]);
const moves = (page) => page.evaluate(() => globalThis.moves);

describe("reading on moves nothing that is in sight", { concurrency: 3 }, () => {
  for (const viewport of WIDTHS) {
    for (const path of BLOGS) {
      for (const distance of viewport.width === 1280 ? [0, LATE] : [LATE]) {
        it(`${path} at ${viewport.width} px, with answers after ${distance} px`, () =>
          open(path, { viewport, prepare: late(distance) }, async (page) => {
            const total = Number(/\d+/.exec(await page.locator(".blog-explorer__count").textContent())[0]);
            await scroll(page);
            assert.deepEqual(await moves(page), []);
            assert.equal((await titles(page)).length, total, "every post has been shown");
            assert.equal(await page.locator(".blog-explorer__pages").count(), 0, "a list from page 1 on needs no links to pages");
          }));
      }
    }

    it(`${BLOGS[0]} at ${viewport.width} px, when the visitor is faster than the answer`, () =>
      open(BLOGS[0], { viewport, prepare: late(null) }, async (page) => {
        const before = (await titles(page)).length;
        await scroll(page, { step: 600 });
        assert.ok(
          await page
            .locator("footer")
            .last()
            .evaluate((footer) => footer.getBoundingClientRect().bottom <= innerHeight + 1),
          "the end of the page is reached",
        );
        await page.waitForFunction(() => "answer" in globalThis);
        await page.evaluate(() => globalThis.answer());
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
      visit(browser, site.origin + path, { viewport: WIDTHS[0], prepare: late(LATE) }, async (page) => {
        if (kind === "tag") await hydrated(page);
        await ready(page);
        await page.evaluate(watchShifts);
        await scroll(page);
        assert.deepEqual(await moves(page), []);
      }));
  }

  it("when the next posts cannot be loaded", () => {
    const prepare = (page) => Promise.all([late(0)(page), page.route(API, (route) => route.fulfill({ status: 503, body: "" }))]);
    return open(BLOGS[0], { viewport: WIDTHS[2], prepare }, async (page) => {
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
    });
  });

  it("while a search runs and when it has found less", () =>
    open(BLOGS[0], { viewport: WIDTHS[2], prepare: late(null) }, async (page) => {
      await page.getByRole("textbox").fill("python");
      await page.waitForFunction(() => "answer" in globalThis && document.querySelector("[aria-busy=true]") !== null);
      await frames(page);
      await page.evaluate(() => globalThis.answer());
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
      // Whatever the list has asked for meanwhile is there.
      await ready(page);
      await frames(page);
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
