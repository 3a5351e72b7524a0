// The style guide as a designer or a developer uses it: the sidebar, copying, filtering, typing, the search, the live header.
// What holds for every page (axe, widths, headings, no script) is tested with all of them.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { DESKTOP, PHONE, content, locales, openBrowser, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const words = locales.en.messages;
const filled = (word, values) => words[word].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
const HOME = content("pages/style-guide/en.yaml").path;
const at = (key) => content(`pages/style-guide-${key}/en.yaml`).path;
const section = (key, kind) => content(`pages/style-guide-${key}/en.yaml`).sections.find((found) => found.kind === kind);

/** Lets the page write to the clipboard, and reads what is there. */
const allow = (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.origin });
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const hydrated = (page, name) => page.waitForSelector(`sitegen-island[name=${name}][hydrated]`, { state: "attached" });

describe("the frame of the guide", { concurrency: 2 }, () => {
  // One page of each kind: below the guide, below one of its chapters, and of the gallery far down the list; with and without
  // the last slash, as hosts answer both.
  const paths = [HOME, at("colors"), at("components"), `${at("components")}trouble/`];
  for (const path of paths.flatMap((path) => [path, path.replace(/\/$/, "")])) {
    it(`${path} marks its link in the sidebar and brings it into sight`, () =>
      visit(browser, site.origin + path, { viewport: PHONE }, async (page, { response }) => {
        assert.equal(response.status(), 200);
        const current = page.locator("nav [aria-current=page]");
        assert.equal(await current.count(), 1);
        assert.equal((await current.getAttribute("href")).replace(/\/$/, ""), path.replace(/\/$/, ""));
        await page.waitForFunction(() => {
          const box = document.querySelector("nav [aria-current=page]").getBoundingClientRect();
          return box.left >= 0 && box.right <= innerWidth;
        });
        assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(255, 255, 255)");
      }));
  }

  it("answers an unknown address with its own page, which leads home", () =>
    visit(browser, `${site.origin}${HOME}styles/nothing/`, {}, async (page, { response }) => {
      assert.equal(response.status(), 404);
      assert.ok((await page.locator(`main a[href="${HOME}"]`).count()) > 0);
    }));
});

describe("colors", () => {
  const swatch = section("colors", "guide_swatches").swatches.find((found) => found.principal);
  for (const [form, copied] of [
    ["copy_hex", swatch.code],
    ["copy_variable", `var(--color-${swatch.color})`],
    ["copy_rgb", `rgb(${swatch.code.match(/\w\w/g).map((part) => Number.parseInt(part, 16)).join(" ")})`],
  ]) {
    it(`copies ${copied}`, () =>
      visit(browser, site.origin + at("colors"), {}, async (page, { complaints }) => {
        await allow(page);
        const palette = page.locator(".palette").first();
        await palette.getByLabel(words[form]).check();
        await palette.getByRole("button", { name: new RegExp(`^${swatch.label}`) }).click();
        await palette.getByText(filled("copied", { text: copied }), { exact: true }).waitFor();
        assert.equal(await clipboard(page), copied);
        assert.deepEqual(complaints, []);
      }));
  }
});

describe("icons", () => {
  it("filters by name, says how many there are, and copies an SVG", () =>
    visit(browser, site.origin + at("icons"), {}, async (page, { complaints }) => {
      await allow(page);
      const { icons } = section("icons", "guide_icons");
      assert.equal(icons.length, 29);
      assert.equal(await page.locator(".icon-gallery__item").count(), icons.length);
      await page.getByLabel(words.filter_icons_label).fill("check");
      const found = icons.filter((name) => name.includes("check"));
      await page.getByText(filled("icons_found", { count: found.length, total: icons.length })).first().waitFor();
      assert.equal(await page.locator(".icon-gallery__item").count(), found.length);
      await page.getByLabel(words.icon_filled).check();
      await page.getByRole("button", { name: `${words.copy_svg} check-circle` }).click();
      await page.getByText(filled("copied", { text: "check-circle-fill.svg" })).waitFor();
      assert.match(await clipboard(page), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<path d="/);
      await page.getByLabel(words.filter_icons_label).fill("no such icon");
      await page.getByText(words.no_icons).first().waitFor();
      assert.deepEqual(complaints, []);
    }));
});

describe("typography", () => {
  it("sets what is typed in every weight", () =>
    visit(browser, site.origin + at("typography"), {}, async (page) => {
      const specimen = page.locator(".type-specimen").first();
      await specimen.getByLabel(words.specimen_label).fill("Ágil 1234");
      const lines = specimen.locator("dd");
      // What is typed before the island wakes is set once it has.
      await lines.filter({ hasText: "Ágil 1234" }).nth(2).waitFor();
      assert.deepEqual(await lines.allTextContents(), Array(3).fill("Ágil 1234"));
      const weights = await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).fontWeight));
      assert.deepEqual(weights, ["700", "500", "400"]);
    }));
});

