// Browser tests of a site that is mounted below a path (`--base-url https://example.com/docs`): pages of each kind,
// the islands, the API and the error page. No request may leave the path, and none may fail.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { all, arrives, button, choose, contact, FORMS, words as formWords, hydrated, solve, storedIn } from "./lead-form.mjs";
import {
  DESKTOP,
  locales,
  openBrowser,
  PHONE,
  ROOT,
  readPlan,
  serve,
  settings,
  sitegen,
  temporaryFolder,
  visit,
} from "./site.mjs";

const BASE = "/docs";

const folder = await temporaryFolder();
const out = `${folder.path}/dist`;
const leads = `${folder.path}/leads.sqlite3`;
const browser = await openBrowser();
const words = locales.en.messages;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Awaited<ReturnType<typeof readPlan>>} */
let plan;

before(async () => {
  process.env.LEADS_STORE = leads;
  const where = [
    "--root",
    ROOT,
    "--out",
    out,
    "--base-url",
    `https://site.example${BASE}`,
    "--set",
    "budgets.html=67",
    "--set",
    "indexed=true",
  ];
  const built = await sitegen("build", ...where);
  assert.equal(built.code, 0, built.stderr);
  [server, plan] = await Promise.all([serve("--no-watch", "--leads-from-environment", ...where), readPlan()]);
});
after(async () => {
  await Promise.all([browser.close(), server.stop()]);
  await folder.remove();
});

/** Opens a path of the site, and checks every request, link and console message. */
const open = (path, look, viewport = DESKTOP) => {
  /** @type {string[]} */
  const outside = [];
  const prepare = (page) =>
    page.on("request", (request) => {
      const { protocol, pathname } = new URL(request.url());
      // The browser requests this icon automatically.
      const isOwn = pathname.startsWith(`${BASE}/`) || pathname === "/favicon.ico";
      if (protocol.startsWith("http") && !isOwn) outside.push(request.url());
    });
  return visit(browser, server.origin + BASE + path, { viewport, prepare }, async (page, { response, complaints }) => {
    await look(page, response);
    const links = await page.$$eval("a[href]", (found) => found.map((link) => /** @type {any} */ (link).href));
    const own = links.filter((link) => link.startsWith(server.origin));
    const astray = own.filter((link) => !new URL(link).pathname.startsWith(`${BASE}/`));
    const expected = response.status() === 404 ? /status of 404/ : /^$/;
    assert.deepEqual([outside, astray, complaints.filter((text) => !expected.test(text))], [[], [], []]);
  });
};

const path = (key, locale = "en") => plan.pages.find((page) => page.key === key && page.locale === locale).path;
const island = (page, name) => page.locator(`sitegen-island[name=${name}][hydrated]`).first().waitFor({ state: "attached" });
const at = (page) => new URL(page.url()).pathname;

