// Every page as a visitor meets it: it answers, says what it is, is accessible, quiet, and fits every window.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import axe from "axe-core";
import { DESKTOP, PHONE, TABLET, locales, openBrowser, startSite, visit, withoutLikes } from "./site.mjs";

/** Between the designed widths: where a wide layout is tightest, and the narrowest window that WCAG asks to work. */
const LAPTOP = { width: 1024, height: 768 };
const SMALL = { width: 320, height: 640 };
const WINDOWS = [DESKTOP, LAPTOP, TABLET, PHONE, SMALL];

const AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

describe("every page", { concurrency: 2 }, () => {
  const inEveryWindow = new Set([...withoutLikes(site.pages), ...site.copies]);
  for (const route of [...site.pages, ...site.copies]) {
    it(route.path, () =>
      visit(browser, site.origin + route.path, {}, async (page, { response, complaints }) => {
        assert.equal(response.status(), 200);
        await examine(page, route.locale, inEveryWindow.has(route) ? WINDOWS : [DESKTOP, PHONE]);
        assert.deepEqual(complaints, []);
      }),
    );
  }

  for (const locale of Object.keys(locales)) {
    const path = `${homeOf(locale)}no-such-page/`;
    it(`${path}, which does not exist`, () =>
      visit(browser, site.origin + path, {}, async (page, { response, complaints }) => {
        assert.equal(response.status(), 404);
        await examine(page, locale);
        // The browser's own remark on the answer that this test is about.
        assert.deepEqual(complaints.filter((complaint) => !/status of 404/.test(complaint)), []);
      }),
    );
  }

  for (const route of site.errorPages) {
    it(`${route.path}, as a host shows it`, () =>
      visit(browser, site.origin + route.path, {}, async (page, { complaints }) => {
        await examine(page, route.locale);
        assert.deepEqual(complaints.filter((complaint) => !/status of (404|500)/.test(complaint)), []);
      }),
    );
  }
});

function homeOf(locale) {
  return site.pages.find((route) => route.key === "home" && route.locale === locale).path;
}

/** What holds for any page, whatever its status. */
async function examine(page, locale, windows = WINDOWS) {
  const { lang, headings, title, description } = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    headings: [...document.querySelectorAll("h1")].map((heading) => heading.textContent.trim()),
    title: document.title.trim(),
    description: document.querySelector("meta[name=description]")?.getAttribute("content")?.trim(),
  }));
  assert.equal(lang, locales[locale].language);
  assert.equal(headings.length, 1, `one h1, not ${JSON.stringify(headings)}`);
  assert.notEqual(headings[0], "");
  assert.notEqual(title, "");
  assert.ok(description, "a description");

  // All windows before judging, so that one run names all there is to mend.
  const found = [];
  await page.evaluate(axe.source);
  for (const viewport of windows) {
    await page.setViewportSize(viewport);
    const problems = await page.evaluate(findMisfits);
    // The rules are slow, and the layouts between the two give them nothing new.
    if (viewport === DESKTOP || viewport === PHONE) problems.push(...(await findBarriers(page)));
    found.push(...problems.map((problem) => `at ${viewport.width} px: ${problem}`));
  }
  assert.deepEqual(found, []);
}

/** What axe objects to, as `rule: element (why)`. */
async function findBarriers(page) {
  const { violations } = await page.evaluate(
    (values) => globalThis.axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] }),
    AXE_RULES,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} (${failureSummary.replace(/\s+/g, " ")})`),
  );
}

/** Runs in the page: sideways scrolling, and text that is cut off or lies outside the window. */
function findMisfits() {
  const misfits = [];
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
    const names = wide.slice(0, 5).map((element) => `${element.localName}.${element.getAttribute("class")}`);
    misfits.push(`the page is ${scrollWidth} px wide in a window of ${clientWidth}: ${names.join(" ")}`);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    const words = texts.currentNode.nodeValue.trim();
    if (!words || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest("svg")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const line of range.getClientRects()) {
      const why = cutBy(line, parent);
      if (why) {
        misfits.push(`"${words.slice(0, 40)}" ${why}`);
        break;
      }
    }
  }
  return misfits;

  function cutBy(line, element) {
    // Above and below the letters a line has air that may be cut without loss.
    const air = line.height / 4;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(box);
      const { left, right, top, bottom, width, height } = box.getBoundingClientRect();
      // Meant for screen readers alone.
      if (width <= 1 && height <= 1) return null;
      // What can be scrolled into view is not lost.
      if (/auto|scroll/.test(overflowX + overflowY)) return null;
      if (overflowX !== "visible" && (line.left < left - 1 || line.right > right + 1)) return `is cut by ${box.className}`;
      if (overflowY !== "visible" && (line.top + air < top || line.bottom - air > bottom)) return `is cut by ${box.className}`;
      // A skip link waits above the window until it has the focus.
      if ((position === "absolute" || position === "fixed") && line.bottom <= 0) return null;
    }
    return line.left < -1 || line.right > clientWidth + 1 ? "lies outside the window" : null;
  }
}
