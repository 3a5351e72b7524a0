// The tabs of the panel: what the server says about the page, and what its head and its files say.

import { stateWords } from "./drafts.js";
import { ask, count, h, place } from "./elements.js";
import { sharing } from "./sharing.js";
import { weights } from "./weights.js";

/** @typedef {import("./wire").PageAnswer} PageAnswer */
/** @typedef {import("./wire").ProblemPart} ProblemPart */
/** @typedef {import("./elements.js").Notify} Notify */
/** @typedef {import("./elements.js").Child} Child */
/** @typedef {{ clicked: import("./clicked.js").Answer | null, notify: Notify, pick: () => void }} Context */
/** @typedef {{ id: string, name: string, waits: (known: PageAnswer) => number, show: (known: PageAnswer, context: Context) => Child[] | Promise<Child[]> }} Tab */

/** Posts and pages of a list that are shown. */
const MAX_LISTED = 200;

/** @param {string} address */
const link = (address) => h("a", { class: "page", href: address }, decodeURI(address));

/**
 * @param {ProblemPart} problem
 * @param {Notify} notify
 */
function problemItem({ is_error, code, message, hint, place: where }, notify) {
  return h(
    "li",
    { class: is_error ? "error" : "warning" },
    h("span", { class: "code" }, code),
    h("p", {}, message),
    where ? place(where, notify) : null,
    hint ? h("p", { class: "hint" }, `hint: ${hint}`) : null,
  );
}

/**
 * @param {import("./wire").Link[]} links
 * @param {Notify} notify
 */
const places = (links, notify) =>
  h(
    "ul",
    {},
    links.map((one) => h("li", {}, place(one, notify), one.text ? h("p", { class: "quiet" }, one.text) : null)),
  );

/**
 * Where the text that was clicked last comes from.
 * @param {import("./clicked.js").Answer} clicked
 * @param {Notify} notify
 */
function lastClicked({ text, found, section, template }, notify) {
  const others = [section, template].filter((one) => one !== null);
  const title = text ? `“${text.slice(0, 80)}”` : "The section";
  return [
    h("h3", {}, title),
    found.length > 0
      ? places(found, notify)
      : h("p", {}, "No source found. It may be in one of this page's files, or come from a template."),
    others.length > 0 ? h("p", { class: "quiet" }, "Its section and the section's template:") : null,
    others.length > 0
      ? places(
          others.map((one) => ({ ...one, text: null })),
          notify,
        )
      : null,
  ];
}

/**
 * @param {PageAnswer} known
 * @param {Context} context
 * @returns {Child[]}
 */
function pageTab({ page, unpublished, shows_drafts }, { clicked, notify, pick }) {
  const drafts = unpublished
    .slice(0, MAX_LISTED)
    .map((post) =>
      h(
        "li",
        {},
        h("p", {}, h("span", { class: "state" }, stateWords(post.state)), ` ${post.title}`),
        post.address ? h("p", {}, link(post.address)) : null,
        place(post.file, notify),
      ),
    );
  /** @type {[string, string][] | null} */
  const pairs = page && [
    ["Address", decodeURI(location.pathname)],
    ["Key", `page:${page.key}`],
    ["Kind", page.kind],
    ["Language", page.locale],
    ["State", page.state ? stateWords(page.state) : "published"],
  ];
  return [
    ...(clicked ? lastClicked(clicked, notify) : []),
    h("h3", {}, "This page"),
    pairs
      ? h(
          "dl",
          {},
          pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
        )
      : h("p", {}, "No page at this URL."),
    page?.remote ? h("p", {}, "Its text comes from the CMS: ", h("a", { class: "page", href: page.remote }, page.remote)) : null,
    page ? h("h3", {}, "Its files") : null,
    page ? places(page.files, notify) : null,
    h("h3", {}, "Open the source"),
    h(
      "p",
      {},
      "Hold ",
      h("kbd", {}, "Alt"),
      " and click text, an image or a section. ",
      h("kbd", {}, "Alt"),
      " ",
      h("kbd", {}, "O"),
      " opens the source of the element in focus.",
    ),
    h("button", { class: "more", type: "button", click: pick }, "Pick with the next click"),
    drafts.length > 0 ? h("h3", {}, "Not published") : null,
    drafts.length > 0 && !shows_drafts
      ? h("p", { class: "quiet" }, "Start `sitegen serve --drafts` to see them; that does not change the published site.")
      : null,
    drafts.length > 0 ? h("ul", {}, drafts) : null,
  ];
}

