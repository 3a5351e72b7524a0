// The documents as they are sent, all of them together: what they say of themselves in <head>, and where they link to.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ROOT, content, locales, openBrowser, settings, startSite } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** Path to what its document says: `{ status, lang, title, description, canonical, noindex, alternates, links, ids, inline }`. */
const documents = await readDocuments([...site.pages, ...site.copies, ...site.errorPages].map((route) => route.path));
// What a document says of itself goes over what `routes` says of it.
const pages = site.pages.map((route) => ({ ...route, ...documents.get(route.path) }));
const copies = site.copies.map((route) => ({ ...route, ...documents.get(route.path) }));
const base = new URL(settings.base_url);

async function readDocuments(paths) {
  const page = await browser.newPage();
  const read = new Map();
  for (const path of paths) {
    const response = await fetch(site.origin + path, { redirect: "manual" });
    read.set(path, await page.evaluate(readDocument, { html: await response.text(), url: site.origin + path }));
  }
  await page.close();
  return read;
}

/** Runs in a blank page. */
function readDocument({ html, url }) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const attribute = (selector, name) => parsed.querySelector(selector)?.getAttribute(name) ?? null;
  return {
    lang: parsed.documentElement.lang,
    title: parsed.title,
    description: attribute("meta[name=description]", "content"),
    canonical: attribute("link[rel=canonical]", "href"),
    noindex: /noindex/.test(attribute("meta[name=robots]", "content") ?? ""),
    alternates: [...parsed.querySelectorAll("link[rel=alternate][hreflang]")].map((link) => [
      link.getAttribute("hreflang"),
      link.getAttribute("href"),
    ]),
    links: [...parsed.querySelectorAll("a[href], area[href]")].map((link) => ({
      href: new URL(link.getAttribute("href"), url).href,
      hreflang: link.getAttribute("hreflang"),
      text: link.textContent.trim().replace(/\s+/g, " "),
    })),
    fonts: [...parsed.querySelectorAll("link[rel=preload][as=font][crossorigin]")].map((link) => link.getAttribute("href")),
    ids: [...parsed.querySelectorAll("[id]")].map((element) => element.id),
    inline: [...parsed.querySelectorAll("script:not([src]):not([type='application/ld+json']), style, [style]")].map((element) =>
      element.outerHTML.slice(0, 80),
    ),
    handlers: [...parsed.querySelectorAll("*")].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
  };
}

/** What an author wrote of a page; nothing for one that is made from data. */
function written(route) {
  const file = `pages/${route.key}/${route.locale}.yaml`;
  return existsSync(join(ROOT, "content", file)) ? content(file) : {};
}

/** Fragments that a page answers to by script: declared in its own file, or those that choose a service of the lead form. */
function declaredAnchors(route) {
  if (route.key !== settings.leads.form) return written(route).anchors ?? [];
  return content("lead-form/services.yaml").choices.flatMap(({ services }) => services.flatMap(({ hashes }) => hashes ?? []));
}

/** The path of an absolute address of this site, as canonical and alternate links write it. */
function pathOf(address) {
  const url = new URL(address);
  assert.equal(url.origin, base.origin, address);
  return decodeURI(url.pathname);
}

describe("links", () => {
  const redirected = new Set(site.redirects.map((route) => route.path.replace(/\/$/, "")));
  for (const [path, { links }] of documents) {
    it(`of ${path} lead to pages and anchors that exist`, () => {
      const dead = links.flatMap(({ href }) => {
        const target = new URL(href);
        if (target.origin !== site.origin) return [];
        // Addresses are told as they are read; in a link their letters are percent-encoded.
        const pathname = decodeURI(target.pathname);
        const slashed = pathname.replace(/\/?$/, "/");
        const found = documents.get(pathname) ?? documents.get(slashed);
        if (!found) return redirected.has(pathname.replace(/\/$/, "")) || isFile(pathname) ? [] : [href];
        const anchor = decodeURIComponent(target.hash.slice(1));
        if (!anchor || found.ids.includes(anchor)) return [];
        const route = [...site.pages, ...site.copies].find((candidate) => candidate.path === slashed);
        return route && declaredAnchors(route).includes(anchor) ? [] : [`${href} (no such anchor)`];
      });
      assert.deepEqual(dead, []);
    });
  }

  it("to files lead to files that exist", async () => {
    const targets = [...documents.values()].flatMap(({ links }) => links.map(({ href }) => new URL(href)));
    const files = targets.filter(({ origin, pathname }) => origin === site.origin && isFile(pathname));
    for (const file of new Set(files.map(({ pathname }) => pathname))) {
      assert.equal((await fetch(site.origin + file)).status, 200, file);
    }
  });

  it("name the language of a page in another one", () => {
    for (const { path, lang, links } of pages) {
      for (const { href, hreflang } of links) {
        const target = new URL(href).origin === site.origin && documents.get(decodeURI(new URL(href).pathname));
        if (target && target.lang !== lang) assert.equal(hreflang, target.lang, `${path}: ${href}`);
      }
    }
  });
});

describe("the head", () => {
  it("has a title and a description of its own on each page", () => {
    for (const field of ["title", "description"]) {
      for (const page of pages) {
        const sharing = pages.filter((other) => other[field] === page[field]).map((other) => other.path);
        assert.deepEqual(sharing, [page.path], `${field}: ${page[field]}`);
      }
    }
  });

  it("names the page itself as canonical, on a copy the page that it copies", () => {
    for (const page of pages) assert.equal(pathOf(page.canonical), page.path);
    for (const copy of copies) {
      const original = pages.find((page) => page.key === copy.key && page.locale === copy.locale);
      assert.equal(pathOf(copy.canonical), original.path, copy.path);
    }
  });

  it("names the same page in all its languages, which name it in turn", () => {
    // A page that search engines should not show has nothing to tell them about languages.
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

  it("asks for the fonts of the first screen before the stylesheet is read", async () => {
    for (const { path, fonts } of pages) {
      assert.ok(fonts.length > 0, path);
      for (const font of fonts) assert.equal((await fetch(new URL(font, site.origin))).headers.get("content-type"), "font/woff2");
    }
  });

  it("keeps error pages out of search engines", () => {
    for (const { path } of site.errorPages) assert.ok(documents.get(path).noindex, path);
  });
});

describe("the language switch", () => {
  // The style guide has a frame of its own, and one language.
  const guide = content("pages/style-guide/en.yaml").path;
  for (const page of pages.filter(({ path }) => !path.startsWith(guide))) {
    it(`of ${page.path} leads to the same page, or to the other language's home`, () => {
      for (const [code, { name, language }] of Object.entries(locales)) {
        if (code === page.locale) continue;
        const pair = pages.find((other) => other.key === page.key && other.locale === code)
          ?? pages.find((other) => other.key === "home" && other.locale === code);
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

it("no document holds inline script or style, which the policy would refuse", () => {
  for (const [path, { inline, handlers }] of documents) assert.deepEqual([...inline, ...handlers], [], path);
});

function isFile(path) {
  return /\.\w+$/.test(path) && !documents.has(path);
}

function sorted(map) {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
