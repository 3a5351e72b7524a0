// Reads and writes the files of a site in the browser, for forms that commit to a Git host. A changed text is replaced where
// it stands, so all else keeps its bytes; an entry whose lists or keys change is written anew, and items take their comments
// along. The preview has a server for this, which is exact about lists too. git-host.js keeps what others changed.

import { arrangement, isBlank, isBlock, isInPlace } from "./compare.js";
import { Document, isMap, isNode, isScalar, isSeq, Pair, parseDocument, YAMLMap } from "./yaml/index.js";

/** @typedef {import("./decap").Json} Json */
/** @typedef {import("./decap").Values} Values */
/** @typedef {import("./decap").Kind} Kind */
/** @typedef {import("./decap").Order} Order */
/** @typedef {import("yaml").Document.Parsed} File */
/** @typedef {unknown} Node a node of the package `yaml`, or nothing */
/** @typedef {{ start: number, end: number, text: string }} Edit */

const FRONT = /^(---\r?\n)([\s\S]*?\r?\n|)(---[ \t]*(?:\r?\n|$))([\s\S]*)$/;
// No wrapping: a line that nobody touched stays one line.
const OPTIONS = { lineWidth: 0, flowCollectionPadding: false };

/**
 * The values of a file with its text, which the form gives back.
 * @param {string} text
 * @param {Kind} kind
 * @returns {Values}
 */
export function read(text, kind) {
  const parts = split(text, kind);
  const values = parseDocument(parts.yaml).toJS() ?? {};
  const data = Array.isArray(values) ? { __items: values } : values;
  return { ...data, ...(kind === "post" && { body: parts.body.trim() }), __sitegen: { base: text } };
}

/**
 * The text of a file with the values of a form.
 * @param {Values} values
 * @param {Kind} kind
 */
export function write(values, kind) {
  const { __sitegen: meta, body: written, __items: items, ...rest } = values;
  const body = typeof written === "string" ? written : "";
  const parts = split(meta?.base ?? "", kind);
  const isPost = kind === "post";
  const wanted = items ?? (isPost || !("body" in values) ? rest : { ...rest, body: written });
  const yaml = ordered(changed(parts.yaml, wanted), meta?.orders ?? []);
  if (!isPost) return yaml;
  const text = body.trim() === parts.body.trim() ? parts.body : `\n${body.trim()}\n`;
  return `${parts.open}${yaml}${parts.close}${text}`;
}

/**
 * @param {string} text
 * @param {Kind} kind
 */
function split(text, kind) {
  const match = kind === "post" ? FRONT.exec(text) : null;
  if (!match) return { open: "---\n", yaml: kind === "post" ? "" : text, close: "---\n", body: kind === "post" ? text : "" };
  const [, open = "", yaml = "", close = "", body = ""] = match;
  return { open, yaml, close, body };
}

/**
 * A text of YAML with the wanted values.
 * @param {string} text
 * @param {Json} wanted
 */
function changed(text, wanted) {
  const document = parseDocument(text);
  const top = document.contents;
  if (!isMap(top) || !isBlock(wanted)) {
    const contents = merged(document, top, wanted);
    document.contents = /** @type {File["contents"]} */ (contents);
    return contents === null ? "" : document.toString(OPTIONS);
  }
  // From the end, so that places stay what they are.
  let result = text;
  /**
   * @param {number} start
   * @param {number} end
   * @param {string} by
   */
  const replace = (start, end, by) => (result = result.slice(0, start) + by + result.slice(end));
  const names = top.items.map(key);
  const added = Object.entries(wanted).filter(([name, value]) => !names.includes(name) && !isBlank(value) && value !== false);
  if (added.length > 0) {
    const own = new Document(filled(Object.fromEntries(added))).toString(OPTIONS);
    result = `${result.replace(/\n*$/, "\n")}${own}`;
  }
  for (const pair of top.items.toReversed()) {
    const value = wanted[key(pair)];
    const own = plainOf(pair.value, document);
    if (isSame(own, value) || (isBlank(own) && isBlank(value))) continue;
    const [head, tail] = [rangeOf(pair.key), rangeOf(pair.value)];
    const [start, end] = [head[0], Math.max(head[2], tail[2])];
    if (isBlank(value)) {
      replace(start, end, "");
      continue;
    }
    /** @type {Edit[]} */
    const edits = [];
    if (texts(document, text, pair.value, value, false, edits)) {
      for (const edit of edits.toSorted((one, other) => other.start - one.start)) replace(edit.start, edit.end, edit.text);
      continue;
    }
    const block = new YAMLMap();
    // The comment above the key stays where it is.
    if (isScalar(pair.key)) pair.key.commentBefore = null;
    block.add(new Pair(pair.key, merged(document, pair.value, value)));
    const entry = new Document(block);
    const gap = /\n*$/.exec(text.slice(start, end))?.[0] || "\n";
    replace(start, end, entry.toString(OPTIONS).trim() + gap);
  }
  return result;
}

/**
 * Collects the replacements of texts and numbers. `false` if anything else differs.
 * @param {File} document
 * @param {string} source
 * @param {Node} node
 * @param {Json} wanted
 * @param {boolean} isInside
 * @param {Edit[]} edits
 * @returns {boolean}
 */
