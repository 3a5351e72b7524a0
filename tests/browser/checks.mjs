// The checks of a page in one visit. A check takes the open page and returns a list of problems.
//
// The checks run in this order: load, layout at each viewport, hydration of islands, and navigation with the Tab key. A
// check leaves the page in its initial state, unless the next check relies on its changes.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, PHONE, ready, TABLET } from "./site.mjs";

/**
 * Additional viewports: the narrowest one with a wide layout, and the narrowest one that WCAG requires, in CSS pixels.
 */
const LAPTOP = { width: 1024, height: 768 };
const SMALL = { width: 320, height: 640 };
/** In the order in which a page is resized. Pages are opened in the first, and their islands hydrate in the last. */
const WINDOWS = [DESKTOP, LAPTOP, TABLET, SMALL, PHONE];

/** The minified build of axe. The final `undefined` prevents Playwright from serializing the value of the script. */
export const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")};undefined`;
export const AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Limit of the layout shift score, which has no unit. It allows for rounding: a font that comes late moves nothing. */
const SHIFT_LIMIT = 0.0005;

/**
 * Runs all checks on a page that has just loaded in the viewport DESKTOP, and returns the problems.
 * @param {import("playwright-core").Page} page
 * @param {{ complaints: string[], plainText: string, expected?: RegExp }} seen results of the visit: `plainText` is the
 *   text of the page without JavaScript; complaints that match `expected` are ignored
 */
export async function askEverything(page, { complaints, plainText, expected }) {
  /** @type {string[]} */
  const found = [];
  const note = (check, problems) => found.push(...problems.map((problem) => `${check}: ${problem}`));

  await ready(page);
  await page.evaluate(startShift);
  note("reduced motion", await page.evaluate(findMotion));
  note("without script", await compareTexts(page, plainText));
  await page.evaluate(AXE);
  for (const viewport of WINDOWS) {
    await page.setViewportSize(viewport);
    const at = `at ${viewport.width} px`;
    note(at, await page.evaluate(findMisfits));
    // The rules of axe are slow, and results do not differ in the viewports in between.
    if (viewport === DESKTOP || viewport === PHONE) note(`axe ${at}`, await findBarriers(page));
    // The layout shift is measured before the first resize, because resizing moves elements, too.
    if (viewport === DESKTOP) note("layout shift while loading", shifted(await page.evaluate(measureShift)));
    if (viewport === DESKTOP || viewport === PHONE) note(`in the other direction ${at}`, await findUnmirrored(page));
  }
  // The last window is the phone.
  await page.evaluate(setTextSize, "200%");
  note("with text of 200 %", await page.evaluate(findMisfits));
  await page.evaluate(setTextSize, "");
  await page.evaluate(restartShift);
  note("islands", await hydrateIslands(page));
  note("layout shift while islands hydrate", shifted(await page.evaluate(measureShift)));
  await page.setViewportSize(DESKTOP);
  // What scrolls only on a phone takes no focus here.
  await ready(page);
  note("keyboard", await walkByKeyboard(page));
  note(
    "complaint",
    complaints.filter((complaint) => !expected?.test(complaint)),
  );
  return found;
}

/**
 * Returns the text of the main element, without elements that need JavaScript, and without three elements that differ by
 * design and are tested separately: pagination (instead of a button for more posts), forms in steps, and fields that wait
 * for another answer.
 * @param {import("playwright-core").Page} page
 */
export const mainText = (page) =>
  page.evaluate(() => {
    const answered = "main search, main [data-needs-script]";
    const replaced = "main .pagination, main .blog-explorer__more, main [data-waits], main sitegen-island[name=form-steps]";
    // Hides the elements temporarily. The Content Security Policy allows constructed style sheets, but no inline
    // styles.
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

/** Records layout shifts from now on: what has moved a page while its fonts came is another matter. */
export async function watchShifts(page) {
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(startShift);
  await page.evaluate(restartShift);
}

/** The layout shift score since `watchShifts`, and what has moved. @returns {Promise<{ sum: number, moved: string[] }>} */
export const shiftsOf = (page) => page.evaluate(measureShift);

/** Runs in the page: records layout shifts from the beginning of the load. */
function startShift() {
  globalThis.shifts = [];
  globalThis.shiftWatch = new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()));
  globalThis.shiftWatch.observe({ type: "layout-shift", buffered: true });
}

/**
 * Runs in the page: records layout shifts from the next frame, the first one in the current viewport.
 * @returns {Promise<void>}
 */
function restartShift() {
  return new Promise((resolve) => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        globalThis.shiftWatch.takeRecords();
        globalThis.shifts = [];
        resolve();
      }),
    );
  });
}

/** Runs in the page: returns the elements that have moved, and the layout shift score. */
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

