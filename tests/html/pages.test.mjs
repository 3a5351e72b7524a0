// Tests of each document without a browser: structure, accessibility, compliance with the Content Security Policy, and
// readability without JavaScript. Validity according to the HTML standard is tested in validity.test.mjs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { locales } from "../browser/site.mjs";
import { readSite } from "./dist.mjs";
import { accessibleName } from "./dom.mjs";

const site = await readSite();
after(site.remove);

/**
 * Each check takes a page and returns a list of problems.
 * @type {Record<string, (page: import("./dist.mjs").Page) => string[]>}
 */
const checks = {
  "says what it is": ({ document, locale }) => {
    const headings = document.named("h1").map((heading) => heading.text);
    return [
      document.lang !== locales[locale].language && `lang is "${document.lang}", not "${locales[locale].language}"`,
      (headings.length !== 1 || headings[0] === "") && `one h1, not ${JSON.stringify(headings)}`,
      document.title === "" && "no title",
      !document.meta("description")?.trim() && "no description",
    ].filter(Boolean);
  },

  "steps down one heading level at a time": ({ document }) => {
    const headings = document.all(({ name }) => /^h[1-6]$/.test(name));
    const level = (heading) => Number(heading?.name[1] ?? 0);
    return headings
      .filter((heading, at) => level(heading) > level(headings[at - 1]) + 1)
      .map((heading) => `${heading} "${heading.text}" comes after ${headings[headings.indexOf(heading) - 1]}`);
  },

  "names what can be used": ({ document }) =>
    document
      .all((element) => (element.name === "a" && element.has("href")) || ["button", "summary", "iframe"].includes(element.name))
      .filter((element) => (element.name === "iframe" ? !element.get("title")?.trim() : accessibleName(element, document) === ""))
      .map((element) => `${element} has no name`),

  "labels each field, and names it in a form that is sent": ({ document }) => {
    const fields = document.all(({ name }) => ["input", "select", "textarea"].includes(name));
    return fields
      .filter((field) => !["hidden", "submit", "button"].includes(field.get("type") ?? ""))
      .flatMap((field) => {
        const label =
          document.first("label", (element) => element.get("for") === field.get("id") && field.has("id")) ??
          field.closest(({ name }) => name === "label");
        const form = field.closest(({ name }) => name === "form");
        return [
          !label?.text && !accessibleName(field, document) && `${field} has no label`,
          form?.has("action") && !field.get("name") && `${field} has no name, so the form sends nothing of it`,
        ].filter(Boolean);
      });
  },

  "describes each picture and keeps its place": ({ document }) =>
    document
      .named("img")
      .flatMap((image) => [
        !image.has("alt") && `${image} has no alt`,
        !(Number(image.get("width")) > 0 && Number(image.get("height")) > 0) && `${image} has no width and height`,
      ])
      .filter(Boolean),

  "has each id once, and refers to ids that are there": ({ document }) => {
    const ids = document.elements.filter((element) => element.has("id"));
    const twice = ids
      .filter((element) => document.byId.get(element.get("id")) !== element)
      .map((element) => `${element} has an id that another element has`);
    const references = ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "popovertarget", "list"];
    const dangling = document.elements.flatMap((element) =>
      references.flatMap((name) =>
        (element.get(name) ?? "")
          .split(/\s+/)
          .filter((id) => id && !document.byId.has(id))
          .map((id) => `${element} refers to #${id}, which is not there`),
      ),
    );
    return [...twice, ...dangling];
  },

  "holds no inline script or style, which the policy would refuse": ({ document }) => [
    ...document
      .all((element) => element.name === "script" && !element.has("src") && element.get("type") !== "application/ld+json")
      .map((element) => `${element} is an inline script`),
    ...document
      .all((element) => element.name === "style" || element.has("style"))
      .map((element) => `${element} is an inline style`),
    ...document.elements.flatMap((element) =>
      [...element.attributes.keys()].filter((name) => name.startsWith("on")).map((name) => `${element} has an ${name} handler`),
    ),
  ],

  "loads files of the site only, and they are there": ({ path, document }) =>
    document.elements.flatMap((element) =>
      loaded(element).flatMap((address) => {
        const url = new URL(address, `http://site.test${path}`);
        if (url.protocol === "data:") return [];
        if (url.origin !== "http://site.test") return [`${element} asks another host: ${url.host}`];
        return site.hasFile(url.pathname) ? [] : [`${element} asks for ${url.pathname}, which is not there`];
      }),
    ),

  "can be read without script": ({ document }) => {
    const main = document.first("main");
    if (!main) return ["no main"];
    // Only elements that need JavaScript may be hidden, and those that the API shows in its answer. There must be visible text.
    const hidden = document.all(
      (element) =>
        element.has("hidden") &&
        element.closest(({ name }) => name === "main") &&
        !element.closest((each) => each.has("data-needs-script") || each.name === "svg"),
    );
    const spoken = hidden.filter((element) => element.text !== "" && !element.has("data-error") && !element.has("data-done"));
    return [main.text.length < 20 && `main says "${main.text}"`, ...spoken.map((element) => `${element} is hidden`)].filter(
      Boolean,
    );
  },
};

