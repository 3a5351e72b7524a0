// Compares what both the templates and React draw: each example of the gallery is rendered by React from the same values,
// and each post that several pages list has the same card on all of them.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { parse } from "yaml";
import { ROOT, settings } from "../browser/site.mjs";
import { readSite } from "./dist.mjs";
import { Document } from "./dom.mjs";

const site = await readSite();
after(site.remove);
const react = await components();

/** The components of React that have a macro, and what they need around them. */
async function components() {
  mkdirSync(join(ROOT, "target"), { recursive: true });
  // Below the project, so that its packages are found.
  const folder = mkdtempSync(join(ROOT, "target/markup-"));
  try {
    const outfile = join(folder, "components.mjs");
    await build({
      stdin: {
        contents: `
          export { Action } from "./lib/action";
          export { Chip } from "./lib/chip";
          export { Picture } from "./lib/picture";
          export { Trouble } from "./lib/trouble";
          export { Card } from "./islands/blog-explorer/card";`,
        resolveDir: join(ROOT, "react"),
      },
      bundle: true,
      platform: "node",
      format: "esm",
      jsx: "automatic",
      loader: { ".svg": "text" },
      external: ["react", "react-dom", "react/jsx-runtime"],
      outfile,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The props of the first island of a page with this name. */
const props = (path, name) =>
  JSON.parse(
    site.documents
      .get(path)
      .document.first("sitegen-island", (each) => each.get("name") === name)
      .get("props"),
  );

const page = (key) => site.pages.find((each) => each.key === key && each.locale === settings.locales[0]);
const blog = props(page("blog").path, "blog-explorer");
const { opensExternal } = props("/", "menu").messages;

/** Resolves a link of an example, as the build does. */
const linked = ({ link }) =>
  link.startsWith("page:")
    ? { href: page(link.slice("page:".length)).path, external: false, hreflang: null }
    : { href: link, external: true, hreflang: null };

/** The elements for each example by its name, or the reason why only templates draw it. */
const drawings = {
  action: {
    "One loud, the others stand back": ({ list }) => {
      const actions = list.map(({ label, to }, at) =>
        createElement(react.Action, {
          action: { label, link: linked(to) },
          variant: at === 0 ? "primary" : "secondary",
          opensExternal,
          key: label,
        }),
      );
      return createElement("div", { className: "actions" }, actions);
    },
    "Away from this site": ({ to }) =>
      createElement(react.Action, {
        action: { label: "Read the guidelines", link: linked(to) },
        variant: "secondary",
        opensExternal,
      }),
    "In running text": "islands have buttons only",
    "Held in its states": "the states are drawn for the style guide",
  },
  chip: {
    "With a count": ({ items }) =>
      items.map(({ name, count, link }) =>
        createElement(react.Chip, { name, count, link: linked(link), isCurrent: false, key: name }),
      ),
    "A topic": "the list of posts has the topics of its template",
    "With what is counted": "the chips of islands are below a heading that says it",
  },
  figure: {
    "A photograph": (_values, example) => createElement("div", { className: "figure" }, picture(example)),
    "A drawing": "islands show drawings as files",
  },
  pagination: {
    "In the middle of a list": "the list of posts has the links of its template",
    "The first page": "the list of posts has the links of its template",
  },
  "post-card": {
    "In a list": (values) => card(values, false),
    "The first of a page": (values) => card(values, true),
    "With a photograph, and without a date": (values, example) => card(values, false, example),
  },
  trouble: {
    "With a message": (values) => createElement(react.Trouble, values),
    "Without one": "islands always say what to do",
  },
};

/** The files of a picture, which only the build knows, are read from the example. */
function files(example) {
  const [image] = example.filter(({ name }) => name === "img");
  const sources = example.filter(({ name }) => name === "source");
  return {
    src: image.get("src"),
    width: Number(image.get("width")),
    height: Number(image.get("height")),
    classes: image.get("class"),
    sources: sources.map((source) => ({ mime: source.get("type"), srcset: source.get("srcset") })),
    sizes: sources[0].get("sizes"),
  };
}

function picture(example) {
  const { sizes, ...rest } = files(example);
  return createElement(react.Picture, { picture: { ...rest, alt: "" }, sizes });
}

function card({ title, link, picture, excerpt, author, date }, isFirst, example) {
  const { src, width, height, sources } = example ? files(example) : {};
  const focus = picture?.picture.focus;
  const post = {
    id: title,
    title,
    slug: "",
    link: linked(link).href,
    excerpt,
    author: { name: author },
    date: date && `${date.iso}T00:00:00`,
    featured_image: src
      ? { source_url: src, alt_text: picture.picture.alt, media_details: { width, height, sources, sizes: {} }, focus }
      : null,
    cover: "/cover.svg",
  };
  return createElement(react.Card, { post, isFirst, list: blog });
}

/**
 * An element as text, one tag per line. Left out are comments, the order of attributes, white space that browsers do not
 * show, and what differs on purpose: the level of a heading, which follows from the page; the drawing of a figure, which
 * islands load as a file; links below a card; the tint below a photograph, which posts of the API do not have; and the role
 * of an error, which is an alert only where it appears on a page that is already open.
 */
function normalized(node) {
  if (node.nodeName === "#text") return isShown(node) ? `${node.value.replace(/\s+/g, " ")}\n` : "";
  if (!node.tagName) return "";
  const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
  const name = node.tagName.replace(/^h[2-6]$/, "heading");
  if (attributes.get("class") === "post-card__more") return "";
  if (name === "img" && attributes.has("class")) {
    const classes = attributes.get("class").replace(/^tint-\w+ ?/, "");
    attributes.delete("class");
    if (classes !== "") attributes.set("class", classes);
  }
  if (attributes.get("role") === "alert") attributes.delete("role");
  const own = [...attributes].map(([key, value]) => ` ${key}="${value}"`).sort();
  const isDrawing = attributes.get("class") === "figure" && !/\.(?:avif|webp|jpe?g|png)\b/.test(JSON.stringify(sourcesOf(node)));
  const children = isDrawing ? "a drawing\n" : (node.childNodes ?? []).map(normalized).join("");
  return `<${name}${own.join("")}>\n${children}</${name}>\n`;
}

/** Whether browsers show a text. White space alone is shown between words in a line. */
function isShown(node) {
  const siblings = node.parentNode.childNodes;
  const at = siblings.indexOf(node);
  const isInLine = (each) => ["span", "time", "b", "bdi"].includes(each?.tagName);
  return node.value.trim() !== "" || (isInLine(siblings[at - 1]) && isInLine(siblings[at + 1]));
}

const sourcesOf = (node) => [
  ...(node.attrs ?? []).filter(({ name }) => name === "src" || name === "srcset").map(({ value }) => value),
  ...(node.childNodes ?? []).flatMap(sourcesOf),
];

const normalizedAll = (elements) => elements.map(({ node }) => normalized(node)).join("");

describe("what templates and React both draw", () => {
  for (const [component, byName] of Object.entries(drawings)) {
    const { examples } = parse(readFileSync(join(ROOT, "templates/components", component, "examples.yaml"), "utf8"));
    const { document } = site.documents.get(`/style-guide/components/${component}/`);
    it(`${component}: every example is known`, () => {
      const names = examples.filter(({ live }) => !live).map(({ name }) => name);
      assert.deepEqual(Object.keys(byName).sort(), names.sort(), "React draws it too, or the table says why it does not");
    });
    for (const [at, { name, values, live }] of examples.entries()) {
      const draw = byName[name];
      if (live || typeof draw !== "function") continue;
      it(`${component}: ${name}`, () => {
        const section = document.byId.get(`example-${at + 1}`);
        const stage = document.first("div", (each) => each.classes.includes("guide-part__stage") && each.parent === section);
        const inside = document.elements.filter((each) => each !== stage && each.closest((other) => other === stage));
        const html = renderToStaticMarkup(draw(values, inside));
        const drawn = new Document(`<body>${html}`).elements.filter((each) => each.parent?.name === "body");
        assert.equal(normalizedAll(drawn), normalizedAll(inside.filter((each) => each.parent === stage)));
      });
    }
  }
});

describe("posts that several pages list", () => {
  /** The cards of each post by its address: those of React, and those of templates. */
  const cards = new Map();
  for (const { path, document } of site.pages) {
    for (const card of document.all((each) => each.name === "article" && each.classes.includes("post-card"))) {
      const link = document.first("a", (each) => each.classes.includes("post-card__link") && each.closest((up) => up === card));
      const of = cards.get(link?.get("href")) ?? { react: [], templates: [] };
      const isReact = card.closest(({ name }) => name === "sitegen-island");
      of[isReact ? "react" : "templates"].push({ path, text: normalized(card.node) });
      cards.set(link?.get("href"), of);
    }
  }
  // The first card of a list is larger on purpose.
  const both = [...cards]
    .map(([href, of]) => ({ href, ...of, react: of.react.filter(({ text }) => !text.includes("post-card--lead")) }))
    .filter(({ react, templates }) => react.length > 0 && templates.length > 0);

  it("have one card on all of them", () => {
    assert.ok(both.length >= 10, `only ${both.length} posts are listed by both`);
    // A response of the API names one file for browsers without `<picture>`; templates name another width of it.
    const withoutFile = (text) => text.replace(/ (?:height|src|width)="[^"]*"(?=[^\n]*>\n<\/img>)/g, "");
    for (const { href, react, templates } of both) {
      for (const card of templates) {
        assert.equal(withoutFile(react[0].text), withoutFile(card.text), `${href} on ${react[0].path} and ${card.path}`);
      }
    }
  });
});
