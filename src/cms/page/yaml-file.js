// Reads and writes the files of a site in the browser, for forms that commit to a Git host. A changed text is replaced where
// it stands, so all else keeps its bytes; an entry whose lists or keys change is written anew, with its comments. The preview
// has a server for this, which is exact about lists too, and sees what others changed.

import { Document, isMap, isScalar, isSeq, parseDocument } from "./yaml/index.js";

const FRONT = /^(---\r?\n)([\s\S]*?\r?\n|)(---[ \t]*(?:\r?\n|$))([\s\S]*)$/;
// No wrapping: a line that nobody touched stays one line.
const OPTIONS = { lineWidth: 0, flowCollectionPadding: false };

/** The values of a file with its text, which the form gives back. */
export function read(text, kind) {
  const parts = split(text, kind);
  const values = parseDocument(parts.yaml).toJS() ?? {};
  const data = Array.isArray(values) ? { __items: values } : values;
  return { ...data, ...(kind === "post" && { body: parts.body.trim() }), sitegen: { base: text } };
}

/** The text of a file with the values of a form. */
export function write(values, kind) {
  const { sitegen: meta, body = "", __items: items, ...rest } = values;
  const parts = split(meta?.base ?? "", kind);
  const isPost = kind === "post";
  const wanted = items ?? (isPost || !("body" in values) ? rest : { ...rest, body });
  const yaml = ordered(changed(parts.yaml, wanted), meta?.orders ?? []);
  if (!isPost) return yaml;
  const text = body.trim() === parts.body.trim() ? parts.body : `\n${body.trim()}\n`;
  return `${parts.open}${yaml}${parts.close}${text}`;
}

function split(text, kind) {
  const match = kind === "post" ? FRONT.exec(text) : null;
  if (!match) return { open: "---\n", yaml: kind === "post" ? "" : text, close: "---\n", body: kind === "post" ? text : "" };
  const [, open, yaml, close, body] = match;
  return { open, yaml, close, body };
}

/** A text of YAML with the wanted values. */
function changed(text, wanted) {
  const document = parseDocument(text);
  const top = document.contents;
  if (!isMap(top) || Array.isArray(wanted)) {
    document.contents = merged(document, top, wanted);
    return document.contents === null ? "" : document.toString(OPTIONS);
  }
  // From the end, so that places stay what they are.
  let result = text;
  const replace = (start, end, by) => (result = result.slice(0, start) + by + result.slice(end));
  const names = top.items.map(key);
  const added = Object.entries(wanted).filter(([name, value]) => !names.includes(name) && !isBlank(value) && value !== false);
  if (added.length > 0) {
    const own = new Document(filled(Object.fromEntries(added))).toString(OPTIONS);
    result = `${result.replace(/\n*$/, "\n")}${own}`;
  }
  for (const pair of top.items.toReversed()) {
    const value = wanted[key(pair)];
    const own = pair.value?.toJS?.(document);
    if (isSame(own, value) || (isBlank(own) && isBlank(value))) continue;
    const [start, end] = [pair.key.range[0], Math.max(pair.key.range[2], pair.value?.range?.[2] ?? 0)];
    if (isBlank(value)) {
      replace(start, end, "");
      continue;
    }
    const edits = [];
    if (texts(document, text, pair.value, value, false, edits)) {
      for (const edit of edits.toSorted((one, other) => other.start - one.start)) replace(edit.start, edit.end, edit.text);
      continue;
    }
    const entry = new Document({});
    entry.contents.add({ ...pair, key: pair.key, value: merged(document, pair.value, value) });
    const gap = /\n*$/.exec(text.slice(start, end))[0] || "\n";
    replace(start, end, entry.toString(OPTIONS).trim() + gap);
  }
  return result;
}

