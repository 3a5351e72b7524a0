// How long each island takes until it answers, and how long the browser can do nothing else meanwhile.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PHONE } from "../../tests/browser/site.mjs";
import { median, slowVisit } from "./slowed.mjs";

const TIMES = 5;

/** The first page of the site that has an island, by its name. */
function holders(site) {
  const found = new Map();
  for (const { path } of site.pages) {
    const html = readFileSync(join(site.folder, path, "index.html"), "utf8");
    for (const [, attributes] of html.matchAll(/<sitegen-island\b([^>]*)>/g)) {
      const value = (name) => new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
      const name = value("name");
      if (!found.has(name)) found.set(name, { name, when: value("when"), path });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Notes in the page when the island was woken, when it was awake, and the longest task until then. */
const watch = (name) => {
  const seen = { longest: 0 };
  window.benchIsland = seen;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime >= (seen.woken ?? 0)) seen.longest = Math.max(seen.longest, duration);
    }
  }).observe({ type: "longtask", buffered: true });
  new MutationObserver(() => {
    if (document.querySelector(`sitegen-island[name="${name}"][hydrated]`)) seen.awake ??= performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["hydrated"] });
};

/** What wakes it: for those that wake by themselves, the beginning of the page. */
async function wake(page, { name, when }) {
  if (when !== "interaction" && when !== "visible") return;
  await page.evaluate(
    ([own, how]) => {
      const root = document.querySelector(`sitegen-island[name="${own}"]`);
      window.benchIsland.woken = performance.now();
      window.benchIsland.longest = 0;
      if (how === "visible") root.firstElementChild.scrollIntoView();
      else
        root
          .querySelector("button, input, select, textarea, summary, [tabindex]")
          .dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    },
    [name, when],
  );
}

/** `[{ name, when, path, awake, longest }]`: medians in milliseconds; `awake` counts from what wakes the island. */
export async function measureIslands(browser, site) {
  const found = [];
  for (const island of holders(site)) {
    const [awake, longest] = [[], []];
    for (let time = 0; time < TIMES; time++) {
      await slowVisit(
        browser,
        site.origin + island.path,
        { viewport: PHONE, prepare: (page) => page.addInitScript(watch, island.name) },
        async (page) => {
          await wake(page, island);
          await page.waitForFunction(() => window.benchIsland.awake !== undefined);
          // Observers hear of a task after it has ended.
          await page.waitForTimeout(100);
          const seen = await page.evaluate(() => window.benchIsland);
          awake.push(seen.awake - (seen.woken ?? 0));
          longest.push(seen.longest);
        },
      );
    }
    found.push({ ...island, awake: median(awake), longest: median(longest) });
  }
  return found;
}