/** Runs in the page, which is opened with reduced motion: returns all elements that move nevertheless. */
function findMotion() {
  const still = (animation) => {
    const { duration, iterations } = animation.effect.getComputedTiming();
    // An animation that is shorter than one frame (16 ms) is not visible as motion.
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

/**
 * Returns violations of axe, formatted as `rule: element (reason)`.
 * @param {import("playwright-core").Page} page
 * @param {Record<string, { enabled: boolean }>} rules those that are different here
 */
export async function findBarriers(page, rules = {}) {
  await ready(page);
  const { violations } = await page.evaluate(
    ([values, rules]) => globalThis.axe.run(document, { runOnly: { type: "tag", values }, rules, resultTypes: ["violations"] }),
    /** @type {const} */ ([AXE_RULES, rules]),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} (${failureSummary.replace(/\s+/g, " ")})`),
  );
}

/** Triggers the directive of each island, and waits until the island is hydrated. */
async function hydrateIslands(page) {
  const problems = [];
  for (const root of await page.locator("sitegen-island").all()) {
    // The event is dispatched directly, because a control may be hidden at this width.
    await root.evaluate((element) => {
      element.firstElementChild.scrollIntoView();
      element.querySelector("button, input, select, textarea")?.dispatchEvent(new Event("pointerover", { bubbles: true }));
    });
    const settled = page.waitForFunction(
      (element) => element.hasAttribute("hydrated") || element.hasAttribute("failed"),
      await root.elementHandle(),
    );
    const state = await settled.then(
      () => root.getAttribute("failed"),
      () => "timeout",
    );
    if (state !== null) problems.push(`"${await root.getAttribute("name")}" does not hydrate`);
  }
  // An island may send requests when it becomes visible, such as the list of posts.
  await ready(page);
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  return problems;
}

/** Navigates with Tab: the first stop is the skip link, and each control must be reached and show a focus indicator. */
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

  // One more key press than there are controls, to return to the document. Lists may grow and iframes have stops of
  // their own, so the walk is repeated while controls are missing.
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

/** Reverses the direction of text, and returns what is not the mirror image of the page, or does not fit any more. */
export async function findUnmirrored(page) {
  await ready(page);
  const unmirrored = await page.evaluate(mirror);
  const misfits = await page.evaluate(findMisfits);
  await page.evaluate(mirror);
  return [...unmirrored, ...misfits];
}

/** Runs in the page: reverses the direction of text, and compares the place of each box before and afterwards. */
function mirror() {
  const root = document.documentElement;
  const style = (element) => getComputedStyle(element);
  // A word stays where its line has it, and code is written from left to right everywhere, with its button at the end of its line.
  const inLine = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    const isInLine = /^(inline|ruby|none)/.test(style(element).display);
    if (isInLine || inLine.has(element.parentElement) || element.matches("svg, pre, .code__copy, .code__said, [dir]"))
      inLine.add(element);
  }
  const boxes = [...document.body.querySelectorAll("*")].filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return !inLine.has(element) && width > 1 && height > 1;
  });
  const sides = () => boxes.map((box) => box.getBoundingClientRect());
  const before = sides();
  root.dir = root.dir === "rtl" ? "ltr" : "rtl";
  const after = sides();
  const name = ({ localName, className }) => `${localName}.${className}`;
  const found = boxes.flatMap((box, at) => {
    const expected = root.clientWidth - before[at].right;
    const off = Math.max(Math.abs(after[at].left - expected), Math.abs(after[at].width - before[at].width));
    // A line that begins with other letters is a pixel or two shorter.
    return off < 4 ? [] : [`${name(box)} begins at ${after[at].left.toFixed()} instead of ${expected.toFixed()}`];
  });
  for (const arrow of document.querySelectorAll(".icon--arrow")) {
    // Words of another language have a direction of their own.
    const turned = arrow.closest("[dir]").getAttribute("dir") === "rtl" ? "-1 1" : "none";
    if (style(arrow).scale !== turned) found.push(`the arrow in ${name(arrow.parentElement)} points in the wrong direction`);
  }
  return [...new Set(found)].slice(0, 5);
}

/** Runs in the page: changes the text size as a setting of the browser does. The policy allows no inline styles. */
function setTextSize(size) {
  globalThis.textSize ??= new CSSStyleSheet();
  globalThis.textSize.replaceSync(size ? `html { font-size: ${size}; }` : "");
  if (!document.adoptedStyleSheets.includes(globalThis.textSize))
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, globalThis.textSize];
}

/** Runs in the page: reports horizontal scrolling, and text that is clipped or outside the viewport. */
function findMisfits() {
  const misfits = [];
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
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
    // A line box has space above and below the letters, which may be clipped.
    const air = line.height / 4;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(box);
      const { left, right, top, bottom, width, height } = box.getBoundingClientRect();
      // The element is visually hidden, for screen readers only.
      if (width <= 1 && height <= 1) return null;
      // Text in scrollable boxes can be scrolled into view.
      if (/auto|scroll/.test(overflowX + overflowY)) return null;
      if (overflowX !== "visible" && (line.left < left - 1 || line.right > right + 1)) return `is cut by ${box.className}`;
      if (overflowY !== "visible" && (line.top + air < top || line.bottom - air > bottom)) return `is cut by ${box.className}`;
      // A skip link is above the viewport until it receives focus.
      if ((position === "absolute" || position === "fixed") && line.bottom <= 0) return null;
    }
    return line.left < -1 || line.right > clientWidth + 1 ? "lies outside the window" : null;
  }
}

/**
 * Runs in the page: records each element that receives focus, and compares its styles with those before.
 * Returns the number of elements that should receive focus.
 */
function watchFocus() {
  /** @type {NodeListOf<HTMLElement>} */
  const focusable = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
  // In a group of radio buttons, Tab stops only at the checked one, or at the first one if none is.
  const isBesideStop = (element) => {
    if (element.type !== "radio" || element.checked) return false;
    const group = [...(element.form ?? document).querySelectorAll(`input[type=radio][name="${CSS.escape(element.name)}"]`)];
    return group.some((other) => /** @type {HTMLInputElement} */ (other).checked) || group[0] !== element;
  };
  const usable = [...focusable].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(":disabled") &&
      element.tabIndex >= 0 &&
      !isBesideStop(element),
  );
  // The focus indicator may be on the element, on a pseudo-element that covers its card, or on the card.
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
    // Elements that were removed in the meantime are ignored, such as the pagination of the list of posts.
    missed: usable.filter((element) => !reached.has(element) && element.isConnected).map(name),
    unmarked: [...unmarked],
    outOfSight: [...outOfSight],
  });
  return usable.length;
}
