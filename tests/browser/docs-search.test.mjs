// A newcomer's questions, typed into the search of the documentation: the page that answers one is among the first results, so
// that two clicks lead there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { openBrowser, ROOT, serve, visit } from "./site.mjs";

/**
 * What is typed, and the pages that answer it.
 * @type {[string, string[]][]}
 */
const QUESTIONS = [
  ["redirect", ["hosting", "addresses"]],
  ["redirect old url", ["hosting", "addresses", "leave-wordpress"]],
  ["PH", ["collection-fields"]],
  ["opening hours", ["collection-fields", "a-site-of-your-own"]],
  ["captcha", ["captcha"]],
  ["spam", ["captcha", "leads"]],
  ["email to visitor", ["form-answers"]],
  ["newsletter", ["form-answers", "forms"]],
  ["upload file form", ["uploads"]],
  ["form step", ["form-steps"]],
  ["add a language", ["languages", "a-site-of-your-own"]],
  ["hreflang", ["languages", "language-hosts", "editing"]],
  ["missing translation", ["translations"]],
  ["xliff", ["exchange"]],
  ["dark mode", ["dark"]],
  ["font", ["fonts"]],
  ["logo", ["style-guide", "look"]],
  ["menu", ["menus"]],
  ["scheduled post", ["blog", "dates"]],
  ["expired page", ["dates"]],
  ["draft", ["blog", "preview", "staging"]],
  ["wordpress import", ["leave-wordpress"]],
  ["analytics", ["visits"]],
  ["cookie banner", ["visits"]],
  ["youtube video", ["embeds"]],
  ["nginx", ["hosting", "proxies"]],
  ["github pages", ["hosting", "a-site-of-your-own"]],
  ["password staging", ["staging"]],
  ["delete leads person", ["lead-store", "inbox"]],
  ["slack", ["webhook-presets"]],
  ["dead link", ["problem-codes", "editing"]],
  ["exit status", ["cli"]],
  ["sitemap lastmod", ["what-changed"]],
  ["roll back", ["publishing"]],
];
/** How many results are in sight. */
const FIRST = 5;

const made = spawnSync("node", ["scripts/docs-site.mjs", "build", "--quiet"], {
  cwd: ROOT,
  encoding: "utf8",
  env: { ...process.env, DOCS_SITE: "target/searched-docs" },
});
const browser = await openBrowser();
let server;
before(async () => {
  assert.equal(made.status, 0, made.stderr);
  // Where the script has built it: without watching, `serve` shows an earlier build as it is.
  server = await serve("--no-watch", "--root", "target/searched-docs", "--out", "target/searched-docs-out");
});
after(async () => {
  await server?.stop();
  await browser.close();
});

const results = "[data-search-results] .site-search__title a";

describe("the search of the documentation", () => {
  it(`answers ${QUESTIONS.length} questions of newcomers with its first results`, async () => {
    assert.ok(QUESTIONS.length >= 30);
    await visit(browser, `${server.origin}/find/`, {}, async (page) => {
      const field = page.getByRole("textbox", { name: "Search this site" });
      const unanswered = [];
      for (const [query, pages] of QUESTIONS) {
        await page.goto(`${server.origin}/find/?q=${encodeURIComponent(query)}`);
        // Results are shown one by one. A query without any fails below, with its name.
        await page
          .waitForFunction(
            ([links, most]) => {
              const [said] = document.querySelector("[data-search-status]")?.textContent?.match(/\d+/) ?? [];
              return said !== undefined && document.querySelectorAll(links).length >= Math.min(Number(said), most);
            },
            /** @type {[string, number]} */ ([results, FIRST]),
            { timeout: 30_000 },
          )
          .catch(() => {});
        const found = await page.locator(results).evaluateAll((links) => links.map((link) => /** @type {any} */ (link).pathname));
        const first = found.slice(0, FIRST).map((path) => path.split("/").at(-2));
        if (!pages.some((name) => first.includes(name)))
          unanswered.push(`${query}: ${first.join(", ")}, not ${pages.join(" or ")}`);
      }
      assert.equal(await field.count(), 1);
      assert.deepEqual(unanswered, []);
    });
  });
});