describe("a site below a path", { concurrency: 2 }, () => {
  it("has a home page whose links and menu stay below the path", () =>
    open("/", async (page, response) => {
      assert.equal(response.status(), 200);
      const canonical = await page.locator("link[rel=canonical]").getAttribute("href");
      assert.equal(canonical, `https://site.example${BASE}/`);
      const [first] = settings.header.menu;
      const link = page.getByRole("navigation").getByRole("link", { name: first.label.en, exact: true }).first();
      // A click would cancel the requests of the island that it hydrates.
      const next = await page.goto(new URL(await link.getAttribute("href"), page.url()).href);
      assert.equal(next.status(), 200);
    }));

  it("has the menu of phones", () =>
    open(
      "/",
      async (page) => {
        const menu = page.getByRole("button", { name: new RegExp(`^${words.menu}$`, "i") });
        await menu.click();
        await page.locator(`[id="${await menu.getAttribute("popovertarget")}"]`).waitFor({ state: "visible" });
      },
      PHONE,
    ));

  it("is fetched ahead below the path only", () =>
    open("/", async (page) => {
      const matches = await page.evaluate(async (base) => {
        const rules = `${location.origin}${base}/speculation-rules.json`;
        const [{ where }] = (await (await fetch(rules)).json()).prefetch;
        const [all, { not }] = where.and;
        const test = (pattern, path) => new URLPattern(pattern, rules).test(location.origin + path);
        return ["/about/?a=1", "/_assets/x.css"]
          .flatMap((path) => [base + path, path])
          .map((path) => test(all.href_matches, path) && !test(not.href_matches, path));
      }, BASE);
      assert.deepEqual(matches, [true, false, false, false]);
    }));

  it("is redirected to from the root of the host", () =>
    visit(browser, `${server.origin}/`, {}, async (page) => assert.equal(at(page), `${BASE}/`)));

  it("switches languages", () =>
    open(path("contact"), async (page) => {
      await page.locator("footer").getByRole("link", { name: locales.es.name, exact: true }).click();
      await page.waitForURL(`**${BASE}${path("contact", "es")}`);
    }));

  it("searches the blog by the API, and opens a post", () =>
    open(path("blog"), async (page) => {
      await island(page, "blog-explorer");
      const title = (await page.locator(".post-card__title").first().textContent()).trim();
      const answer = page.waitForResponse(`**${BASE}/api/posts?*`);
      await page.getByRole("textbox", { name: words.search_articles_label }).fill(title.split(" ").slice(0, 3).join(" "));
      assert.equal((await answer).status(), 200);
      await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
      await page.locator(".post-card__link").first().click();
      await page.locator("article").first().waitFor();
      assert.ok(at(page).startsWith(BASE + path("blog")));
    }));

  it("filters case studies, and opens one", () =>
    open(path("case-studies"), async (page) => {
      await island(page, "case-explorer");
      await page.locator(".case-explorer-card a").first().click();
      await page.waitForURL((url) => url.pathname !== BASE + path("case-studies"));
      assert.ok(at(page).startsWith(BASE + path("case-studies")));
    }));

  it("searches the style guide", () =>
    open(path("style-guide-search"), async (page) => {
      await island(page, "guide-search");
      await page.getByLabel(words.search_guide_label).fill("pricing");
      const link = page.locator(`main a[href^="${BASE}/style-guide/"]`, { hasText: /pricing/i }).first();
      await link.click();
      await page.waitForURL((url) => url.pathname !== BASE + path("style-guide-search"));
    }));

  for (const locale of Object.keys(FORMS)) {
    it(`takes a lead, ${locale}`, () =>
      open(FORMS[locale], async (page) => {
        const own = formWords[locale];
        await hydrated(page);
        await choose(page, own, all[0]);
        await contact(page, own, { email: `ana.${locale}@example.com` });
        await arrives(page, own.form.steps.project);
        await solve(page, own);
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
        assert.ok((await storedIn(leads)).some((lead) => lead.email === `ana.${locale}@example.com`));
      }));
  }

  it("takes a lead without JavaScript, after a mistake", () =>
    visit(browser, server.origin + BASE + FORMS.en, { script: false }, async (page) => {
      const form = page.locator("form[data-lead-form]");
      await form.locator("[name=name]").fill("Ana");
      await form.locator("button[type=submit]").click();
      assert.equal(at(page), `${BASE}/api/leads`);
      await page.locator("form[data-lead-form] [data-error]:visible").first().waitFor();
      await page.locator("form[data-lead-form] [name=email]").fill("plain@example.com");
      await page.locator("form[data-lead-form] button[type=submit]").click();
      await page.waitForURL(`**${BASE}${path("lead-thanks")}`);
    }));

  it("has the error page of each language", async () => {
    for (const [prefix, locale] of [
      ["", "en"],
      ["/es", "es"],
    ]) {
      await open(`${prefix}/nothing-here/`, async (page, response) => {
        assert.equal(response.status(), 404);
        assert.equal(await page.locator("html").getAttribute("lang"), locale);
      });
    }
  });
});
