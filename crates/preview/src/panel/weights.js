// What the page weighs: each file that it has loaded so far, as it is and as it is sent, against the budgets of the site.

import { ask, h, kilobytes } from "./elements.js";

const STYLES = /\.css$/;
const SCRIPTS = /\.m?js$/;
/** @typedef {import("./wire").PanelWeight} Weight */
/** @typedef {{ path: string, weight: Weight }} WeighedFile */
/** @typedef {import("./elements.js").Child} Child */

/**
 * Kinds of files by the ends of their names, in the order in which they are listed.
 * @type {[string, RegExp][]}
 */
const KINDS = [
  ["Style sheets", STYLES],
  ["Scripts", SCRIPTS],
  ["Fonts", /\.(woff2?|ttf|otf)$/],
  ["Images", /\.(avif|webp|jpe?g|png|gif|svg|ico)$/],
];

/** Addresses of the files that the page has loaded from this server, but those of the preview. */
function loaded() {
  const entries = performance.getEntriesByType("resource").map((entry) => new URL(entry.name));
  /** @param {URL} url */
  const isOwn = (url) =>
    url.origin === location.origin && !url.pathname.startsWith("/_sitegen/") && !url.pathname.includes("/api/");
  return [...new Set(entries.filter(isOwn).map((url) => url.pathname))];
}

/**
 * A row of the table. `sent` is unknown for a file that is not published yet.
 * @param {string} name
 * @param {Weight} weight
 */
const row = (name, { bytes, sent }) =>
  h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", {}, bytes === null ? "not yet" : kilobytes(bytes)),
    h("td", {}, sent === null ? "–" : kilobytes(sent)),
  );

/**
 * @param {WeighedFile[]} files
 * @param {keyof Weight} key
 */
const sum = (files, key) => files.reduce((total, { weight }) => total + (weight[key] ?? 0), 0);

/**
 * @param {string} caption
 * @param {WeighedFile[]} files
 */
function table(caption, files) {
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "File"),
    h("th", { scope: "col" }, "Uncompressed"),
    h("th", { scope: "col" }, "As sent"),
  );
  const rows = [...files]
    .sort((a, b) => (b.weight.sent ?? 0) - (a.weight.sent ?? 0))
    .map(({ path, weight }) => row(path.split("/").pop() || path, weight));
  const total = row("Total", { bytes: sum(files, "bytes"), sent: sum(files, "sent") });
  total.className = "sum";
  return [
    h("h3", {}, caption),
    h(
      "table",
      { "aria-label": caption },
      h("thead", {}, head),
      h("tbody", {}, rows),
      files.length > 1 ? h("tfoot", {}, total) : null,
    ),
  ];
}

/**
 * A budget in kilobytes, and how much of it is used.
 * @param {string} name
 * @param {number} used
 * @param {number | null} limit
 */
function budget(name, used, limit) {
  if (limit === null) return [];
  const share = Math.min(100, used / limit / 10);
  const isOver = used > limit * 1000;
  const bar = h("span");
  bar.style.width = `${share}%`;
  const words = `${name}: ${kilobytes(used)} of ${limit} kB`;
  return [
    h(
      "p",
      { class: isOver ? "over" : null },
      isOver ? `${words}, over budget` : words,
      h("span", { class: isOver ? "bar full" : "bar", "aria-hidden": "true" }, bar),
    ),
  ];
}

/**
 * The tab.
 * @returns {Promise<Child[]>}
 */
export async function weights() {
  const own = [...document.scripts].filter((script) => script.src).map((script) => new URL(script.src).pathname);
  const assets = loaded();
  const paths = [location.pathname, ...assets];
  const answer = await ask("weights", { body: { files: paths } });
  if (!answer) return [h("p", {}, "The site is being built. Open this tab again when it is built.")];
  /** @param {string} path */
  const weighed = (path) => ({ path, weight: answer.files[paths.indexOf(path)] ?? { bytes: null, sent: null } });
  const [page, files] = [weighed(location.pathname), assets.map(weighed)];
  const all = [page, ...files];
  const { budgets } = answer;
  /** @param {RegExp} pattern */
  const of = (pattern) => files.filter(({ path }) => pattern.test(path));
  const scripts = of(SCRIPTS);
  /** @param {WeighedFile} file */
  const isOwn = ({ path }) => own.includes(path);
  const known = KINDS.flatMap(([, pattern]) => of(pattern));
  const others = files.filter((file) => !known.includes(file));
  return [
    h(
      "p",
      { class: "sum" },
      `Total: ${kilobytes(sum(all, "sent"))} as sent, ${kilobytes(sum(all, "bytes"))} uncompressed, in ${all.length} files.`,
    ),
    h("p", { class: "quiet" }, "Files that this page has loaded so far. As sent: compressed with brotli."),
    ...budget("HTML", page.weight.bytes ?? 0, budgets.html),
    ...budget("Style sheets, as sent", sum(of(STYLES), "sent"), budgets.css),
    ...budget("Script on all pages, as sent", sum(scripts.filter(isOwn), "sent"), budgets.script),
    ...budget(
      "Island scripts, as sent",
      sum(
        scripts.filter((file) => !isOwn(file)),
        "sent",
      ),
      budgets.islands,
    ),
    ...table("Page", [{ path: "HTML", weight: page.weight }]),
    ...KINDS.flatMap(([name, pattern]) => (of(pattern).length > 0 ? table(name, of(pattern)) : [])),
    ...(others.length > 0 ? table("Others", others) : []),
  ];
}
