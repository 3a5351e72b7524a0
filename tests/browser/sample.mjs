// Which pages the browser visits. Pages that one template makes from data of one kind differ in their words, so some of each
// kind stand for all of it; a page that differs in more than words is visited for itself. What a page is made of is read from its
// HTML: its islands, and its class names but those of single elements, which are its sections, components and their variants.
//
// SITE_TEST_PAGES=all visits every page; SITE_TEST_PAGES=/,/es/blog/ these.

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
 * The pages to visit when nothing is named, in the order of the plan.
 * @param {Page[]} pages
 * @returns {Page[]}
 */
export function sample(pages) {
  const chosen = new Set();
  for (const alike of grouped(pages, likeness).values()) for (const page of ends(alike)) chosen.add(page);
  cover(pages, chosen);
  return pages.filter((page) => chosen.has(page));
}

/** Pages of one likeness are made by one template from data of one kind, in one language, and have the same islands. */
function likeness({ key, locale, document }) {
  // `blog/tag/en/python` → `blog/tag`; pages that an author composes have a key of one word.
  const folder = key.split("/").slice(0, -1).slice(0, 2);
  const islands = new Set(document.named("sitegen-island").map((island) => island.get("name")));
  return [locale, ...folder, ...[...islands].sort()].join(" ");
}

/** The first and the last, the shortest and the longest. */
function ends(pages) {
  const bySize = [...pages].sort((a, b) => a.document.elements.length - b.document.elements.length);
  return new Set([pages[0], pages.at(-1), bySize[0], bySize.at(-1)]);
}

/** Adds pages until each part that any page has is on a page that is visited; the page with the most of what is missing comes first. */
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

/** Islands and their directives, sections and components with their variants, each in its language: `es island menu`. */
function partsOf({ locale, document }) {
  const parts = new Set();
  for (const element of document.elements) {
    if (element.name === "sitegen-island") parts.add(`island ${element.get("name")} ${element.get("when")}`);
    // `card__title` comes with its `card`; what stands in a drawing belongs to the drawing.
    if (!element.closest(({ name }) => name === "svg")) for (const name of element.classes) if (!name.includes("__")) parts.add(name);
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
