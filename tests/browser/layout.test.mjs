// The frame around every page, and the ways out of a page that the specification names word by word.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DESKTOP, PHONE, TABLET, locales, named, openBrowser, settings, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const see = (path, look, options) => visit(browser, site.origin + path, options, look);
const pageOf = (key, locale) => site.pages.find((route) => route.key === key && route.locale === locale);
const pathOf = (url) => new URL(url).pathname + new URL(url).hash;
const homes = Object.keys(locales).map((locale) => pageOf("home", locale));

/** Where the links of that name in a part of the page lead to, each place once. */
const targets = async (page, part, name) => {
  const links = await page.locator(part).getByRole("link", { name, exact: true }).all();
  return [...new Set(await Promise.all(links.map(async (link) => pathOf(await link.evaluate((element) => element.href)))))];
};

describe("the header", () => {
  const buttons = {
    en: ["Get in Touch", "/contact/"],
    es: ["Iniciar Proyecto", "/es/obtener-{product.slug}/"],
  };
  const menu = {
    en: { "About Us": "/about-us/", Services: "/services/", "Case Studies": "/case-studies/", Blog: "/blog/", Contact: "/contact/" },
    es: { Nosotros: "/es/sobre-nosotros/", Servicios: "/es/servicios/", "Casos de Éxito": "/case-studies/", Blog: "/es/blog/" },
  };

  for (const { path, locale } of homes) {
    it(`of ${path} holds the menu and the button of its language`, () =>
      see(path, async (page) => {
        for (const [name, target] of Object.entries(menu[locale])) assert.deepEqual(await targets(page, "header", name), [target], name);
        const [name, target] = buttons[locale];
        assert.deepEqual(await targets(page, "header", name), [named(target)]);
      }));

    it(`of ${path} shows the logo at 150 × 40 pixels, with the name of the product`, () =>
      see(path, async (page) => {
        const home = page.locator("header").getByRole("link", { name: settings.product.name }).first();
        const { width, height } = await home.locator("svg, img").first().boundingBox();
        assert.deepEqual([width, height], [150, 40]);
        assert.equal(pathOf(await home.evaluate((element) => element.href)), path);
      }));
  }

  it("marks the menu entry of the page that is shown", () =>
    see("/services/", async (page) => {
      assert.equal(await page.locator("header a[aria-current=page]").innerText(), "Services");
    }));

  for (const viewport of [DESKTOP, PHONE]) {
    it(`takes another style beyond 50 pixels, and gives it back (${viewport.width} px)`, () =>
      see("/", async (page) => {
        const scrolled = (y) => page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), y);
        const marked = (yes) => page.waitForFunction((wanted) => document.documentElement.hasAttribute("data-scrolled") === wanted, yes);
        const style = () => page.evaluate(() => {
          const { backgroundColor, borderColor, boxShadow, color, height } = getComputedStyle(document.querySelector("header"));
          return JSON.stringify([backgroundColor, borderColor, boxShadow, color, height]);
        });
        await marked(false);
        const atTop = await style();
        await scrolled(51);
        await marked(true);
        assert.notEqual(await style(), atTop);
        await scrolled(50);
        await marked(false);
        assert.equal(await style(), atTop);
      }, { viewport }));
  }

  it("has its scrolled style at once when a page is reloaded half-way down", () =>
    see("/", async (page) => {
      await page.evaluate(() => window.scrollTo({ top: 900, behavior: "instant" }));
      await page.reload();
      await page.waitForFunction(() => window.scrollY > 50 && document.documentElement.hasAttribute("data-scrolled"));
    }));

  it("folds its menu away at 768 pixels, and not at 769", async () => {
    const button = (page) => page.getByRole("button", { name: /^menu$/i });
    await see("/", async (page) => assert.ok(await button(page).isVisible()), { viewport: TABLET });
    await see("/", async (page) => assert.ok(await button(page).isHidden()), { viewport: { ...TABLET, width: 769 } });
  });
});

describe("the footer", () => {
  for (const { path, locale } of homes) {
    it(`of ${path} holds copyright, social links and the language switch`, () =>
      see(path, async (page) => {
        const footer = page.getByRole("contentinfo");
        assert.match(await footer.innerText(), new RegExp(`©\\s*${settings.copyright_year}\\b`));
        for (const { name, to } of settings.social) {
          const links = await footer.getByRole("link", { name }).evaluateAll((elements) => elements.map((element) => element.href));
          assert.ok(links.includes(new URL(to).href), name);
        }
        for (const { title, links } of settings.footer.groups) {
          assert.ok(await footer.getByRole("heading", { name: title[locale] }).isVisible(), title[locale]);
          for (const { label } of links) assert.ok(await footer.getByRole("link", { name: named(label[locale]) }).count(), label[locale]);
        }
      }));
  }

  it("switches the language of a page and back again", () =>
    see("/services/operations-automation/", async (page) => {
      const footer = page.getByRole("contentinfo");
      const switchTo = async (locale) => {
        await footer.getByRole("link", { name: locales[locale].name }).click();
        await page.waitForURL((url) => url.pathname === pageOf("operations-automation", locale).path);
        assert.equal(await page.locator("html").getAttribute("lang"), locales[locale].language);
      };
      await switchTo("es");
      await switchTo("en");
    }));
});

describe("calls to action", () => {
  const form = { en: "/get-{product.slug}/", es: "/es/obtener-{product.slug}/" };
  // Page, words on it, where they lead: from the specification's sections on each page.
  const actions = [
    ["/", "Start Now", form.en],
    ["/", "View all services", "/services/"],
    ["/services/", "Get {product.name}", form.en],
    ["/services/operations-automation/", "View all services", "/services/"],
    ["/404.html", "Get {product.name}", form.en],
    ["/es/404.html", "Obtén {product.name}", form.es],
  ];
  for (const [path, name, target] of actions) {
    it(`'${name}' on ${path} leads to ${target}`, () =>
      see(path, async (page) => assert.deepEqual(await targets(page, "main", named(name)), [named(target)])));
  }

  // Page, and an address that some link of its content must lead to.
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
    it(`${path} leads to ${target}`, () =>
      see(path, async (page) => {
        const links = await page.locator("main a[href]").evaluateAll((elements) => elements.map((element) => element.href));
        assert.ok(links.map(pathOf).includes(named(target)), links.join("\n"));
      }));
  }
});
