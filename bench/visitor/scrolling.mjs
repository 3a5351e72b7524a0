// How much moves in sight while a visitor scrolls a list to its end, and the list loads more.

import { visit } from "../../tests/browser/site.mjs";

const WINDOWS = [
  { width: 375, height: 812 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];

/**
 * The lists of a site: in each language all posts, those of a tag and of an author that fill a page, all case studies, and
 * those of a filter.
 */
function lists({ pages }) {
  const has = new Set(pages.map(({ path }) => path));
  const first = (list) => list.slice(0, 1);
  return [...new Set(pages.map(({ locale }) => locale))].flatMap((locale) => {
    const own = pages.filter((page) => page.locale === locale);
    const whole = own.filter(({ key }) => key === "blog" || key === "case-studies");
    const below = (pattern) => own.filter(({ path }) => whole.some((list) => path.startsWith(list.path)) && pattern.test(path));
    const long = (pattern) => first(below(pattern).filter(({ path }) => has.has(`${path}page/2/`)));
    return [...whole, ...long(/\/tag\/[^/]+\/$/), ...long(/\/author\/[^/]+\/$/), ...first(below(/\/sector\/[^/]+\/$/))];
  });
}

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
  for (const { path } of lists(site)) {
    for (const viewport of WINDOWS) {
      const prepare = (page) =>
        page.route(API, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, DELAY));
          await route.continue().catch(() => {});
        });
      const shift = await visit(browser, site.origin + path, { viewport, prepare }, async (page) => {
        const island = page.locator("main sitegen-island:has(.search-field)");
        if ((await island.count()) > 0) await island.and(page.locator("[hydrated]")).waitFor({ state: "attached" });
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
