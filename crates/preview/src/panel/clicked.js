// Finds where what was clicked is written. The server renders the page again with a mark before each text that comes from
// a file. Scripts of the page change attributes and add elements, but replace nothing, so an element is found in the
// marked page by its path: the positions of its ancestors among their siblings.

import { ask } from "./elements.js";

/** @typedef {import("./wire").Link} Link */
/** @typedef {import("./wire").PageSource} PageSource */
/** @typedef {PageSource & { body: HTMLElement }} MarkedPage */
/** @typedef {{ found: Link[], section: Link | null, template: Link | null, files: Link[], remote: string | null, text: string }} Answer */
/** @typedef {{ node: Node, offset: number }} Target what was clicked: a text at a letter, or an element */

/** An element with more text than this that was clicked beside its texts means its section. */
const MAX_OWN = 300;
/** Width in pixels up to which a drawing is an icon, which belongs to the text beside it. */
const ICON = 48;
/** Attributes with texts, and those of pictures. */
const ATTRIBUTES = ["placeholder", "aria-label", "title", "alt", "src", "value", "label"];

// The characters of marks, and their numbers, are those of `crates/diagnostics/src/marks.rs`.
const HIGH = 0xf0000;
const LOW = 0xf8000;
const DIGITS = 0x4000;
const MARK = /([\u{F0000}-\u{F7FFF}])([\u{F8000}-\u{FBFFF}])/gu;

/** @param {string} text */
const plain = (text) => text.replace(MARK, "");

/** @param {string} text */
const letters = (text) => text.replace(/\s+/g, " ").trim();

/**
 * The marks of a text: the number of each, and how many characters of the plain text are before it.
 * @param {string} text
 */
function marksIn(text) {
  let length = 0;
  return [...text.matchAll(MARK)].map((match) => {
    const [high, low] = [match[1], match[2]].map((digit) => digit?.codePointAt(0) ?? 0);
    const at = match.index - length;
    length += match[0].length;
    return { number: ((high ?? 0) - HIGH) * DIGITS + (low ?? 0) - LOW, at };
  });
}

/** @type {Map<string, Promise<MarkedPage | null>>} */
const pages = new Map();

/**
 * The marked page at an address, which is asked for once: after a save, this page is loaded again.
 * @param {string} path
 */
function pageAt(path) {
  const known = pages.get(path);
  if (known) return known;
  const asked = ask("source", { query: { path } }).then((page) => {
    // No answer while the site is built: the next question asks again.
    if (!page) pages.delete(path);
    return page && { ...page, body: new DOMParser().parseFromString(page.html, "text/html").body };
  });
  pages.set(path, asked);
  return asked;
}

/**
 * The element of the marked page at the place of an element of this page; `null` if there is none.
 * @param {Element} element
 * @param {HTMLElement} body
 * @returns {Element | null}
 */
function twin(element, body) {
  if (element === document.body) return body;
  if (element === document.documentElement || !element.parentElement) return null;
  const other = twin(element.parentElement, body)?.children[[...element.parentElement.children].indexOf(element)];
  return other?.localName === element.localName ? other : null;
}

/**
 * @param {Node} root
 * @returns {Text[]}
 */
function textsIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.closest("script, style")) texts.push(/** @type {Text} */ (node));
  }
  return texts;
}

/**
 * The text of the marked page that a text of this page is: at the same place, or after a script has moved it the one with
 * the same words in the nearest element that has as many of them before it.
 * @param {Text} text
 * @param {HTMLElement} body
 * @returns {Text | null}
 */
function twinText(text, body) {
  const words = letters(text.data);
  for (let element = text.parentElement; element; element = element.parentElement) {
    const other = twin(element, body);
    if (!other) continue;
    /** @param {Node} root */
    const same = (root) => textsIn(root).filter((one) => letters(plain(one.data)) === words);
    const found = same(other);
    if (found.length > 0) return found[same(element).indexOf(text)] ?? found[0] ?? null;
    if (element.localName === "main") break;
  }
  return null;
}

/**
 * The texts in the properties of an island.
 * @param {unknown} value
 * @returns {string[]}
 */
function strings(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(strings) : [];
}

/**
 * The mark of a text that an island shows after it was used: of the property with these words. A message has its values
 * in place of `{name}`.
 * @param {Text} text
 * @param {HTMLElement} body
 */