/**
 * @param {PageAnswer} known
 * @param {Context} context
 * @returns {Child[]}
 */
function problemsTab({ problems, own_problems }, { notify }) {
  if (problems.length === 0) return [h("h3", {}, "No problems"), h("p", {}, "The last build has no warnings.")];
  /** @param {ProblemPart[]} list */
  const items = (list) =>
    h(
      "ul",
      {},
      list.map((one) => problemItem(one, notify)),
    );
  const [own, others] = [problems.slice(0, own_problems), problems.slice(own_problems)];
  return [
    h("h3", {}, "On this page"),
    own.length > 0 ? items(own) : h("p", {}, "None."),
    others.length > 0 ? h("h3", {}, `On the rest of the site: ${others.length}`) : null,
    others.length > 0 ? items(others.slice(0, MAX_LISTED)) : null,
  ];
}

/**
 * @param {PageAnswer} known
 * @param {Context} context
 * @returns {Child[]}
 */
function translationsTab({ page, stale }, { notify }) {
  const others = page?.translations.filter(([code]) => code !== page.locale) ?? [];
  const missing = page?.missing ?? [];
  return [
    h("h3", {}, "Out of date"),
    stale.length > 0
      ? h(
          "ul",
          {},
          stale.map((one) => problemItem(one, notify)),
        )
      : h(
          "p",
          {},
          "None known. `sitegen translations --accept` records which translations are up to date; later changes are shown here.",
        ),
    others.length > 0 ? h("h3", {}, "Other languages") : null,
    others.length > 0
      ? h(
          "ul",
          {},
          others.map(([code, address]) => h("li", {}, `${code} `, link(address))),
        )
      : null,
    missing.length > 0 ? h("h3", {}, "Missing") : null,
    missing.length > 0 ? h("p", {}, `The page isn't available in ${missing.join(", ")}: links go to another language.`) : null,
  ];
}

/** @returns {Promise<Child[]>} */
async function savedTab() {
  const saved = await ask("saved");
  if (!saved) return [h("p", {}, "The site is being built. Open this tab again when it is built.")];
  const { files, pages, rendered, total } = saved;
  const rendering = `${count(rendered, "page")} of ${total} rendered`;
  /** @param {import("./wire").SavedPage} page */
  const item = ({ address, reasons }) =>
    h(
      "li",
      {},
      link(address),
      reasons.map((reason) => h("p", { class: "hint" }, reason)),
    );
  return [
    h("h3", {}, files.length > 0 ? "Saved" : "At startup"),
    files.length > 0
      ? h(
          "p",
          {},
          files.map((file) => h("span", { class: "place" }, file, " ")),
        )
      : h("p", {}, "Nothing has been saved since the server started."),
    h("h3", {}, rendering),
    pages.length > 0 ? h("ul", {}, pages.slice(0, MAX_LISTED).map(item)) : h("p", {}, "No page has changed."),
    pages.length > MAX_LISTED || rendered > pages.length
      ? h("p", { class: "quiet" }, `The first ${Math.min(MAX_LISTED, pages.length)} are listed; \`sitegen why\` lists all.`)
      : null,
  ];
}

/** The tab that is shown first. */
export const FIRST = { id: "page", name: "Page", waits: () => 0, show: pageTab };

/**
 * The tabs, in order: id, name, how many things wait there, and what it shows.
 * @type {Tab[]}
 */
export const TABS = [
  FIRST,
  { id: "problems", name: "Problems", waits: ({ problems }) => problems.length, show: problemsTab },
  {
    id: "translations",
    name: "Languages",
    waits: ({ stale }) => stale.length,
    show: translationsTab,
  },
  { id: "weight", name: "Weight", waits: () => 0, show: weights },
  { id: "sharing", name: "Sharing", waits: () => 0, show: sharing },
  { id: "saved", name: "Last save", waits: () => 0, show: savedTab },
];
