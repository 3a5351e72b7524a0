// A small DOM for built pages. parse5 parses documents as specified by the HTML standard.
//
// A document is a list of its elements in source order. Queries are predicates on this list.

import { parse } from "parse5";

/** An element with its name, attributes, parent, line number and text. */
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

  /** The text of the element and its descendants, with collapsed whitespace. */
  get text() {
    return textOf(this.node).replace(/\s+/g, " ").trim();
  }

  /**
   * The nearest ancestor that matches the predicate, including the element itself.
   * @param {(element: Element) => unknown} test
   */
  closest(test) {
    /** @type {Element | null} */
    let element = this;
    while (element && !test(element)) element = element.parent;
    return element;
  }

  /** Formats the element for messages: `line 12 <a class="button">`. */
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
    /** All elements in source order, except those in <template>, which are not rendered. @type {Element[]} */
    this.elements = [];
    // With scripting disabled, the content of <noscript> is parsed as markup.
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
    this.byId = new Map(
      this.elements.filter((element) => element.get("id")).map((element) => [element.get("id") ?? "", element]),
    );
  }

  /** The elements that match the predicate. @param {(element: Element) => unknown} test */
  all(test) {
    return this.elements.filter(test);
  }

  /** The elements with one of the tag names. @param {...string} names */
  named(...names) {
    return this.elements.filter((element) => names.includes(element.name));
  }

  /**
   * The first element with the tag name that matches the predicate.
   * @param {string} name
   * @param {(element: Element) => unknown} test
   */
  first(name, test = () => true) {
    return this.elements.find((element) => element.name === name && test(element));
  }

  /** The content of the <meta> element with the name. @param {string} name */
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

/** The accessible name of a link, a button or a field. It implements the rules of the specification that pages need. */
export function accessibleName(element, document) {
  const referred = (element.get("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  if (referred.length > 0)
    return referred
      .map((id) => document.byId.get(id)?.text ?? "")
      .join(" ")
      .trim();
  const label = element.get("aria-label")?.trim();
  if (label) return label;
  return named(element.node).replace(/\s+/g, " ").trim();
}

function named(node) {
  if (node.nodeName === "#text") return node.value;
  const attribute = (name) => node.attrs?.find((each) => each.name === name)?.value;
  if (attribute("aria-hidden") === "true" || node.tagName === "style" || node.tagName === "script") return "";
  const own =
    node.tagName === "img" || node.tagName === "area" ? attribute("alt") : node.tagName ? attribute("aria-label") : undefined;
  return own ?? (node.childNodes ?? []).map(named).join("");
}
