// Tests of all documents together: unique and consistent metadata in <head>, and links between documents.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { content, locales, ROOT, settings } from "../browser/site.mjs";
import { readSite } from "./dist.mjs";

const site = await readSite();
after(site.remove);

/** A placeholder origin for resolving links. Internal links have no origin, so they resolve to this one. */
const ORIGIN = "http://site.test";
const base = new URL(settings.base_url);

/** Extracts the metadata, links, preloaded fonts and ids of a document. */
const facts = ({ path, document }) => {
  const linked = (rel, also = (_link) => true) =>
    document.all((link) => link.name === "link" && link.get("rel") === rel && also(link));
  return {
    lang: document.lang,
    title: document.title,
    description: document.meta("description"),
    canonical: linked("canonical")[0]?.get("href") ?? null,
    noindex: /noindex/.test(document.meta("robots") ?? ""),
    alternates: linked("alternate", (link) => link.has("hreflang")).map((link) => [link.get("hreflang"), link.get("href")]),
    links: document
      .all((element) => (element.name === "a" || element.name === "area") && element.has("href"))
      .map((link) => ({ href: new URL(link.get("href"), ORIGIN + path).href, hreflang: link.get("hreflang"), text: link.text })),
    fonts: linked("preload", (link) => link.get("as") === "font" && link.has("crossorigin")).map((link) => link.get("href")),
    ids: document.byId,
  };
};

const documents = new Map([...site.documents].map(([path, page]) => [path, { ...page, ...facts(page) }]));
const known = (routes) => routes.map(({ path }) => documents.get(path));
const [pages, copies, errorPages] = [known(site.pages), known(site.copies), known(site.errorPages)];

/** The YAML file of a page; an empty object for pages that are generated from data. */
function written(route) {
  const file = `pages/${route.key}/${route.locale}.yaml`;
  return existsSync(join(ROOT, "content", file)) ? content(file) : {};
}

/** Fragments that a page handles with JavaScript: those declared in its file, or those of services in the lead form. */
function declaredAnchors(route) {
  if (route.key !== settings.leads.form) return written(route).anchors ?? [];
  return Object.values(content("forms/lead/form.yaml").fields.service.anchors).flat();
}

/** The path of an absolute URL of this site, as in canonical and alternate links. */
function pathOf(address) {
  const url = new URL(address);
  assert.equal(url.origin, base.origin, address);
  return decodeURI(url.pathname);
}

describe("links", () => {
  const redirected = new Set(site.redirects.map((route) => route.path.replace(/\/$/, "")));
  for (const [path, { links }] of documents) {
    it(`of ${path} lead to pages, files and anchors that exist`, () => {
      const dead = links.flatMap(({ href }) => {
        const target = new URL(href);
        if (target.origin !== ORIGIN) return [];
        // Paths of links are percent-encoded, unlike paths of routes.
        const pathname = decodeURI(target.pathname);
        const slashed = pathname.replace(/\/?$/, "/");
        const found = documents.get(pathname) ?? documents.get(slashed);
        if (!found) return redirected.has(pathname.replace(/\/$/, "")) || site.hasFile(target.pathname) ? [] : [href];
        const anchor = decodeURIComponent(target.hash.slice(1));
        if (!anchor || found.ids.has(anchor)) return [];
        const route = [...pages, ...copies].find((candidate) => candidate.path === slashed);
        return route && declaredAnchors(route).includes(anchor) ? [] : [`${href} (no such anchor)`];
      });
      assert.deepEqual(dead, []);
    });
  }

  it("have `hreflang` if their target is in another language", () => {
    for (const { path, lang, links } of pages) {
      for (const { href, hreflang } of links) {
        const target = new URL(href).origin === ORIGIN && documents.get(decodeURI(new URL(href).pathname));
        if (target && target.lang !== lang) assert.equal(hreflang, target.lang, `${path}: ${href}`);
      }
    }
  });
});

describe("the head", () => {
  it("has a title and a description of its own on each page", () => {
    for (const field of ["title", "description"]) {
      const paths = grouped(pages, field);
      for (const [value, sharing] of paths)
        assert.deepEqual(
          sharing.map(({ path }) => path),
          [sharing[0].path],
          `${field}: ${value}`,
        );
    }
  });

  it("has the page itself as canonical, or the original on a copy", () => {
    for (const page of pages) assert.equal(pathOf(page.canonical), page.path);
    for (const copy of copies) {
      const original = pages.find((page) => page.key === copy.key && page.locale === copy.locale);
      assert.equal(pathOf(copy.canonical), original.path, copy.path);
    }
  });

  it("names the same page in all its languages, which name it in turn", () => {
    // Pages with `noindex` have no alternate links.
    for (const page of pages.filter(({ noindex }) => !noindex)) {
      const translations = pages.filter((other) => other.key === page.key);
      if (translations.length === 1) {
        assert.deepEqual(page.alternates, [], `${page.path} has no translation`);
        continue;
      }
      const named = new Map(page.alternates.map(([hreflang, href]) => [hreflang, pathOf(href)]));
      const expected = new Map(translations.map((other) => [other.lang, other.path]));
      expected.set("x-default", translations.find((other) => other.locale === settings.locales[0]).path);
      assert.deepEqual(sorted(named), sorted(expected), page.path);
    }
  });

  it("preloads the fonts of the first screen", () => {
    for (const { path, fonts } of pages) {
      assert.ok(fonts.length > 0, path);
      for (const font of fonts) assert.equal(readFileSync(site.file(font)).subarray(0, 4).toString(), "wOF2", font);
    }
  });

  it("has `noindex` on error pages", () => {
    for (const { path, noindex } of errorPages) assert.ok(noindex, path);
  });
});

describe("the language switch", () => {
  // The style guide has a separate layout, and one language.
  const guide = content("pages/style-guide/en.yaml").path;
  for (const page of pages.filter(({ path }) => !path.startsWith(guide))) {
    it(`of ${page.path} leads to the same page, or to the home page of the other language`, () => {
      for (const [code, { name, language }] of Object.entries(locales)) {
        if (code === page.locale) continue;
        const pair =
          pages.find((other) => other.key === page.key && other.locale === code) ??
          pages.find((other) => other.key === "home" && other.locale === code);
        const switches = page.links.filter((link) => link.text.includes(name));
        assert.ok(switches.length > 0, `a link called ${name}`);
        for (const link of switches) {
          assert.equal(new URL(link.href).pathname, pair.path);
          assert.equal(link.hreflang, language);
        }
      }
    });
  }
});

function grouped(values, field) {
  const groups = new Map();
  for (const value of values) groups.set(value[field], [...(groups.get(value[field]) ?? []), value]);
  return groups;
}

function sorted(map) {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
