// Browser tests of the colors of light and dark: the grounds stay dark where it is dark, the colors of the brand stay loud, and
// each text can be read on what is behind it. axe cannot tell on the lines of the grid, so the contrast is computed here.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { button, contact, FORMS, hydrated, words } from "./lead-form.mjs";
import { content, DESKTOP, locales, openBrowser, PHONE, ready, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const { color, dark } = content("design.yaml");
const KEYS = [
  "home",
  "about",
  "org-chart",
  "services",
  "maintenance-plans",
  "case-studies",
  "contact",
  "lead-form",
  "lead-thanks",
  "privacy",
  "style-guide-colors",
  "style-guide-buttons",
  "blog",
];
const posts = [
  site.pages.find(({ path }) => /^\/blog\/[^/]+\/$/.test(path)),
  site.pages.find(({ path }) => /\/author\//.test(path)),
];
const study = site.pages.find(({ path }) => /^\/case-studies\/[^/]+\/$/.test(path));
const filtered = site.pages.find(({ path }) => path === "/case-studies/tech/laravel/");
const pages = [
  ...KEYS.map((key) => site.pages.find((page) => page.key === key && page.locale === "en")),
  ...posts,
  study,
  filtered,
].map(({ path }) => path);

/** Shows a page in light or dark. @param {"light" | "dark"} colorScheme */
const prefer = (colorScheme) => ({ prepare: (page) => page.emulateMedia({ colorScheme, reducedMotion: "reduce" }) });

/**
 * Runs in the page: texts that have less contrast with the color behind them than `least`, or 3:1 for what cannot be used. What
 * lies on pictures and drawings is left out.
 */
function faintTexts(least) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (css) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (color, below) => color.slice(0, 3).map((value, at) => value * color[3] + below[at] * (1 - color[3]));
  const light = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("svg, script, style, noscript, option, .visually-hidden, [aria-hidden=true]"))
      continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const ground = behind(element);
    const text = over(channels(getComputedStyle(element).color), ground);
    const [one, other] = [light(text), light(ground)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const isIdle = element.closest("[disabled], [aria-disabled=true], .is-disable") !== null;
    if (ratio < (isIdle ? 3 : least))
      found.push(`${ratio.toFixed(2)}: ${element.className} “${node.textContent.trim().slice(0, 40)}”`);
  }
  return found;
}

/** Runs in the page: the luminance of each band, from 0 to 1, by its class. */
const bands = () =>
  [...document.querySelectorAll(".band, .footer, .header, .article__body pre, .org-chart__card")].map((band) => {
    const [r, g, b] = getComputedStyle(band)
      .backgroundColor.match(/[\d.]+/g)
      .map((value) => (Number(value) / 255) ** 2.2);
    return { name: band.className, light: 0.2126 * r + 0.7152 * g + 0.0722 * b };
  });

describe("each text", () => {
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    for (const viewport of [DESKTOP, PHONE]) {
      it(`has at least 7:1 with what is behind it where it is ${scheme}, at ${viewport.width} px`, async () => {
        for (const path of pages)
          await visit(browser, site.origin + path, { viewport, ...prefer(scheme) }, async (page) => {
            await ready(page);
            assert.deepEqual(await page.evaluate(faintTexts, 7), [], path);
          });
      });
    }
  }
});

describe("a dark page", () => {
  it("has dark bands, footers and code, and signal as loud as where it is light", async () => {
    // Pages of the style guide have no bands.
    for (const path of pages.filter((path) => !path.startsWith("/style-guide/")))
      await visit(browser, site.origin + path, prefer("dark"), async (page) => {
        await ready(page);
        const all = await page.evaluate(bands);
        assert.ok(all.length > 2, path);
        for (const { name, light } of all) {
          if (name.includes("--signal")) assert.ok(light > 0.8, `${path}: ${name} has ${light}`);
          else assert.ok(light < 0.02, `${path}: ${name} has ${light}`);
        }
      });
  });

  it("has no barriers, from the first step of the form to its choice", () =>
    visit(browser, `${site.origin}${FORMS.en}#seo-services`, prefer("dark"), async (page) => {
      await hydrated(page);
      await page.locator(".form__preview").waitFor();
      await page.evaluate(AXE);
      assert.deepEqual(await findBarriers(page), []);
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), []);
      const chosen = await page
        .locator(".form-steps__choice[data-chosen]:visible > .form__card")
        .evaluate((card) => getComputedStyle(card).backgroundColor);
      assert.equal(chosen, "rgb(240, 255, 100)");
    }));

  it("has a dark captcha", async () => {
    for (const [scheme, ground] of /** @type {const} */ ([
      ["light", "rgb(249, 249, 249)"],
      ["dark", "rgb(34, 34, 34)"],
    ]))
      await visit(browser, `${site.origin}${FORMS.en}#seo-services`, prefer(scheme), async (page) => {
        await hydrated(page);
        await button(page, words.en.continue_action).click();
        await contact(page, words.en);
        const widget = page.locator(".form__widget label");
        assert.equal(await widget.evaluate((label) => getComputedStyle(label).backgroundColor), ground);
      });
  });

  it("dims the pictures of a post, whose light grounds would be the brightest thing on the page", () =>
    visit(browser, site.origin + posts[0].path, prefer("dark"), async (page) => {
      await ready(page);
      const filters = await page
        .locator("picture > img")
        .evaluateAll((all) => all.map((image) => getComputedStyle(image).filter));
      assert.ok(filters.length > 0);
      assert.deepEqual([...new Set(filters)], ["brightness(0.85)"]);
      const drawings = await page.locator("svg").evaluateAll((all) => all.map((svg) => getComputedStyle(svg).filter));
      assert.deepEqual([...new Set(drawings)], ["none"], "drawings in the page are dark themselves");
    }));

  it("dims photographs, and is chosen in the footer of a light device, too", () =>
    visit(browser, site.origin + pages[KEYS.indexOf("about")], prefer("light"), async (page) => {
      await ready(page);
      const seen = () =>
        page.evaluate(() => [
          getComputedStyle(document.documentElement).backgroundColor,
          getComputedStyle(document.querySelector(".photo picture > img")).filter,
        ]);
      const [light] = await seen();
      await page.getByRole("radio", { name: locales.en.messages.scheme_dark }).check();
      const [ground, filter] = await seen();
      assert.notEqual(ground, light);
      assert.equal(filter, "brightness(0.85)");
      await page.reload();
      assert.deepEqual(await seen(), [ground, filter], "the browser remembers it");
    }));

  it("keeps the colors of the brand, and changes those of grounds and text", () => {
    assert.deepEqual(
      Object.keys(dark).filter((name) => ["paper", "white", "ink", "signal", "growth"].includes(name)),
      [],
    );
    for (const name of Object.keys(dark)) assert.ok(name in color, name);
  });
});
