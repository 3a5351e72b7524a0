// Selects the pages that browser tests visit. Pages from the same template and kind of data differ only in their text,
// so the largest of each kind is visited, and each night all of them. In addition, each island, section, component and
// variant must be on at least one visited page. They are read from the HTML: islands, and the class names of blocks
// (those without `__`).
//
// SITE_TEST_PAGES=all visits all pages; SITE_TEST_PAGES=/,/es/blog/ visits the given pages.

/** @typedef {import("../html/dist.mjs").Page} Page */

/**
 * The routes that SITE_TEST_PAGES names.
 * @template {{ path: string }} Route
 * @param {Route[]} routes
 */
export function named(routes) {
  const wanted = (process.env.SITE_TEST_PAGES ?? "").split(",");
  return wanted.includes("all") ? routes : routes.filter(({ path }) => wanted.includes(path));
}

/**
 * The pages to visit by default, in the order of the routes.
 * @param {Page[]} pages
 * @returns {Page[]}
 */
export function sample(pages) {
  const chosen = new Set();
  for (const alike of grouped(pages, likeness).values()) chosen.add(largest(alike));
  cover(pages, chosen);
  return pages.filter((page) => chosen.has(page));
}

/** Groups pages with the same template, kind of data, language and islands. */
function likeness({ key, locale, document }) {
  // `blog/tag/en/python` → `blog/tag`. Keys of pages in content/pages/ have one segment, and result in no prefix.
  const folder = key.split("/").slice(0, -1).slice(0, 2);
  const islands = new Set(document.named("sitegen-island").map((island) => island.get("name")));
  return [locale, ...folder, ...[...islands].sort()].join(" ");
}

/** The page with the most elements. */
function largest(pages) {
  return pages.reduce((most, page) => (page.document.elements.length > most.document.elements.length ? page : most));
}

/** Adds pages until each part is on a visited page. It is greedy: the page with the most missing parts comes first. */
function cover(pages, chosen) {
  const parts = new Map(pages.map((page) => [page, partsOf(page)]));
  const shown = new Set([...chosen].flatMap((page) => parts.get(page)));
  const missing = (page) => parts.get(page).filter((part) => !shown.has(part)).length;
  for (;;) {
    const best = pages.reduce((most, page) => (missing(page) > missing(most) ? page : most));
    if (missing(best) === 0) return;
    chosen.add(best);
    for (const part of parts.get(best)) shown.add(part);
  }
}

/** Classes with a value of content: the language of a listing, the color and the point of a picture. They change no layout. */
const VALUES = /^(?:language|tint|focus)-/;

/** The parts of a page, prefixed with its locale: islands with their directives, and blocks with their variants. */
function partsOf({ locale, document }) {
  const parts = new Set();
  for (const element of document.elements) {
    if (element.name === "sitegen-island") parts.add(`island ${element.get("name")} ${element.get("when")}`);
    // Elements such as `card__title` belong to the block `card`. Classes in inline SVG belong to the drawing.
    if (!element.closest(({ name }) => name === "svg"))
      for (const name of element.classes) if (!name.includes("__") && !VALUES.test(name)) parts.add(name);
  }
  return [...parts].map((part) => `${locale} ${part}`);
}

function grouped(values, by) {
  const groups = new Map();
  for (const value of values) {
    const name = by(value);
    groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  return groups;
}
