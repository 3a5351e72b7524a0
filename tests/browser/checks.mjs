// What is asked of a page in one visit. A check takes the open page and returns what is wrong with it, one line each.
//
// The order is that of a visitor: the page arrives, is looked at in each window, wakes its islands, and is walked through with
// the Tab key. A check leaves the page as it found it, unless the next one is written for what it leaves.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, PHONE, TABLET } from "./site.mjs";

/** Between the designed widths: where a wide layout is tightest, and the narrowest window that WCAG asks to work. */
const LAPTOP = { width: 1024, height: 768 };
const SMALL = { width: 320, height: 640 };
/** In the order in which one page is resized: from the window it was opened in down to the one it wakes its islands in. */
const WINDOWS = [DESKTOP, LAPTOP, TABLET, SMALL, PHONE];

/** Half the size of the readable one, and it ends in nothing: what an expression gives is sent back to the test. */
const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")};undefined`;
const AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** How much a page may move under its reader, as the browser counts it: rounding and one late font, no more. */
const SHIFT_LIMIT = 0.02;

/**
 * Asks everything of an open page, which has just arrived at DESKTOP size, and returns what is wrong.
 * @param {import("playwright-core").Page} page
 * @param {{ complaints: string[], plainText: string, expected?: RegExp }} seen what the visit has collected;
 *   `plainText` is what the page says without script; complaints that match `expected` are none
 */
export async function askEverything(page, { complaints, plainText, expected }) {
  /** @type {string[]} */
  const found = [];
  const note = (check, problems) => found.push(...problems.map((problem) => `${check}: ${problem}`));

  /** @type {string[]} */
  let loading = [];
  await page.evaluate(startShift);
  note("reduced motion", await page.evaluate(findMotion));
  note("without script", await compareTexts(page, plainText));
  await page.evaluate(AXE);
  for (const viewport of WINDOWS) {
    await page.setViewportSize(viewport);
    const at = `at ${viewport.width} px`;
    note(at, await page.evaluate(findMisfits));
    // The rules are slow, and the layouts between the two give them nothing new.
    if (viewport === DESKTOP || viewport === PHONE) note(`axe ${at}`, await findBarriers(page));
    // By now the page has had all the time it needs; what a resized window moves is no shift.
    if (viewport === DESKTOP) loading = shifted(await page.evaluate(measureShift));
  }
  await page.evaluate(restartShift);
  note("islands", await hydrateIslands(page));
  note("layout shift while islands hydrate", shifted(await page.evaluate(measureShift)));
  await page.setViewportSize(DESKTOP);
  note("keyboard", await walkByKeyboard(page));
  note("layout shift while loading", loading.length > 0 ? await loadAgain(page) : []);
  note("complaint", complaints.filter((complaint) => !expected?.test(complaint)));
  return found;
}

/**
 * What a page says, but for what only script could answer, which is not there without it, and for two things that are
 * something else there and have tests of their own: further posts come by numbered pages instead of a button, and the
 * lead form is one form instead of steps.
 * @param {import("playwright-core").Page} page
 */