describe("buttons", () => {
  it("stand in four states that can be told apart", () =>
    visit(browser, site.origin + at("buttons"), {}, async (page) => {
      const looks = await page
        .locator("#variants table .button--primary")
        .evaluateAll((all) => all.map((button) => `${getComputedStyle(button).backgroundColor} ${getComputedStyle(button.querySelector("svg")).translate} ${getComputedStyle(button.querySelector("svg")).display}`));
      assert.equal(looks.length, 4);
      assert.equal(new Set(looks).size, 4, looks.join("\n"));
    }));
});

describe("navigations", () => {
  for (const [view, isWide] of [["desktop", true], ["mobile", false]]) {
    it(`${view}: the live header is the site's own`, () =>
      visit(browser, site.origin + at("navigations"), { viewport: DESKTOP }, async (page, { complaints }) => {
        const frame = page.locator(`iframe.guide-navigation__window--${view}`);
        await frame.scrollIntoViewIfNeeded();
        const header = frame.contentFrame();
        const menu = header.locator("nav");
        const button = header.getByRole("button", { name: words.menu });
        if (isWide) {
          await menu.waitFor({ state: "visible" });
          assert.equal(await button.isVisible(), false);
        } else {
          await button.click();
          await menu.waitFor({ state: "visible" });
          await page.keyboard.press("Escape");
          await menu.waitFor({ state: "hidden" });
        }
        assert.deepEqual(complaints, []);
      }));
  }
});

describe("the gallery", () => {
  const part = (name) => `${at("components")}${name}/`;

  it("copies the YAML of an example as an author writes it, and its HTML", () =>
    visit(browser, site.origin + part("quote"), {}, async (page, { complaints }) => {
      await allow(page);
      const example = page.locator("#example-1");
      await example.getByRole("button", { name: `${words.copy_code} YAML` }).click();
      await example.getByText(filled("copied", { text: "YAML" }), { exact: true }).waitFor();
      assert.match(await clipboard(page), /^- kind: quote\n {2}text: /);
      await example.locator("summary").click();
      await example.getByRole("button", { name: `${words.copy_code} HTML` }).click();
      await example.getByText(filled("copied", { text: "HTML" }), { exact: true }).waitFor();
      assert.match(await clipboard(page), /^<section class="band [^]*\n<\/section>$/);
      assert.deepEqual(complaints, []);
    }));

  it("opens the questions of an example as a page does", () =>
    visit(browser, site.origin + part("faq"), {}, async (page, { complaints }) => {
      const questions = page.locator(".guide-part__stage").nth(1).locator("details");
      assert.equal(await questions.first().getAttribute("open"), "");
      await questions.nth(1).locator("summary").click();
      await questions.first().and(page.locator(":not([open])")).waitFor();
      assert.deepEqual(complaints, []);
    }));

  it("shows the link of a page far down the sidebar without scrolling the page", () =>
    visit(browser, site.origin + part("section"), { viewport: DESKTOP }, async (page) => {
      await page.waitForFunction(() => {
        const { top, bottom } = document.querySelector("nav [aria-current=page]").getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
      assert.equal(await page.evaluate(() => scrollY), 0);
    }));

  it("is found by the search", () =>
    visit(browser, site.origin + at("search"), {}, async (page) => {
      await page.getByLabel(words.search_guide_label).fill("pricing");
      await page.waitForFunction(
        (href) => document.querySelector("a.guide-results__link")?.getAttribute("href") === href,
        part("pricing-table"),
      );
    }));
});

describe("the search", () => {
  it("finds by synonym, marks what matched, and is used without a mouse", () =>
    visit(browser, site.origin + at("search"), {}, async (page, { complaints }) => {
      await hydrated(page, "guide-search");
      const field = page.getByLabel(words.search_guide_label);
      await page.keyboard.press("/");
      await page.waitForFunction(() => document.activeElement?.matches("input"));
      await field.fill("growth 40");
      const links = page.locator("a.guide-results__link");
      assert.match(await links.first().textContent(), /Growth/);
      assert.ok((await page.locator("mark").allTextContents()).some((text) => /growth/i.test(text)));
      await field.fill("green");
      assert.match((await links.allTextContents()).join("\n"), /Growth/);
      await field.fill("padding");
      assert.match((await links.allTextContents()).join("\n"), /Spacing/);
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement.className), "guide-results__link");
      await page.keyboard.press("ArrowUp");
      await page.waitForFunction(() => document.activeElement?.matches("input"));
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === at("layout") && url.hash !== "");
      assert.deepEqual(complaints, []);
    }));

  it("says when nothing is found", () =>
    visit(browser, site.origin + at("search"), {}, async (page) => {
      await page.getByLabel(words.search_guide_label).fill("xylophone");
      await page.getByText(words.guide_no_results).first().waitFor();
      assert.equal(await page.locator("a.guide-results__link").count(), 0);
    }));

  it("lists everything without script", () =>
    visit(browser, site.origin + at("search"), { script: false }, async (page) => {
      const links = await page.locator("main a.guide-results__link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      for (const key of ["colors", "icons", "buttons"]) assert.ok(links.some((href) => href.startsWith(at(key))), key);
      assert.equal(await page.getByLabel(words.search_guide_label).isVisible(), false);
    }));
});
