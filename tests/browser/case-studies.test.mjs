// Browser tests of case studies: the list with its filters and search, with and without JavaScript, and error pages.
// The checks of all pages (axe, widths, headings) are in visit.test.mjs.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { shiftsOf, watchShifts } from "./checks.mjs";
import { takeRenders, watchRenders } from "./renders.mjs";
import { content, gate, locales, openBrowser, PHONE, ROOT, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const words = locales.en.messages;
const studies = readdirSync(join(ROOT, "content/case-studies")).map((file) => ({
  slug: file.replace(".yaml", ""),
  ...content(`case-studies/${file}`),
}));
const clients = content("clients/clients.yaml");
const LIST = "/case-studies/";

const titles = (page) => page.locator(".case-explorer-card__title:visible").allTextContents();
const count = (page) => page.locator(".case-explorer__count").textContent();
const field = (page) => page.getByRole("textbox", { name: words.search_label });
const hydrated = (page) => page.locator("sitegen-island[name=case-explorer][hydrated]").waitFor({ state: "attached" });
const found = (number) => words.case_studies_found[number === 1 ? "one" : "other"].replace("{count}", String(number));

/** Opens a URL and waits until the list is hydrated. */
const open = (path, look, options = {}) =>
  visit(browser, site.origin + path, options, async (page, rest) => {
    await hydrated(page);
    await look(page, rest);
  });

describe("the list of case studies", { concurrency: 2 }, () => {
  it("is complete without JavaScript, and hides the search", () =>
    visit(browser, site.origin + LIST, { script: false }, async (page) => {
      assert.equal(await count(page), found(studies.length));
      assert.deepEqual((await titles(page)).sort(), studies.map((study) => study.title).sort());
      assert.equal(await field(page).isVisible(), false);
      for (const [group, entries] of Object.entries({ services: 4, technologies: 6, sectors: 5 })) {
        const chips = page.locator(".case-explorer__group", { hasText: words[group] }).locator(".chip");
        assert.equal(await chips.count(), entries, group);
      }
      await page.getByRole("link", { name: /^Laravel\s*2$/ }).click();
      assert.equal(new URL(page.url()).pathname, `${LIST}tech/laravel/`);
      assert.equal(await count(page), found(2));
      assert.equal(await page.locator(".case-explorer__filter").textContent(), "Filtered by tech: Laravel");
      await page.getByRole("link", { name: words.clear_filters }).click();
      assert.equal(new URL(page.url()).pathname, LIST);
    }));

  it("has a page for each filter, with as many studies as its chip shows", () =>
    visit(browser, site.origin + LIST, { script: false }, async (page) => {
      const chips = await page
        .locator(".case-explorer .chip")
        .evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.querySelector(".chip__count").textContent]));
      assert.equal(chips.length, 15);
      for (const [href, number] of chips) {
        const response = await page.goto(site.origin + href);
        assert.equal(response.status(), 200, href);
        assert.equal((await titles(page)).length, Number(number), href);
        assert.equal(
          await page
            .locator("link[rel=canonical]")
            .getAttribute("href")
            .then((url) => new URL(url).pathname),
          href,
        );
        assert.equal(await page.locator(".chip[aria-current=page]").getAttribute("href"), href);
      }
    }));

  it("uses the singular for a single case study", () =>
    visit(browser, `${site.origin}${LIST}service/seo/`, {}, async (page) => {
      assert.equal(await count(page), found(1));
    }));

  it("shows at most two sectors per card, and links each card to its study", () =>
    visit(browser, site.origin + LIST, {}, async (page) => {
      const cards = await page.locator(".case-explorer-card").evaluateAll((cards) =>
        cards.map((card) => ({
          sectors: card.querySelectorAll(".case-explorer-card__sectors li").length,
          href: card.querySelector("a").getAttribute("href"),
        })),
      );
      for (const { sectors, href } of cards) {
        assert.ok(sectors >= 1 && sectors <= 2, href);
        assert.ok(
          studies.some(({ slug }) => href === `${LIST}${slug}/`),
          href,
        );
      }
    }));

  it("filters while typing, renders what changed only, and keeps the query in the URL", () =>
    open(
      LIST,
      async (page, { complaints }) => {
        assert.equal((await takeRenders(page))["case-explorer-card"], studies.length, "hydration renders each study");
        await field(page).pressSequentially("STEEL");
        assert.deepEqual(
          await titles(page),
          studies.filter(({ slug }) => slug.startsWith("sidoc")).map(({ title }) => title),
        );
        const renders = Object.entries(await takeRenders(page)).filter(([name]) => name.startsWith("case-explorer-card"));
        assert.deepEqual(renders, [["case-explorer-card", studies.length - 1]], "each study that went, once, and no card");
        assert.equal(new URL(page.url()).search, "?q=STEEL");
        await page.reload();
        await hydrated(page);
        await page.getByRole("heading", { name: found(1) }).waitFor();
        assert.equal(await field(page).inputValue(), "STEEL");
        assert.deepEqual(complaints, []);
      },
      { prepare: watchRenders },
    ));

  it("searches within a filter, and keeps the query in links to other filters", () =>
    open(`${LIST}sector/health/`, async (page) => {
      await field(page).fill("laravel");
      assert.equal(await count(page), found(2));
      assert.equal(new URL(page.url()).pathname, `${LIST}sector/health/`);
      await page.getByRole("link", { name: /^WordPress\s*3$/ }).click();
      await page.waitForURL(`**${LIST}tech/wordpress/?q=laravel`);
      await page.getByRole("heading", { name: found(1) }).waitFor();
    }));

  it("shows a message if nothing is found, and all studies after the search is cleared", () =>
    open(LIST, async (page) => {
      await field(page).fill("no such thing");
      assert.equal(await count(page), words.no_case_studies);
      assert.ok(await page.getByText(words.no_case_studies_hint).isVisible());
      await page.getByRole("link", { name: words.clear_all_filters }).click();
      assert.equal(await count(page), found(studies.length));
      assert.equal(new URL(page.url()).search, "");
      assert.ok(await field(page).evaluate((input) => input === document.activeElement));
    }));

  it("clears a filter and its search with one link", () =>
    open(`${LIST}service/seo/?q=zzz`, async (page) => {
      await page.getByRole("link", { name: words.clear_all_filters }).click();
      await page.waitForURL(site.origin + LIST);
      assert.equal(await count(page), found(studies.length));
    }));

  it("announces the count after a delay", () =>
    open(LIST, async (page) => {
      const status = page.locator(".case-explorer [role=status]");
      assert.equal(await status.textContent(), "");
      await field(page).fill("drupal");
      await status.filter({ hasText: found(2) }).waitFor({ state: "attached" });
    }));

  it("can be used with the keyboard alone", () =>
    open(LIST, async (page) => {
      await field(page).focus();
      await page.keyboard.type("doomsday");
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), words.clear);
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.closest(".case-explorer__rail") !== null), true);
      await page.locator(".case-explorer-card__link:visible").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${LIST}bulletin-atomic-scientists/`);
    }));

  it("keeps input from before hydration", () =>
    visit(
      browser,
      site.origin + LIST,
      {
        prepare: (page) =>
          page.route(/\/case-explorer-\w+\.js$/, async (route) => {
            await field(page).fill("cosecha");
            await route.continue();
          }),
      },
      async (page) => {
        await hydrated(page);
        await page.getByRole("heading", { name: found(1) }).waitFor();
        assert.equal(await field(page).inputValue(), "cosecha");
      },
    ));

  it("causes no layout shift during hydration", () => {
    const script = gate();
    const prepare = (page) =>
      page.route(/\/hydrate-island-\w+\.js$/, async (route) => {
        await script.opened;
        await route.continue();
      });
    return visit(browser, site.origin + LIST, { viewport: PHONE, prepare }, async (page) => {
      await watchShifts(page);
      script.open();
      await hydrated(page);
      const { sum, moved } = await shiftsOf(page);
      assert.ok(sum < 0.001, `moved by ${sum}: ${moved}`);
    });
  });
});

describe("a card", { concurrency: 2 }, () => {
  /**
   * Runs in each page: notes, as the visitor leaves it, which elements have a name of their own. The names are compared
   * instead of the animation, because the browser skips the animation if the next page takes longer than four seconds.
   */
  const watchNames = () => {
    window["named"] = () =>
      [...document.querySelectorAll("main *")]
        .map((element) => getComputedStyle(element)["viewTransitionName"])
        .filter((name) => name?.startsWith("opened-"))
        .sort();
    addEventListener("pageswap", () => sessionStorage.setItem("left", JSON.stringify(window["named"]())));
    addEventListener("pagereveal", (event) => {
      window["transition"] = /** @type {any} */ (event).viewTransition;
    });
  };
  /**
   * The names in the page that the visitor left, and in the page that is open, which may be a moment late: the preference
   * for motion is set again in each page.
   */
  const names = async (page) => {
    await page.waitForFunction(() => window["named"]().length > 0);
    return page.evaluate(() => [JSON.parse(sessionStorage.getItem("left") ?? "null"), window["named"]()]);
  };

  it("moves its title and picture into the page that it opens", () =>
    open(
      LIST,
      async (page) => {
        await page.emulateMedia({ reducedMotion: "no-preference" });
        const both = ["opened-picture", "opened-title"];
        await page.locator(".case-explorer-card__link").first().click();
        await page.locator(".case-study__title").waitFor();
        assert.deepEqual(await names(page), [both, both]);
        // Another card of that page takes the names from its header, and has no picture.
        const address = page.url();
        await page.locator(".case-study-related__link").first().click();
        await page.waitForURL((url) => url.href !== address);
        await page.locator(".case-study__title").waitFor();
        assert.deepEqual(await names(page), [["opened-title"], both]);
      },
      { prepare: (page) => page.addInitScript(watchNames) },
    ));

  it("opens at once for visitors who prefer reduced motion", () =>
    open(
      LIST,
      async (page) => {
        await page.locator(".case-explorer-card__link").first().click();
        await page.locator(".case-study__title").waitFor();
        await page.waitForFunction(() => "transition" in window);
        assert.equal(await page.evaluate(() => window["transition"]), null);
      },
      { prepare: (page) => page.addInitScript(watchNames) },
    ));
});

describe("a case study", { concurrency: 2 }, () => {
  for (const study of studies) {
    it(`${study.slug} shows all fields of its file`, () =>
      visit(browser, `${site.origin}${LIST}${study.slug}/`, { script: false }, async (page) => {
        assert.equal(await page.locator("h1").textContent(), study.title);
        const metrics = study.featured_metrics;
        const values = [metrics.primary, metrics.secondary, study.duration, study.team_size].map(String);
        assert.deepEqual(await page.locator(".case-study-ledger__value").allTextContents(), values);
        const headings = await page.locator("main h2").allTextContents();
        const names = [
          "the_challenge",
          "services_provided",
          "technologies_used",
          "industry_sectors",
          "key_results",
          "our_solution",
          "related_case_studies",
        ];
        for (const name of names) {
          assert.ok(headings.includes(words[name]), name);
        }
        assert.deepEqual(
          await page.locator(".case-study__outcome-name").allTextContents(),
          study.results.map(({ name }) => name),
        );
        assert.equal(await page.locator(".case-study-related__item").count(), 3);
        assert.deepEqual(
          await page.locator(".breadcrumb__step").evaluateAll((steps) => steps.map((step) => step.textContent.trim())),
          [words.home, "Case Studies", clients[study.client]?.name ?? study.client],
        );
        const chips = await page
          .locator(".case-study__chips a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
        const wanted = [
          ...study.services.map((id) => `${LIST}service/${id}/`),
          ...study.technologies.map((id) => `${LIST}tech/${id}/`),
          ...study.sectors.map((id) => `${LIST}sector/${id}/`),
        ];
        assert.deepEqual(chips, wanted);
        const project = page.getByRole("link", { name: words.view_project });
        assert.equal(await project.count(), study.work ? 1 : 0);
        if (study.work) {
          assert.equal(await project.getAttribute("href"), study.work);
          assert.match(await project.getAttribute("rel"), /noopener/);
        }
      }));
  }

  it("shows its picture in a modern format", () =>
    visit(browser, `${site.origin}${LIST}${studies[0].slug}/`, {}, async (page) => {
      const source = await page.locator(".case-study__picture img").evaluate(async (/** @type {HTMLImageElement} */ image) => {
        await image.decode();
        return image.currentSrc;
      });
      assert.match(source, /\.avif$/);
    }));
});

describe("a missing case study", { concurrency: 2 }, () => {
  for (const [path, heading, button] of [
    [`${LIST}no-such-study/`, "Case Study Not Found", "View All Case Studies"],
    [`${LIST}no-such-filter/python/`, "Case Study Not Found", "View All Case Studies"],
    [`${LIST}tech/no-such-tool/`, words.no_case_studies, words.clear_all_filters],
    [`${LIST}service/no-such-service/`, words.no_case_studies, words.clear_all_filters],
    [`${LIST}sector/no-such-sector/`, words.no_case_studies, words.clear_all_filters],
  ]) {
    it(`${path} is an error page with status 404`, () =>
      visit(browser, site.origin + path, {}, async (page, { response }) => {
        assert.equal(response.status(), 404);
        assert.equal(await page.locator("h1").textContent(), heading);
        await page.locator("main").getByRole("link", { name: button }).click();
        await page.waitForURL(site.origin + LIST);
      }));
  }
});