export const mainText = (page) =>
  page.evaluate(() => {
    const answered = "main [role=search], main [data-needs-script]";
    const replaced = "main .pagination, main .blog-explorer__more, main sitegen-island[name=lead-form]";
    // For this moment only, so that the page can be asked more. The policy forbids an inline style, not a sheet of script's own.
    const hidden = new CSSStyleSheet();
    hidden.replaceSync(`:is(${answered}, ${replaced}) { display: none !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, hidden];
    const text = document.querySelector("main").innerText;
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== hidden);
    return text.trim();
  });

async function compareTexts(page, plain) {
  if (plain === "") return ["the page says nothing"];
  const scripted = await mainText(page);
  if (plain === scripted) return [];
  const [without, withScript] = [plain.split("\n"), scripted.split("\n")];
  const line = without.findIndex((text, at) => text !== withScript[at]);
  const at = line === -1 ? without.length : line;
  return [`line ${at + 1} reads ${JSON.stringify(without[at] ?? "")}, with script ${JSON.stringify(withScript[at] ?? "")}`];
}

const shifted = ({ sum, moved }) => (sum < SHIFT_LIMIT ? [] : [`moved by ${sum.toFixed(3)}: ${moved.join(" ")}`]);

/** Whether a page moves each time it loads. On a busy machine a font may come after the first frame; the next time it is there. */
async function loadAgain(page) {
  let problems = [];
  for (let tries = 0; tries < 3; tries += 1) {
    // Until nothing more comes: what moves late moves all the same.
    await page.reload({ waitUntil: "networkidle" });
    await page.evaluate(startShift);
    problems = shifted(await page.evaluate(measureShift));
    if (problems.length === 0) break;
  }
  return problems;
}

/** Runs in the page: counts what has moved since it began to load. */
function startShift() {
  globalThis.shifts = [];
  globalThis.shiftWatch = new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()));
  globalThis.shiftWatch.observe({ type: "layout-shift", buffered: true });
}

/** Runs in the page: counts from the next frame on, which is the first in the window that it has now. */
function restartShift() {
  return new Promise((resolve) => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        globalThis.shiftWatch.takeRecords();
        resolve((globalThis.shifts = []).length);
      }),
    );
  });
}

/** Runs in the page: what moved, and by how much. */
function measureShift() {
  return new Promise((resolve) => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        globalThis.shifts.push(...globalThis.shiftWatch.takeRecords());
        const name = ({ node }) => `${node?.localName ?? "?"}.${node?.className ?? ""}`;
        const moved = [...new Set(globalThis.shifts.flatMap(({ sources }) => sources.map(name)))];
        resolve({ sum: globalThis.shifts.reduce((sum, { value }) => sum + value, 0), moved: moved.slice(0, 5) });
      }),
    );
  });
}

/** Runs in the page, opened for a visitor who wants less motion: what moves all the same. */
function findMotion() {
  const still = (animation) => {
    const { duration, iterations } = animation.effect.getComputedTiming();
    // A cut: no eye follows what takes less than one frame.
    return Number(duration) * Number(iterations) < 16 || animation.playState !== "running";
  };
  const moving = document.getAnimations().filter((animation) => !still(animation));
  const name = ({ effect }) => {
    const { target, pseudoElement } = /** @type {KeyframeEffect} */ (effect);
    return `${target?.localName}.${target?.getAttribute("class") ?? ""}${pseudoElement ?? ""}`;
  };
  const smooth = getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? ["html scrolls smoothly"] : [];
  return [...new Set(moving.map((animation) => `${name(animation)} moves`)), ...smooth];
}

/** What axe objects to, as `rule: element (why)`. */
export async function findBarriers(page) {
  const { violations } = await page.evaluate(
    (values) => globalThis.axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] }),
    AXE_RULES,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} (${failureSummary.replace(/\s+/g, " ")})`),
  );
}

/** Wakes each island, whatever its directive, and waits until it is hydrated. */
async function hydrateIslands(page) {
  const problems = [];
  for (const root of await page.locator("sitegen-island").all()) {
    // In sight, and reached for. A control may be hidden at this width.
    await root.evaluate((element) => {
      element.firstElementChild.scrollIntoView();
      element.querySelector("button, input, select, textarea")?.dispatchEvent(new Event("pointerover", { bubbles: true }));
    });
    const settled = page.waitForFunction((element) => element.hasAttribute("hydrated") || element.hasAttribute("failed"), await root.elementHandle());
    const state = await settled.then(() => root.getAttribute("failed"), () => "timeout");
    if (state !== null) problems.push(`"${await root.getAttribute("name")}" does not hydrate`);
  }
  // An island may ask for more once it is in sight, as the list of posts does.
  await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  return problems;
}

/** Walks through the page with Tab: the first stop skips to the content, and all that can be used is reached and shows it. */
async function walkByKeyboard(page) {
  const problems = [];
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  const expected = await page.evaluate(watchFocus);

  await page.keyboard.press("Tab");
  const skip = await page.evaluate(() => {
    const element = /** @type {HTMLElement} */ (document.activeElement);
    const { top, width, height } = element.getBoundingClientRect();
    return { href: element.getAttribute("href") ?? "", shows: top >= 0 && width > 1 && height > 1 };
  });
  if (!/^#./.test(skip.href)) problems.push(`the first stop leads to "${skip.href}" instead of the content`);
  else if (!skip.shows) problems.push("the skip link does not show itself");
  else {
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const inside = await page.evaluate(() => {
      const main = document.querySelector("main");
      const next = document.activeElement;
      return main.contains(next) || Boolean(main.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    if (!inside) problems.push("after the skip link the next stop does not lie in the content");
  }

  // One more than there are, to come round to the page itself. A list may grow at its end, and a frame has stops of its own,
  // so there are further rounds while something is missed.
  for (let round = 0; round < 3; round += 1) {
    for (let presses = 0; presses <= expected; presses += 1) await page.keyboard.press("Tab");
    if ((await page.evaluate(() => globalThis.focusReport())).missed.length === 0) break;
  }
  const { missed, unmarked, outOfSight } = await page.evaluate(() => globalThis.focusReport());
  problems.push(...missed.map((name) => `${name} never has the focus`));
  problems.push(...unmarked.map((name) => `${name} looks the same with the focus`));
  problems.push(...outOfSight.map((name) => `${name} has the focus outside the window`));
  return problems;
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