function texts(document, source, node, wanted, isInside, edits) {
  const own = plainOf(node, document);
  if (isSame(own, wanted) || (isBlank(own) && isBlank(wanted))) return true;
  const isFlow = isInside || ((isMap(node) || isSeq(node)) && node.flow === true);
  if (isMap(node) && isBlock(wanted)) {
    const names = node.items.map(key);
    /** @param {[string, Json]} entry */
    const isNew = ([name, value]) => !names.includes(name) && !isBlank(value) && value !== false;
    if (Object.entries(wanted).some(isNew)) return false;
    return node.items.every((pair) => texts(document, source, pair.value, wanted[key(pair)], isFlow, edits));
  }
  if (isSeq(node) && Array.isArray(wanted) && isInPlace(arrangement(itemsOf(node, document), wanted), node.items.length)) {
    return node.items.every((item, at) => texts(document, source, item, wanted[at], isFlow, edits));
  }
  if (!isScalar(node) || isBlank(wanted) || typeof wanted === "object" || node.anchor) return false;
  const { type } = node;
  if (type !== "PLAIN" && type !== "QUOTE_DOUBLE" && type !== "QUOTE_SINGLE") return false;
  const [start, end] = rangeOf(node);
  edits.push({ start, end, text: scalar(typeof own === "string" ? String(wanted) : wanted, type, isFlow) });
  return true;
}

/**
 * A text or number in one line, in the quotes that it had, or in those that it needs.
 * @param {Json} value
 * @param {"PLAIN" | "QUOTE_DOUBLE" | "QUOTE_SINGLE"} type
 * @param {boolean} isFlow
 */
function scalar(value, type, isFlow) {
  if (typeof value !== "string") return String(value);
  const needsQuotes = /[\n\r\t\\]/.test(value) || type === "QUOTE_DOUBLE" || (isFlow && /[,[\]{}]/.test(value));
  if (needsQuotes) return JSON.stringify(value);
  if (type === "QUOTE_SINGLE") return `'${value.replaceAll("'", "''")}'`;
  return new Document(value).toString(OPTIONS).trimEnd();
}

/**
 * Puts blocks that are lists in the form into their order.
 * @param {string} text
 * @param {Order[]} orders
 */
function ordered(text, orders) {
  const document = parseDocument(text);
  let isChanged = false;
  for (const { path, names } of orders) {
    const block = path.length > 0 ? document.getIn(path.map(indexed)) : document.contents;
    if (!isMap(block)) continue;
    /** @param {Pair} pair */
    const rank = (pair) => (names.includes(key(pair)) ? names.indexOf(key(pair)) : names.length);
    const sorted = block.items.toSorted((one, other) => rank(one) - rank(other));
    isChanged ||= sorted.some((pair, at) => pair !== block.items[at]);
    block.items = sorted;
  }
  return isChanged ? document.toString(OPTIONS) : text;
}

/**
 * The value of a node; `undefined` for none.
 * @param {Node} node
 * @param {File} document
 * @returns {Json}
 */
const plainOf = (node, document) => (isNode(node) ? node.toJS(document) : undefined);

/**
 * The values of the items of a list.
 * @param {import("yaml").YAMLSeq} list
 * @param {File} document
 */
const itemsOf = (list, document) => list.items.map((item) => plainOf(item, document));

/**
 * Where a node begins, where it ends, and where what follows it begins.
 * @param {Node} node
 * @returns {[number, number, number]}
 */
const rangeOf = (node) => (isNode(node) ? (node.range ?? [0, 0, 0]) : [0, 0, 0]);

/** @param {Pair} pair */
const key = (pair) => String(isScalar(pair.key) ? pair.key.value : pair.key);
/** @param {string} part */
const indexed = (part) => (/^\d+$/.test(part) ? Number(part) : part);
/** @param {Json} value */
const isText = (value) => ["string", "number"].includes(typeof value);

/**
 * The same for a reader: a number that is written as text is that text.
 * @param {Json} one
 * @param {Json} other
 */
const isSame = (one, other) =>
  JSON.stringify(one) === JSON.stringify(other) || (isText(one) && isText(other) && String(one) === String(other));

/**
 * A node that has the wanted value: the old one wherever it has it already.
 * @param {File} document
 * @param {Node} node
 * @param {Json} wanted
 * @returns {Node}
 */
function merged(document, node, wanted) {
  const own = plainOf(node, document);
  if (node && (isSame(own, wanted) || (isBlank(own) && isBlank(wanted)))) return node;
  if (isMap(node) && isBlock(wanted)) {
    for (const pair of [...node.items]) {
      const value = wanted[key(pair)];
      if (!isBlank(value)) pair.value = merged(document, pair.value, value);
      else if (!isBlank(plainOf(pair.value, document))) node.delete(pair.key);
    }
    for (const [name, value] of Object.entries(wanted)) {
      // A switch that nobody touched says no, as the absence of its key does.
      if (!node.has(name) && !isBlank(value) && value !== false) node.set(name, document.createNode(filled(value)));
    }
    return node;
  }
  if (isSeq(node) && Array.isArray(wanted)) {
    const from = arrangement(itemsOf(node, document), wanted);
    const [first] = node.items;
    // The comment above the first item is that item's, and not the list's.
    if (!isInPlace(from, node.items.length) && isNode(first) && node.commentBefore) {
      first.commentBefore = node.commentBefore;
      node.commentBefore = null;
    }
    const items = [...node.items];
    node.items = wanted.map((value, to) => merged(document, items[from[to] ?? -1], value));
    return node;
  }
  if (isScalar(node) && isText(wanted)) {
    node.value = typeof node.value === "string" ? String(wanted) : wanted;
    return node;
  }
  return document.createNode(filled(wanted));
}

/**
 * A value without what says nothing.
 * @param {Json} value
 * @returns {Json}
 */
function filled(value) {
  if (Array.isArray(value)) return value.map(filled);
  if (!isBlock(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => !isBlank(item));
  return Object.fromEntries(entries.map(([name, item]) => [name, filled(item)]));
}
