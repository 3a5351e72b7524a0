// Browser tests of what a page looks like at one width, one size of text or beside something else: what designers have seen there
// that can be measured.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { arrives, button, card, FORMS, hydrated, words } from "./lead-form.mjs";
import { DESKTOP, gate, openBrowser, PHONE, ready, startSite, TABLET, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const WIDE = { width: 1920, height: 1080 };
/** Visits a page when it is ready. @param {string} path @param {(page: import("playwright-core").Page) => Promise<any>} look */
const see = (path, look, viewport = DESKTOP) =>
  visit(browser, site.origin + path, { viewport }, async (page) => {
    await ready(page);
    return look(page);
  });
const pathOf = (key) => site.pages.find((page) => page.key === key && page.locale === "en").path;

/** Runs in the page: the words that a line break divides, of the elements that a selector finds. */
function broken(selector) {
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    if (!element.checkVisibility()) continue;
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const { index, 0: word } of node.textContent.matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
      }
  }
  return found;
}

describe("a drawing", () => {
  it("beside the title of an error page is not behind its letters", async () => {
    for (const { path } of site.errorPages)
      await see(path, async (page) => {
        const ends = await page.evaluate(() => {
          const title = document.querySelector(".hero--panorama .hero__title");
          if (!title) return [0, 1];
          const range = document.createRange();
          range.selectNodeContents(title);
          return [range.getBoundingClientRect().right, document.documentElement.clientWidth / 2];
        });
        assert.ok(ends[0] <= ends[1], `${path}: the title ends at ${ends[0]}`);
      });
  });

  it("at the edge of a closing band is shown as a whole, also in a wide window", () =>
    see(
      pathOf("home"),
      async (page) => {
        const { width, height, shape } = await page.locator(".call-to-action__art svg").evaluate((svg) => {
          const { width, height } = svg.getBoundingClientRect();
          const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
          return { width, height, shape: high / wide };
        });
        assert.ok(height / width >= shape, `${width} × ${height}`);
      },
      WIDE,
    ));

  it("of a title is not as wide as a tablet", () =>
    see(
      pathOf("contact"),
      async (page) => {
        const { width, x } = await page.locator(".hero__figure").boundingBox();
        assert.ok(width <= TABLET.width * 0.65, `${width}`);
        // It stands at the end of the line, as beside the text in wider windows.
        const { x: start, width: whole } = await page.locator(".hero__inner").boundingBox();
        assert.ok(Math.abs(x + width - start - whole) < 1);
      },
      TABLET,
    ));
});

describe("two dark bands", () => {
  it("do not touch without a line", () =>
    see(pathOf("lead-thanks"), async (page) => {
      await page.locator("main > .band:last-child").evaluate((band) => band.classList.replace("band--paper", "band--ink"));
      assert.equal(await page.locator("main > .band--ink:last-child").count(), 1, "the last band is dark");
      const line = await page.locator(".footer").evaluate((footer) => getComputedStyle(footer).borderBlockStartWidth);
      assert.equal(line, "1px");
    }));
});

describe("the style guide on a phone", () => {
  it("shows its buttons with their labels in one line, and its pairs of colors as large as they are drawn", async () => {
    await see(
      pathOf("style-guide-buttons"),
      async (page) => {
        const heights = await page
          .locator(".guide-variants__table .button")
          .evaluateAll((all) => all.map((one) => one.clientHeight));
        assert.ok(heights.length > 0);
        assert.ok(Math.max(...heights) <= 56, `${heights}`);
      },
      PHONE,
    );
    await see(
      pathOf("style-guide-colors"),
      async (page) => {
        const widths = await page
          .locator(".guide-contrast__sample")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
        assert.ok(widths.length > 0);
        assert.ok(Math.min(...widths) >= 96, `${widths}`);
      },
      PHONE,
    );
  });
});

describe("with text of 200 %", () => {
  for (const code of /** @type {const} */ (["en", "es"]))
    it(`no word of a card of the form is divided on a phone, ${code}`, () =>
      see(
        FORMS[code],
        async (page) => {
          const own = words[code];
          await hydrated(page);
          await page.evaluate(() => {
            const large = new CSSStyleSheet();
            large.replaceSync("html { font-size: 200% }");
            document.adoptedStyleSheets = [large];
          });
          assert.deepEqual(await page.evaluate(broken, ".form__card"), []);
          await card(page, own.form.choices.help.title).click();
          await arrives(page, own.form.steps.service);
          assert.deepEqual(await page.evaluate(broken, ".form__card--pressed .form__card-words"), []);
        },
        PHONE,
      ));
});

describe("a list of errors", () => {
  it("says for each field what to enter, with its mark at the first of several lines", () =>
    see(
      `${FORMS.en}#seo-services`,
      async (page) => {
        const own = words.en;
        await hydrated(page);
        await button(page, own.continue_action).click();
        await page.getByLabel(/^Email/).fill("ana@");
        await page.getByLabel(/^Phone/).fill("12");
        await button(page, own.continue_action).click();
        const links = page.locator(".form__summary a");
        await links.nth(2).waitFor();
        for (const text of await links.allTextContents()) assert.match(text, /^Enter /);
        assert.deepEqual(await links.evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).display))]), [
          "inline-flex",
        ]);
      },
      PHONE,
    ));
});