/** Collects the replacements of texts and numbers. `false` if anything else differs. */
function texts(document, source, node, wanted, isInside, edits) {
  const own = node?.toJS?.(document);
  if (isSame(own, wanted) || (isBlank(own) && isBlank(wanted))) return true;
  const isFlow = isInside || node?.flow === true;
  if (isMap(node) && isBlock(wanted)) {
    const names = node.items.map(key);
    const isNew = ([name, value]) => !names.includes(name) && !isBlank(value) && value !== false;
    if (Object.entries(wanted).some(isNew)) return false;
    return node.items.every((pair) => texts(document, source, pair.value, wanted[key(pair)], isFlow, edits));
  }
  if (isSeq(node) && Array.isArray(wanted) && node.items.length === wanted.length) {
    return node.items.every((item, at) => texts(document, source, item, wanted[at], isFlow, edits));
  }
  if (!isScalar(node) || isBlank(wanted) || typeof wanted === "object" || node.anchor) return false;
  if (!["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE"].includes(node.type)) return false;
  const [start, end] = node.range;
  edits.push({ start, end, text: scalar(typeof own === "string" ? String(wanted) : wanted, node.type, isFlow) });
  return true;
}

/** A text or number in one line, in the quotes that it had, or in those that it needs. */
function scalar(value, type, isFlow) {
  if (typeof value !== "string") return String(value);
  const needsQuotes = /[\n\r\t\\]/.test(value) || type === "QUOTE_DOUBLE" || (isFlow && /[,[\]{}]/.test(value));
  if (needsQuotes) return JSON.stringify(value);
  if (type === "QUOTE_SINGLE") return `'${value.replaceAll("'", "''")}'`;
  return new Document(value).toString(OPTIONS).trimEnd();
}

/** Puts blocks that are lists in the form into their order. */
function ordered(text, orders) {
  const document = parseDocument(text);
  let isChanged = false;
  for (const { path, names } of orders) {
    const block = path.length > 0 ? document.getIn(path.map(indexed)) : document.contents;
    if (!isMap(block)) continue;
    const rank = (pair) => (names.includes(key(pair)) ? names.indexOf(key(pair)) : names.length);
    const sorted = block.items.toSorted((one, other) => rank(one) - rank(other));
    isChanged ||= sorted.some((pair, at) => pair !== block.items[at]);
    block.items = sorted;
  }
  return isChanged ? document.toString(OPTIONS) : text;
}

const key = (pair) => String(isScalar(pair.key) ? pair.key.value : pair.key);
const indexed = (part) => (/^\d+$/.test(part) ? Number(part) : part);
const isBlock = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => ["string", "number"].includes(typeof value);

const isBlank = (value) =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.every(isBlank)) ||
  (isBlock(value) && Object.values(value).every(isBlank));

/** The same for a reader: a number that is written as text is that text. */
const isSame = (one, other) =>
  JSON.stringify(one) === JSON.stringify(other) || (isText(one) && isText(other) && String(one) === String(other));

/** A node that has the wanted value: the old one wherever it has it already. */
function merged(document, node, wanted) {
  const own = node?.toJS ? node.toJS(document) : undefined;
  if (node && (isSame(own, wanted) || (isBlank(own) && isBlank(wanted)))) return node;
  if (isMap(node) && isBlock(wanted)) {
    for (const pair of [...node.items]) {
      const value = wanted[key(pair)];
      if (!isBlank(value)) pair.value = merged(document, pair.value, value);
      else if (!isBlank(pair.value?.toJS?.(document))) node.delete(pair.key);
    }
    for (const [name, value] of Object.entries(wanted)) {
      // A switch that nobody touched says no, as the absence of its key does.
      if (!node.has(name) && !isBlank(value) && value !== false) node.set(name, document.createNode(filled(value)));
    }
    return node;
  }
  if (isSeq(node) && Array.isArray(wanted)) {
    const left = [...node.items];
    const take = (matches) => {
      const at = left.findIndex(matches);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    const same = wanted.map((value) => take((item) => isSame(item?.toJS?.(document), value)));
    node.items = wanted.map(
      (value, at) =>
        same[at] ??
        merged(
          document,
          take(() => true),
          value,
        ),
    );
    return node;
  }
  if (isScalar(node) && isText(wanted)) {
    node.value = typeof node.value === "string" ? String(wanted) : wanted;
    return node;
  }
  return document.createNode(filled(wanted));
}

/** A value without what says nothing. */
function filled(value) {
  if (Array.isArray(value)) return value.map(filled);
  if (!isBlock(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => !isBlank(item));
  return Object.fromEntries(entries.map(([name, item]) => [name, filled(item)]));
}
