// How much moves in sight while a visitor scrolls a list to its end, and the list loads more.

import { DESKTOP, PHONE, visit } from "../../tests/browser/site.mjs";

/** The keys of the pages with a list that a visitor can read on. */
const LISTS = ["blog", "case-studies"];

/** How far and how often the page is scrolled, in CSS pixels and milliseconds. */
const STEP = 50;
const PAUSE = 50;
/** How long the API takes to answer, in milliseconds: long enough to scroll to the end of what is loaded. */
const DELAY = 2000;
const API = "**/api/posts?**";

/** Runs in the page: adds up layout shifts from now on. Unlike in a score, all of them count. */
function watch() {
  window["benchShift"] = 0;
  new PerformanceObserver((list) => {
    for (const entry of /** @type {any[]} */ (list.getEntries())) window["benchShift"] += entry.value;
  }).observe({ type: "layout-shift" });
}

/** Runs in the page: scrolls to the end in steps. */
async function scrollToEnd([step, pause]) {
  while (document.documentElement.scrollHeight - innerHeight - scrollY > 1) {
    scrollBy({ top: step, behavior: "instant" });
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** `[{ path, width, shift }]`: the sum of all layout shifts of a list. */
export async function measureScrolling(browser, site) {
  const found = [];
  for (const { path } of site.pages.filter(({ key }) => LISTS.includes(key))) {
    for (const viewport of [PHONE, DESKTOP]) {
      const prepare = (page) =>
        page.route(API, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, DELAY));
          await route.continue().catch(() => {});
        });
      const shift = await visit(browser, site.origin + path, { viewport, prepare }, async (page) => {
        await page.locator("sitegen-island[hydrated]:has(.search-field)").waitFor({ state: "attached" });
        await page.evaluate(() => document.fonts.ready);
        await page.evaluate(watch);
        await page.evaluate(scrollToEnd, [STEP, PAUSE]);
        return page.evaluate(() => window["benchShift"]);
      });
      process.stderr.write(`  scrolling ${path} at ${viewport.width} px\n`);
      found.push({ path, width: viewport.width, shift });
    }
  }
  return found;
}