function inProperties(text, body) {
  const words = letters(text.data);
  const island = text.parentElement?.closest("[props]");
  const properties = island && twin(island, body)?.getAttribute("props");
  if (!properties || words === "") return [];
  const all = strings(JSON.parse(properties)).filter((one) => marksIn(one).length > 0);
  const escaped = (/** @type {string} */ one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isMessage = (/** @type {string} */ one) => {
    const parts = letters(plain(one)).split(/\{\w+\}/);
    return parts.length > 1 && new RegExp(`^${parts.map(escaped).join(".*")}$`, "u").test(words);
  };
  const found =
    all.find((one) => letters(plain(one)) === words) ?? all.filter(isMessage).sort((a, b) => b.length - a.length)[0] ?? "";
  return marksIn(found);
}

/**
 * The marks of an element: in its attributes, before a drawing, in its texts, in order.
 * @param {Element} element
 */
function marksOf(element) {
  const before = element.previousSibling;
  const drawing = element.localName === "svg" && before instanceof Comment ? marksIn(before.data) : [];
  const attributes = ATTRIBUTES.flatMap((name) => marksIn(element.getAttribute(name) ?? ""));
  return [...drawing, ...attributes];
}

/**
 * The first mark in an element or, if it has none, in the elements around it, up to its section.
 * @param {Element | null} element
 */
function nearest(element) {
  for (let outer = element; outer; outer = outer.parentElement) {
    const own = [outer, ...outer.querySelectorAll("*")].flatMap(marksOf);
    const texts = textsIn(outer).flatMap((text) => marksIn(text.data));
    const first = texts[0] ?? own[0];
    if (first) return [first];
    if (outer.matches("section, header, footer, main")) break;
  }
  return [];
}

/**
 * The mark of the line that a text of highlighted code is in: that of the last text with a mark before it.
 * @param {Text} text
 */
function lineOfCode(text) {
  const code = text.parentElement?.closest("pre");
  if (!code) return undefined;
  const texts = textsIn(code);
  const before = texts.slice(0, texts.indexOf(text)).map((one) => one.data);
  return marksIn(before.join("")).at(-1);
}

/**
 * The picture that an element is or belongs to, unless it is an icon.
 * @param {Element} element
 */
function pictureOf(element) {
  const picture = element.closest("img, picture, video, svg");
  const image = picture?.localName === "picture" ? picture.querySelector("img") : picture;
  return image && image.getBoundingClientRect().width > ICON ? image : null;
}

/** The sections of a page: those of the main part that are in no other section. */
const sections = () =>
  [...document.querySelectorAll("main section")].filter((section) => !section.parentElement?.closest("section"));

/**
 * The marks of what was clicked; the best first.
 * @param {Target} target
 * @param {MarkedPage} page
 */
function marksAt({ node, offset }, { body }) {
  if (node instanceof Text) {
    const other = twinText(node, body);
    if (!other) return inProperties(node, body);
    const marks = marksIn(other.data);
    // A line of a paragraph, or a value in a message, has a mark of its own.
    const before = marks.filter(({ at }) => at <= offset);
    const best = before.at(-1) ?? lineOfCode(other) ?? marks[0];
    return best ? [best, ...marks.filter((one) => one !== best)] : nearest(other.parentElement);
  }
  if (!(node instanceof Element)) return [];
  const other = twin(pictureOf(node) ?? node, body);
  if (!other) return [];
  const own = marksOf(other);
  if (own.length > 0) {
    // The place of a picture, before that of its description.
    const isPicture = other.matches("img, video");
    return isPicture ? marksIn(other.getAttribute("src") ?? "").concat(own) : own;
  }
  const isSmall = letters(other.textContent ?? "").length <= MAX_OWN;
  return isSmall ? nearest(other) : nearest(other.closest("section") ?? other);
}

/**
 * Where what was clicked is written; `null` while the site is built.
 * @param {Target} target
 * @returns {Promise<Answer | null>}
 */
export async function locate(target) {
  const page = await pageAt(location.pathname);
  if (!page) return null;
  const element = target.node instanceof Element ? target.node : target.node.parentElement;
  const list = sections();
  const section = list.find((one) => one.contains(element)) ?? null;
  /** @param {{ number: number }[]} marks */
  const places = (marks) => [...new Set(marks.map(({ number }) => page.places[number]))].filter((one) => one !== undefined);
  let found = places(marksAt(target, page));
  // A card that a script has added is of the page that it leads to.
  const link = element?.closest("article, li")?.querySelector("a[href]") ?? null;
  if (found.length === 0 && link instanceof HTMLAnchorElement && !(element && twin(element, page.body))) {
    found = ((link.origin === location.origin && (await pageAt(link.pathname))?.files) || []).slice(0, 1);
  }
  // The pages of posts and studies have sections before those that are written for them.
  const index = section ? list.indexOf(section) - (list.length - page.templates.length) : -1;
  return {
    found,
    section: section ? (places(nearest(twin(section, page.body)))[0] ?? null) : null,
    template: page.templates[index] ?? null,
    files: page.files,
    remote: page.remote,
    text: letters(target.node.textContent ?? ""),
  };
}

/**
 * What is at a point of the page: a text of the element below it, or the element.
 * @param {Element} element
 * @param {number} x
 * @param {number} y
 * @returns {Target}
 */
export function targetAt(element, x, y) {
  const position = document.caretPositionFromPoint?.(x, y);
  const range = position ? null : document.caretRangeFromPoint?.(x, y);
  const node = position?.offsetNode ?? range?.startContainer;
  if (!(node instanceof Text) || !letters(node.data) || !element.contains(node)) return { node: element, offset: 0 };
  // The nearest text of a line is far from a point beside it.
  const shown = document.createRange();
  shown.selectNodeContents(node);
  const isOn = (/** @type {DOMRect} */ box) => x >= box.left - 4 && x <= box.right + 4 && y >= box.top - 4 && y <= box.bottom + 4;
  if (![...shown.getClientRects()].some(isOn)) return { node: element, offset: 0 };
  return { node, offset: position?.offset ?? range?.startOffset ?? 0 };
}

/**
 * The element to outline for what is at a point.
 * @param {Target} target
 */
export const elementOf = ({ node }) => {
  const element = node instanceof Element ? node : node.parentElement;
  return element && ((node === element ? pictureOf(element) : null) ?? element);
};
