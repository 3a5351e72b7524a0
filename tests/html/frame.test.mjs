// Tests of the header, the footer and the sidebar, and of links whose text and target the specification defines.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { content, locales, named, settings } from "../browser/site.mjs";
import { readSite } from "./dist.mjs";
import { accessibleName } from "./dom.mjs";

const site = await readSite();
after(site.remove);

const ORIGIN = "http://site.test";
const homes = Object.keys(locales).map((locale) => site.pages.find((page) => page.key === "home" && page.locale === locale));

/** The links in the element `header`, `main` or `footer`, with their accessible names and targets. */
function linksIn({ path, document }, part) {
  const links = document.all(
    (element) => element.name === "a" && element.has("href") && element.closest(({ name }) => name === part),
  );
  return links.map((link) => {
    const { origin, pathname, hash, href } = new URL(link.get("href"), ORIGIN + path);
    return {
      name: accessibleName(link, document),
      text: link.text,
      target: origin === ORIGIN ? pathname + hash : href,
      current: link.get("aria-current"),
    };
  });
}

/** The distinct targets of links with the name. */
const targets = (page, part, name) => [
  ...new Set(
    linksIn(page, part)
      .filter((link) => link.name === name)
      .map(({ target }) => target),
  ),
];

describe("the header", () => {
  const buttons = {
    en: ["Get in Touch", "/contact/"],
    es: ["Iniciar Proyecto", "/es/obtener-{product.slug}/"],
  };
  const menu = {
    en: {
      "About Us": "/about-us/",
      Services: "/services/",
      "Case Studies": "/case-studies/",
      Blog: "/blog/",
      Contact: "/contact/",
    },
    es: {
      Nosotros: "/es/sobre-nosotros/",
      Servicios: "/es/servicios/",
      "Casos de éxito": "/case-studies/",
      Blog: "/es/blog/",
      Contacto: "/es/contacto/",
    },
  };

  for (const home of homes) {
    it(`of ${home.path} contains the menu and the button of its language`, () => {
      for (const [name, target] of Object.entries(menu[home.locale]))
        assert.deepEqual(targets(home, "header", name), [target], name);
      const [name, target] = buttons[home.locale];
      assert.deepEqual(targets(home, "header", name), [named(target)]);
      assert.deepEqual(targets(home, "header", settings.product.name), [home.path]);
    });
  }

  it("marks the menu item of the current page", () => {
    const current = linksIn(site.documents.get("/services/"), "header").filter((link) => link.current === "page");
    assert.deepEqual(
      current.map(({ text }) => text),
      ["Services"],
    );
  });

  it("marks the section of a page below one of the menu, and of a later page of a list", () => {
    const marked = (path) =>
      linksIn(site.documents.get(path), "header")
        .filter((link) => link.current !== null)
        .map(({ target, current }) => [target, current]);
    assert.deepEqual(marked("/services/development-support/"), [["/services/", "true"]]);
    assert.deepEqual(marked("/blog/page/2/"), [["/blog/", "true"]]);
    assert.deepEqual(marked("/es/blog/"), [["/es/blog/", "page"]]);
    assert.deepEqual(marked("/sample/"), []);
  });
});

describe("the footer", () => {
  for (const home of homes) {
    it(`of ${home.path} contains copyright, social links and link groups`, () => {
      const { document, locale } = home;
      const footer = document.first("footer", (element) => element.parent.name === "body");
      assert.match(footer.text, new RegExp(`©\\s*${settings.copyright_year}\\b`));
      const links = linksIn(home, "footer");
      for (const { name, to } of settings.social) {
        assert.ok(
          links.some((link) => link.name.includes(name) && link.target === new URL(to).href),
          name,
        );
      }
      const headings = document
        .all((element) => /^h[1-6]$/.test(element.name) && element.closest((each) => each === footer))
        .map(({ text }) => text);
      for (const group of settings.footer.groups) {
        assert.ok(headings.includes(group.title[locale]), group.title[locale]);
        for (const { label } of group.links)
          assert.ok(
            links.some((link) => link.name.includes(named(label[locale]))),
            label[locale],
          );
      }
    });
  }
});

describe("the style guide", () => {
  const home = content("pages/style-guide/en.yaml").path;
  for (const page of site.pages.filter(({ path }) => path.startsWith(home))) {
    it(`marks ${page.path} in its sidebar, once`, () => {
      const links = page.document.all(
        (element) =>
          element.get("aria-current") === "page" &&
          element.closest(({ name, classes }) => name === "nav" && classes.includes("guide-frame__nav")),
      );
      assert.deepEqual(
        links.map((link) => link.get("href")),
        [page.path],
      );
    });
  }
});

describe("calls to action", () => {
  const form = { en: "/get-{product.slug}/", es: "/es/obtener-{product.slug}/" };
  // Path, link text and target, from the specification of each page.
  const actions = [
    ["/", "Start Now", form.en],
    ["/", "View all services", "/services/"],
    ["/services/", "Get {product.name}", form.en],
    ["/services/operations-automation/", "View all services", "/services/"],
    ["/404.html", "Get {product.name}", form.en],
    ["/es/404.html", "Iniciar mi proyecto", form.es],
  ];
  for (const [path, name, target] of actions) {
    it(`'${name}' on ${path} leads to ${target}`, () =>
      assert.deepEqual(targets(site.documents.get(path), "main", named(name)), [named(target)]));
  }

  // Path, and a target that must be linked from the content of the page.
  const ways = [
    ["/", "/services/development-support/"],
    ["/", "/services/operations-automation/"],
    ["/", "/services/infrastructure-scale/"],
    ["/", "/case-studies/"],
    ["/es/", form.es],
    ["/es/", "/es/servicios/"],
    ["/es/", "/case-studies/"],
    ["/about-us/", "/services/"],
    ["/about-us/", "/services/development-support/"],
    ["/services/", "/services/maintenance-plans-development-support/"],
    ["/services/", "/services/search-engine-optimization-seo/"],
    ["/services/", "/services/expert-dedicated-team-tailored-development-solution/"],
    ["/services/development-support/", `${form.en}#ai-development-support`],
    ["/services/development-support/", "/services/"],
    ["/services/operations-automation/", `${form.en}#operations-automation`],
    ["/services/infrastructure-scale/", `${form.en}#infrastructure-scale`],
    ["/es/servicios/soporte-desarrollo/", `${form.es}#ai-development-support`],
    ["/es/servicios/automatizacion-operaciones/", `${form.es}#operations-automation`],
    ["/es/servicios/escala-infraestructura/", `${form.es}#infrastructure-scale`],
    ["/404.html", "/"],
    ["/500.html", "/"],
    ["/es/404.html", "/es/"],
    ["/es/500.html", "/es/"],
  ];
  for (const [path, target] of ways) {
    it(`${path} leads to ${target}`, () => {
      const links = linksIn(site.documents.get(path), "main").map((link) => link.target);
      assert.ok(links.includes(named(target)), links.join("\n"));
    });
  }
});