describe("fonts that come late", () => {
  // Pages on which fonts that were swapped moved most.
  const KINDS = ["home", "privacy", "not-found", "blog", "lead-form", "style-guide-buttons"];
  const folders = ["/blog/author/", "/case-studies/", "/es/"];
  const paths = [
    ...[...site.pages, ...site.errorPages]
      .filter(({ key, locale }) => KINDS.includes(key) && locale === "en")
      .map(({ path }) => path),
    ...folders.map((folder) => site.pages.find(({ path }) => path.startsWith(folder) && path !== "/case-studies/").path),
  ];
  for (const viewport of [PHONE, TABLET, DESKTOP])
    it(`move nothing (${viewport.width} px)`, async () => {
      assert.ok(paths.length >= KINDS.length + folders.length, `${paths}`);
      for (const path of paths) {
        const { opened, open } = gate();
        const prepare = async (page) => {
          await page.route(/\.woff2$/, async (route) => {
            await opened;
            await route.continue();
          });
          await page.addInitScript(() => {
            globalThis.late = [];
            new PerformanceObserver((list) => globalThis.late.push(...list.getEntries())).observe({ type: "layout-shift" });
          });
        };
        await visit(browser, site.origin + path, { viewport, prepare, wait: "commit" }, async (page) => {
          await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
          open();
          await ready(page);
          assert.equal(await page.evaluate(() => globalThis.late.reduce((sum, { value }) => sum + value, 0)), 0, path);
        });
      }
    });
});

describe("a form in steps without script", () => {
  it("has room between its parts, and asks for a service in words", () =>
    visit(browser, site.origin + FORMS.en, { script: false }, async (page) => {
      const parts = await page
        .locator(".form-steps__step")
        .evaluateAll((all) => all.map((part) => part.getBoundingClientRect()).filter(({ height }) => height > 0));
      assert.equal(parts.length, 3);
      for (const [at, { top }] of parts.entries()) if (at > 0) assert.ok(top - parts[at - 1].bottom >= 48, `part ${at}`);
      assert.match(await page.locator("select").first().locator("option").first().textContent(), /\p{L}/u);
    }));
});

describe("the top of a page", () => {
  const paths = site.pages.map(({ path }) => path).filter((path) => !/\/(blog|style-guide)\//.test(path));

  for (const viewport of [PHONE, DESKTOP, WIDE])
    it(`has its lead 24 to 32 pixels below the headline, and no note beside that, at ${viewport.width} px`, async () => {
      const studies = paths.filter((path) => /^\/case-studies\/[^/]+\/$/.test(path));
      const others = paths.filter((path) => !path.startsWith("/case-studies/"));
      assert.ok(studies.length > 10 && others.length > 15, paths.join(" "));
      const found = [];
      for (const path of [...others, "/case-studies/", ...studies.slice(0, 4)])
        await see(
          path,
          async (page) => {
            const tops = await page.evaluate(() => {
              const title = document.querySelector("h1");
              const lead = document.querySelector(".hero__lead, .case-study__intro, .form-page__lead");
              const note = document.querySelector(".hero--page .hero__note");
              const { top, bottom } = title.getBoundingClientRect();
              const isBeside = note?.checkVisibility() && note.getBoundingClientRect().top < bottom;
              return { gap: lead && Math.round(lead.getBoundingClientRect().top - bottom), isBeside: isBeside && bottom > top };
            });
            found.push({ path, ...tops });
          },
          viewport,
        );
      const leads = found.filter(({ gap }) => gap !== null);
      assert.ok(leads.length > 15, "pages with a lead");
      assert.deepEqual(
        leads.filter(({ gap }) => gap < 24 || gap > 32),
        [],
      );
      assert.deepEqual(
        found.filter(({ isBeside }) => isBeside),
        [],
      );
    });
});

describe("the org chart", () => {
  for (const viewport of [PHONE, DESKTOP])
    it(`divides no word with text of twice the size, ${viewport.width} px`, () =>
      see(
        pathOf("org-chart"),
        async (page) => {
          await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
          assert.deepEqual(await page.evaluate(broken, ".org-chart :is(h3, p, li)"), []);
        },
        viewport,
      ));
});

describe("code", () => {
  it("is read from left to right on pages that are not", () =>
    see("/blog/requests-limits-and-the-slow-pod/", async (page) => {
      await page.evaluate(() => {
        document.documentElement.dir = "rtl";
      });
      const directions = await page
        .locator("main :is(pre, code)")
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
      assert.ok(directions.length > 0);
      assert.deepEqual([...new Set(directions)], ["ltr"]);
    }));
});
