// Visits pages and runs all checks of checks.mjs: no console messages, no layout shifts, the same text without
// JavaScript, accessibility, layout at each viewport, hydration of islands, and use with the keyboard.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { readSite } from "../html/dist.mjs";
import { askEverything, mainText } from "./checks.mjs";
import { named, sample } from "./sample.mjs";
import { locales, openBrowser, SIDE_BY_SIDE, startSite, visit } from "./site.mjs";

const site = await startSite();
const chosen = await choose();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** Selects the pages to visit. HTML is only read if pages are sampled. */
async function choose() {
  const all = { pages: [...site.pages, ...site.copies], errorPages: site.errorPages };
  if (process.env.SITE_TEST_PAGES) return { pages: named(all.pages), errorPages: named(all.errorPages) };
  const files = await readSite();
  await files.remove();
  return { pages: sample(files.pages), errorPages: sample(files.errorPages) };
}

/** Visits a path without JavaScript to get its text, then with it. @param {string} path @param {number} [status] */
const ask = async (path, status) => {
  const url = site.origin + path;
  const plainText = await visit(browser, url, { script: false }, mainText);
  await visit(browser, url, {}, async (page, { response, complaints }) => {
    if (status) assert.equal(response.status(), status);
    // The browser logs responses with an error status to the console.
    const expected = status === 200 ? undefined : /status of (404|500)/;
    assert.deepEqual(await askEverything(page, { complaints, plainText, expected }), []);
  });
};

describe("a visit", { concurrency: SIDE_BY_SIDE }, () => {
  for (const { path } of chosen.pages) it(path, () => ask(path, 200));

  // Skipped if single pages are selected.
  for (const code of (process.env.SITE_TEST_PAGES ?? "all") === "all" ? Object.keys(locales) : []) {
    const path = `${site.pages.find((route) => route.key === "home" && route.locale === code).path}no-such-page/`;
    it(`${path}, which does not exist`, () => ask(path, 404));
  }

  for (const { path } of chosen.errorPages) it(`${path}, as a host serves it`, () => ask(path));
});
