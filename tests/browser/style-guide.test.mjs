// Browser tests of the style guide: sidebar, copy buttons, filters, type specimens, search, and the live header. The
// checks of all pages (axe, widths, headings, no JavaScript) are in visit.test.mjs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { content, DESKTOP, locales, openBrowser, PHONE, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const words = locales.en.messages;
const filled = (word, values) => words[word].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
const HOME = content("pages/style-guide/en.yaml").path;
const at = (key) => content(`pages/style-guide-${key}/en.yaml`).path;
const section = (key, kind) => content(`pages/style-guide-${key}/en.yaml`).sections.find((found) => found.kind === kind);

/** Grants the page access to the clipboard. */
const allow = (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.origin });
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const hydrated = (page, name) => page.waitForSelector(`sitegen-island[name=${name}][hydrated]`, { state: "attached" });

describe("the layout of the guide", { concurrency: 2 }, () => {
  // One page at each level: the guide, a chapter, a page of a chapter, and a gallery page at the end of the list; with
  // and without a trailing slash, because hosts serve both.
  const paths = [HOME, at("colors"), at("components"), `${at("components")}trouble/`];
  for (const path of paths.flatMap((path) => [path, path.replace(/\/$/, "")])) {
    it(`${path} marks its link in the sidebar and scrolls it into view`, () =>
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

  it("has an error page with a link to its home page", () =>
    visit(browser, `${site.origin}${HOME}styles/nothing/`, {}, async (page, { response }) => {
      assert.equal(response.status(), 404);
      assert.ok((await page.locator(`main a[href="${HOME}"]`).count()) > 0);
    }));
});

describe("colors", () => {
  const swatch = section("colors", "guide_swatches").swatches.find((found) => found.principal);
  const code = content("design.yaml").color[swatch.color];
  for (const [form, copied] of [
    ["copy_hex", code],
    ["copy_variable", `var(--color-${swatch.color})`],
    [
      "copy_rgb",
      `rgb(${code
        .match(/\w\w/g)
        .map((part) => Number.parseInt(part, 16))
        .join(" ")})`,
    ],
  ]) {
    it(`copies ${copied}`, () =>
      visit(browser, site.origin + at("colors"), {}, async (page, { complaints }) => {
        await allow(page);
        const palette = page.locator(".guide-swatches__palette").first();
        await palette.getByLabel(words[form]).check();
        await palette.getByRole("button", { name: new RegExp(`^${swatch.label}`) }).click();
        await palette.getByText(filled("copied", { text: copied }), { exact: true }).waitFor();
        assert.equal(await clipboard(page), copied);
        assert.deepEqual(complaints, []);
      }));
  }
});

describe("icons", () => {
  it("can be filtered by name, are counted, and can be copied as SVG", () =>
    visit(browser, site.origin + at("icons"), {}, async (page, { complaints }) => {
      await allow(page);
      const { icons } = section("icons", "guide_icons");
      assert.equal(icons.length, 29);
      assert.equal(await page.locator(".guide-icons__item").count(), icons.length);
      await page.getByLabel(words.filter_icons_label).fill("check");
      const found = icons.filter((name) => name.includes("check"));
      await page
        .getByText(filled("icons_found", { count: found.length, total: icons.length }))
        .first()
        .waitFor();
      assert.equal(await page.locator(".guide-icons__item").count(), found.length);
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
  it("shows the typed text in each weight", () =>
    visit(browser, site.origin + at("typography"), {}, async (page) => {
      const specimen = page.locator(".guide-type__specimen").first();
      await specimen.getByLabel(words.specimen_label).fill("Ágil 1234");
      const lines = specimen.locator("dd");
      // Input from before hydration is shown after hydration.
      await lines.filter({ hasText: "Ágil 1234" }).nth(2).waitFor();
      assert.deepEqual(await lines.allTextContents(), Array(3).fill("Ágil 1234"));
      const weights = await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).fontWeight));
      assert.deepEqual(weights, ["700", "500", "400"]);
    }));
});

describe("buttons", () => {
  it("are shown in four different states", () =>
    visit(browser, site.origin + at("buttons"), {}, async (page) => {
      const looks = await page
        .locator("#variants table .button--primary")
        .evaluateAll((all) =>
          all.map(
            (button) =>
              `${getComputedStyle(button).backgroundColor} ${getComputedStyle(button.querySelector("svg")).translate} ${getComputedStyle(button.querySelector("svg")).display}`,
          ),
        );
      assert.equal(looks.length, 4);
      assert.equal(new Set(looks).size, 4, looks.join("\n"));

      // The same in a form: a secondary button has the ground of a secondary link, and each way to disable looks the same.
      const [plain, ...disabled] = await page.locator("#variants table .button--secondary").evaluateAll(([link, , shown]) => {
        const add = (attributes) => {
          const button = Object.assign(document.createElement("button"), { className: "button button--secondary" });
          for (const name of attributes) button.setAttribute(name, "true");
          link.after(button);
          return button;
        };
        const look = (element) => {
          const { backgroundColor, color, borderTopColor, cursor } = getComputedStyle(element);
          return { backgroundColor, color, borderTopColor, cursor };
        };
        const same = [add([]), link].map((element) => getComputedStyle(element).backgroundColor);
        return [same, ...[shown, add(["disabled"]), add(["aria-disabled"])].map(look)];
      });
      assert.equal(plain[0], plain[1]);
      for (const look of disabled) assert.deepEqual(look, disabled[0]);
    }));
});

describe("navigations", () => {
  for (const [view, isWide] of [
    ["desktop", true],
    ["mobile", false],
  ]) {
    it(`${view}: the live header is the header of the site`, () =>
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

  it("copies the YAML and the HTML of an example", () =>
    visit(browser, site.origin + part("quote"), {}, async (page, { complaints }) => {
      await allow(page);
      const example = page.locator("#example-1");
      await example.getByRole("button", { name: `${words.copy_code} YAML` }).click();
      await example.getByText(filled("copied", { text: "YAML" }), { exact: true }).waitFor();
      assert.match(await clipboard(page), /^- kind: quote\n {2}text: /);
      await example.locator("summary").click();
      await example.getByRole("button", { name: `${words.copy_code} HTML` }).click();
      await example.getByText(filled("copied", { text: "HTML" }), { exact: true }).waitFor();
      assert.match(await clipboard(page), /^<section class="band [\s\S]*\n<\/section>$/);
      assert.deepEqual(complaints, []);
    }));

  it("has working examples of questions", () =>
    visit(browser, site.origin + part("faq"), {}, async (page, { complaints }) => {
      const questions = page.locator(".guide-part__stage").nth(1).locator("details");
      assert.equal(await questions.first().getAttribute("open"), "");
      await questions.nth(1).locator("summary").click();
      await questions.first().and(page.locator(":not([open])")).waitFor();
      assert.deepEqual(complaints, []);
    }));

  it("scrolls the sidebar to the current link without scrolling the page", () =>
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
        (href) => document.querySelector("a.guide-search__link")?.getAttribute("href") === href,
        part("pricing-table"),
      );
    }));
});

describe("the search", () => {
  it("finds synonyms, highlights matches, and works with the keyboard", () =>
    visit(browser, site.origin + at("search"), {}, async (page, { complaints }) => {
      await hydrated(page, "guide-search");
      const field = page.getByLabel(words.search_guide_label);
      await page.keyboard.press("/");
      await page.waitForFunction(() => document.activeElement?.matches("input"));
      await field.fill("growth 40");
      const links = page.locator("a.guide-search__link");
      assert.match(await links.first().textContent(), /Growth/);
      assert.ok((await page.locator("mark").allTextContents()).some((text) => /growth/i.test(text)));
      await field.fill("green");
      assert.match((await links.allTextContents()).join("\n"), /Growth/);
      await field.fill("padding");
      assert.match((await links.allTextContents()).join("\n"), /Spacing/);
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement.className), "guide-search__link");
      await page.keyboard.press("ArrowUp");
      await page.waitForFunction(() => document.activeElement?.matches("input"));
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === at("layout") && url.hash !== "");
      assert.deepEqual(complaints, []);
    }));

  it("shows a message if nothing is found", () =>
    visit(browser, site.origin + at("search"), {}, async (page) => {
      await page.getByLabel(words.search_guide_label).fill("xylophone");
      await page.getByText(words.guide_no_results).first().waitFor();
      assert.equal(await page.locator("a.guide-search__link").count(), 0);
    }));

  it("lists all entries without JavaScript", () =>
    visit(browser, site.origin + at("search"), { script: false }, async (page) => {
      const links = await page
        .locator("main a.guide-search__link")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      for (const key of ["colors", "icons", "buttons"])
        assert.ok(
          links.some((href) => href.startsWith(at(key))),
          key,
        );
      assert.equal(await page.getByLabel(words.search_guide_label).isVisible(), false);
    }));
});
