// Documents as a browser reads them, without a browser: parse5 builds the tree that the HTML standard prescribes.
//
// A document is the list of its elements in source order. Queries are predicates over that list.

import { parse } from "parse5";

/** One element: its name, attributes, parent and line, and what it says. */
export class Element {
  /** @param {any} node @param {Element | null} parent */
  constructor(node, parent) {
    this.node = node;
    this.parent = parent;
    /** @type {string} */
    this.name = node.tagName;
    /** @type {number | undefined} */
    this.line = node.sourceCodeLocation?.startLine;
    /** @type {Map<string, string>} */
    this.attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
  }

  /** The value of an attribute, or null. @param {string} name */
  get(name) {
    return this.attributes.get(name) ?? null;
  }

  /** @param {string} name */
  has(name) {
    return this.attributes.has(name);
  }

  get classes() {
    return (this.get("class") ?? "").split(/\s+/).filter(Boolean);
  }

  /** All text inside, with runs of blanks as one. */
  get text() {
    return textOf(this.node).replace(/\s+/g, " ").trim();
  }

  /** The nearest element for which the predicate holds, the element itself included. @param {(element: Element) => unknown} test */
  closest(test) {
    /** @type {Element | null} */
    let element = this;
    while (element && !test(element)) element = element.parent;
    return element;
  }

  /** How a message names it: `line 12 <a class="button">`. */
  toString() {
    const own = [...this.attributes].slice(0, 3).map(([name, value]) => ` ${name}="${value.slice(0, 40)}"`);
    return `line ${this.line ?? "?"} <${this.name}${own.join("")}>`;
  }
}

function textOf(node) {
  if (node.nodeName === "#text") return node.value;
  return (node.childNodes ?? []).map(textOf).join("");
}

/** A parsed document. */
export class Document {
  /** @param {string} html */
  constructor(html) {
    /** Every element in source order; those inside <template> are left out, because nobody sees them. @type {Element[]} */
    this.elements = [];
    // As without script: what <noscript> holds is markup.
    const root = parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false });
    const walk = (node, parent) => {
      for (const child of node.childNodes ?? []) {
        if (!child.tagName) continue;
        const element = new Element(child, parent);
        this.elements.push(element);
        walk(child, element);
      }
    };
    walk(root, null);
    /** @type {Map<string, Element>} */
    this.byId = new Map(this.elements.filter((element) => element.get("id")).map((element) => [element.get("id") ?? "", element]));
  }

  /** The elements for which the predicate holds. @param {(element: Element) => unknown} test */
  all(test) {
    return this.elements.filter(test);
  }

  /** The elements of a name. @param {...string} names */
  named(...names) {
    return this.elements.filter((element) => names.includes(element.name));
  }

  /** The first element of a name for which the predicate holds. @param {string} name @param {(element: Element) => unknown} test */
  first(name, test = () => true) {
    return this.elements.find((element) => element.name === name && test(element));
  }

  /** The content of a <meta> by its name. @param {string} name */
  meta(name) {
    return this.first("meta", (element) => element.get("name") === name)?.get("content") ?? null;
  }

  get lang() {
    return this.first("html")?.get("lang") ?? null;
  }

  get title() {
    return this.first("title", (element) => element.parent?.name === "head")?.text ?? "";
  }
}

/** The name that assistive technology reads for a link, a button or a field; the part of the standard's rules that pages use. */
export function accessibleName(element, document) {
  const referred = (element.get("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  if (referred.length > 0) return referred.map((id) => document.byId.get(id)?.text ?? "").join(" ").trim();
  const label = element.get("aria-label")?.trim();
  if (label) return label;
  return named(element.node).replace(/\s+/g, " ").trim();
}

function named(node) {
  if (node.nodeName === "#text") return node.value;
  const attribute = (name) => node.attrs?.find((each) => each.name === name)?.value;
  if (attribute("aria-hidden") === "true" || node.tagName === "style" || node.tagName === "script") return "";
  const own = node.tagName === "img" || node.tagName === "area" ? attribute("alt") : node.tagName ? attribute("aria-label") : undefined;
  return own ?? (node.childNodes ?? []).map(named).join("");
}
