// Describes what was clicked in a page, for the server to find its source: the text, what surrounds it, and where it stands.
// The page holds no marks for this.

/** Letters of a text that are sent. A longer one is described by its parts. */
const MAX_TEXT = 2000;
/** An element with more text than this that was clicked beside its texts means its section. */
const MAX_OWN = 300;
/** Width in pixels up to which a drawing is an icon, which belongs to the text beside it. */
const ICON = 48;
/** How many texts and links around it are sent. */
const MAX_AROUND = 12;

const textOf = (node) => node.textContent.replace(/\s+/g, " ").trim();

/** How many letters and digits of an element stand before a node in it. */
function lettersBefore(element, node) {
  if (element === node) return 0;
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEndBefore(node);
  return (
    range
      .toString()
      .toLowerCase()
      .match(/[\p{Alphabetic}\p{N}]/gu) ?? []
  ).length;
}

/** The text node below a point. */
function textAt(x, y) {
  const position = document.caretPositionFromPoint?.(x, y);
  const node = position?.offsetNode ?? document.caretRangeFromPoint?.(x, y)?.startContainer;
  return node?.nodeType === Node.TEXT_NODE && textOf(node) ? node : null;
}

/** The picture that an element is or belongs to, unless it is an icon. */
function pictureOf(element) {
  const picture = element.closest("img, picture, video, svg") ?? null;
  const image = picture?.localName === "picture" ? picture.querySelector("img") : picture;
  return image && image.getBoundingClientRect().width > ICON ? image : null;
}

/** The addresses of a picture on this server. */
function addresses(image) {
  const sources = [...(image.parentElement?.querySelectorAll(":scope > source") ?? [])].map((source) => source.srcset);
  const sets = [image.srcset ?? "", ...sources].flatMap((set) => set.split(",").map((one) => one.trim().split(" ")[0]));
  const all = [image.currentSrc, image.src, image.poster, ...sets].filter(Boolean);
  const urls = all.map((address) => new URL(address, location.href)).filter((url) => url.origin === location.origin);
  return [...new Set(urls.map((url) => url.pathname))].slice(0, 20);
}

/** The sections of a page: those of the main part that are in no other section. */
export const sections = () =>
  [...document.querySelectorAll("main section")].filter((section) => !section.parentElement.closest("section"));

/** How many elements of `scope` before an element are of its kind, and as wanted. */
function nth(element, scope, isSame) {
  const all = [...scope.querySelectorAll(element.localName)].filter(isSame);
  return Math.max(0, all.indexOf(element));
}

/** How many elements of `scope` before an element show the same text, each counted once. */
function nthText(element, scope) {
  const shown = textOf(element);
  const isSame = (one) => textOf(one) === shown;
  const all = [...scope.querySelectorAll("*")].filter((one) => isSame(one) && ![...one.children].some(isSame));
  return Math.max(
    0,
    all.findIndex((one) => one.contains(element) || element.contains(one)),
  );
}

/** The pages that links at an element lead to, nearest first: the link itself, then those of the card or item. */
function linksNear(element) {
  const own = element.closest("a[href]");
  const card = element.closest("article, li, tr");
  const links = [own, ...(card?.querySelectorAll("a[href]") ?? [])].filter(Boolean);
  const urls = links.map((link) => new URL(link.href, location.href)).filter((url) => url.origin === location.origin);
  return [...new Set(urls.map((url) => url.pathname))].slice(0, MAX_AROUND);
}

/** The element to outline, and what the server is asked. `node` is a text node or an element. */
export function describe(node) {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  const list = sections();
  const section = list.find((one) => one.contains(element));
  const scope = section ?? element.closest("header, footer, main") ?? document.body;
  const base = {
    path: location.pathname,
    language: document.documentElement.lang,
    frame: element.closest("main") ? null : (element.closest("header, footer")?.localName ?? "frame"),
    section: section ? list.indexOf(section) : null,
    sections: list.length,
    near: linksNear(element),
    nth: 0,
    texts: [],
    before: [],
  };
  const image = node === element ? pictureOf(element) : null;
  if (image) {
    const drawing = image.localName === "svg";
    const isDrawing = (one) => one.getBoundingClientRect().width > ICON;
    const alike = drawing ? nth(image, scope, isDrawing) : 0;
    const alt = image.getAttribute("alt") ?? image.getAttribute("aria-label") ?? "";
    return { element: image, clicked: { ...base, drawing, pictures: drawing ? [] : addresses(image), nth: alike, texts: [alt] } };
  }
  const texts = [];
  const before = [];
  const add = (text, count = 0) => {
    if (!text) return;
    texts.push(text);
    before.push(count);
  };
  const own = [...element.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && textOf(child));
  if (node !== element || own || textOf(element).length <= MAX_OWN) {
    // A date is written in another way than it is shown.
    const time = element.closest("time[datetime]");
    if (time) add(time.getAttribute("datetime"));
    // The words of a field without text.
    for (const name of ["placeholder", "aria-label", "title"]) if (!textOf(element)) add(element.getAttribute(name));
    if (node !== element) add(textOf(node));
    for (let outer = element; outer && outer !== scope && texts.length < MAX_AROUND; outer = outer.parentElement) {
      const text = textOf(outer);
      if (text.length > MAX_TEXT) break;
      add(text, lettersBefore(outer, node));
    }
  }
  return { element, clicked: { ...base, texts, before, nth: nthText(element, scope) } };
}

/** Like `describe`, for a point of the page and the element below it. */
export function describeAt(target, x, y) {
  const text = textAt(x, y);
  // The nearest text of a line is far from a point beside it.
  const range = document.createRange();
  if (text) range.selectNodeContents(text);
  const isOn = (box) => x >= box.left - 4 && x <= box.right + 4 && y >= box.top - 4 && y <= box.bottom + 4;
  return describe(text && target.contains(text) && [...range.getClientRects()].some(isOn) ? text : target);
}
