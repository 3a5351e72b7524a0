// Every page with the keyboard alone: all that can be used can be reached, and shows that it has the focus.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openBrowser, startSite, visit, withoutLikes } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

describe("with the keyboard", { concurrency: 2 }, () => {
  for (const { path } of [...withoutLikes(site.pages), ...site.errorPages]) {
    it(`everything on ${path} can be reached, and shows its focus`, () =>
      visit(browser, site.origin + path, {}, async (page) => {
        const expected = await page.evaluate(watchFocus);
        // One more than there are, to come round to the page itself. A list may grow at its end, and a frame has stops of
        // its own, so there are further rounds while something is missed.
        for (let round = 0; round < 3; round += 1) {
          for (let presses = 0; presses <= expected; presses += 1) await page.keyboard.press("Tab");
          if ((await page.evaluate(() => globalThis.focusReport())).missed.length === 0) break;
        }
        const { missed, unmarked, outOfSight } = await page.evaluate(() => globalThis.focusReport());
        assert.deepEqual(missed, [], "never has the focus");
        assert.deepEqual(unmarked, [], "looks the same with the focus");
        assert.deepEqual(outOfSight, [], "has the focus outside the window");
      }));

    it(`the first stop on ${path} skips to the content`, () =>
      visit(browser, site.origin + path, {}, async (page) => {
        await page.keyboard.press("Tab");
        const skip = page.locator(":focus");
        assert.match((await skip.getAttribute("href")) ?? "", /^#./);
        const box = await skip.boundingBox();
        assert.ok(box.y >= 0 && box.width > 1 && box.height > 1, "the skip link shows itself");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        const inside = await page.evaluate(() => {
          const main = document.querySelector("main");
          const next = document.activeElement;
          return main.contains(next) || Boolean(main.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING);
        });
        assert.ok(inside, "the next stop lies in the content");
      }));
  }
});

/**
 * Runs in the page: notes each element as it gets the focus, how it looks then, and compares with how it looked before.
 * Returns the number of elements that should get it.
 */
function watchFocus() {
  /** @type {NodeListOf<HTMLElement>} */
  const focusable = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
  // Of radio buttons that belong together, Tab stops at the checked one; arrow keys lead to the others.
  const isBesideChecked = (element) => {
    if (element.type !== "radio" || element.checked) return false;
    const group = document.querySelectorAll(`input[type=radio][name="${CSS.escape(element.name)}"]`);
    return [...group].some((other) => /** @type {HTMLInputElement} */ (other).checked);
  };
  const usable = [...focusable].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(":disabled") &&
      element.tabIndex >= 0 &&
      !isBesideChecked(element),
  );
  // The mark may stand on the element, on what it spreads over its card, or on the card.
  const looks = (element) =>
    [
      getComputedStyle(element),
      getComputedStyle(element, "::before"),
      getComputedStyle(element, "::after"),
      getComputedStyle(element.parentElement),
    ].map(({ outlineStyle, outlineWidth, boxShadow }) => `${outlineStyle} ${outlineWidth} ${boxShadow}`);
  const marked = (look) => look.some((style) => !/^(none \S+|\S+ 0px) none$/.test(style));
  const name = (element) => {
    const words = element.textContent.trim() || element.getAttribute("aria-label") || "";
    return `${element.localName} "${words.replace(/\s+/g, " ").slice(0, 40)}"`;
  };

  const before = new Map(usable.map((element) => [element, looks(element).join()]));
  const reached = new Set();
  const unmarked = new Set();
  const outOfSight = new Set();
  document.addEventListener("focusin", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    reached.add(target);
    const look = looks(target);
    if (!marked(look) || look.join() === before.get(target)) unmarked.add(name(target));
    const { top, bottom, left, right } = target.getBoundingClientRect();
    if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth) outOfSight.add(name(target));
  });
  globalThis.focusReport = () => ({
    // What a script has replaced since, as the list of posts does with its numbered pages, need not be reached.
    missed: usable.filter((element) => !reached.has(element) && element.isConnected).map(name),
    unmarked: [...unmarked],
    outOfSight: [...outOfSight],
  });
  return usable.length;
}