/** The URLs that a browser loads for an element without interaction. */
function loaded(element) {
  // The tag manager has an iframe for browsers without JavaScript, which the Content Security Policy blocks by default.
  if (element.closest(({ name }) => name === "noscript")) return [];
  const candidates = (value) =>
    (value ?? "")
      .split(/,\s+/)
      .map((part) => part.trim().split(/\s+/)[0])
      .filter(Boolean);
  const rel = element.get("rel") ?? "";
  switch (element.name) {
    case "link":
      return /\b(stylesheet|preload|modulepreload|icon|apple-touch-icon|manifest)\b/.test(rel) ? [element.get("href")] : [];
    case "script":
    case "iframe":
    case "audio":
    case "video":
    case "embed":
    case "sitegen-island":
      return element.has("src") ? [element.get("src")] : [];
    case "img":
    case "source":
      return [...(element.has("src") ? [element.get("src")] : []), ...candidates(element.get("srcset"))];
    default:
      return [];
  }
}

describe("every document", () => {
  for (const page of site.documents.values()) {
    it(page.path, () => {
      const found = Object.entries(checks).flatMap(([name, check]) => check(page).map((problem) => `${name}: ${problem}`));
      assert.deepEqual(found, []);
    });
  }
});

describe("texts for screen readers", () => {
  const spoken = ["aria-label", "alt", "title", "placeholder", "aria-description"];
  /** Texts in attributes, which are mostly for screen readers. Elements with another `lang` are excluded. */
  const words = ({ document, locale }) =>
    document.elements.flatMap((element) => {
      const own = element.closest((each) => each.has("lang"));
      if (own && own.get("lang") !== locales[locale].language) return [];
      return spoken
        .filter((name) => /\p{L}{2}/u.test(element.get(name) ?? ""))
        .map((name) => ({ element, name, text: element.get(name).trim() }));
    });

  for (const [code, { messages }] of Object.entries(locales)) {
    // Interface texts of other languages that do not exist in this language.
    const foreign = new Map(
      Object.entries(locales)
        .filter(([other]) => other !== code)
        .flatMap(([other, { messages: theirs }]) => Object.entries(theirs).map(([key, text]) => [text, `${other}: ${key}`])),
    );
    for (const text of Object.values(messages)) foreign.delete(text);

    it(`are ${code} on pages in ${code}`, () => {
      const found = site.pages
        .filter((page) => page.locale === code)
        .flatMap((page) =>
          words(page)
            .filter(({ text }) => foreign.has(text))
            .map(({ element, name, text }) => `${page.path} ${element} ${name} "${text}" is ${foreign.get(text)}`),
        );
      assert.deepEqual(found, []);
    });
  }

  it("of the frame differ between languages", () => {
    // All texts outside the main element must be translated, except for names.
    const inFrame = ({ element }) => !element.closest(({ name }) => name === "main");
    for (const page of site.pages) {
      const pair = site.pages.find((other) => other.key === page.key && other.locale > page.locale);
      if (!pair) continue;
      const theirs = new Set(
        words(pair)
          .filter(inFrame)
          .map(({ text }) => text),
      );
      const same = words(page)
        .filter(inFrame)
        .filter(({ text, element }) => theirs.has(text) && !element.closest(({ name }) => name === "svg"));
      assert.deepEqual(
        same.map(({ element, text }) => `${element} "${text}"`),
        [],
        `${page.path} and ${pair.path}`,
      );
    }
  });
});
