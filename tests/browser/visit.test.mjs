// Pages as visitors meet them, each in one visit that asks everything (checks.mjs): it answers, is quiet, stands still, says the
// same without script, is accessible, fits every window, wakes its islands, and can be used with the keyboard alone.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { readSite } from "../html/dist.mjs";
import { askEverything, mainText } from "./checks.mjs";
import { named, sample } from "./sample.mjs";
import { SIDE_BY_SIDE, locales, openBrowser, startSite, visit } from "./site.mjs";

const site = await startSite();
const chosen = await choose();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** The pages to visit; what they are made of is read only if that decides. */
async function choose() {
  const all = { pages: [...site.pages, ...site.copies], errorPages: site.errorPages };
  if (process.env.SITE_TEST_PAGES) return { pages: named(all.pages), errorPages: named(all.errorPages) };
  const files = await readSite();
  await files.remove();
  return { pages: sample(files.pages), errorPages: all.errorPages };
}

/** Visits an address without script for its words alone, then with it. @param {string} path @param {number} [status] */
const ask = async (path, status) => {
  const url = site.origin + path;
  const plainText = await visit(browser, url, { script: false }, mainText);
  await visit(browser, url, {}, async (page, { response, complaints }) => {
    if (status) assert.equal(response.status(), status);
    // An answer with that status is the browser's own remark.
    const expected = status === 200 ? undefined : /status of (404|500)/;
    assert.deepEqual(await askEverything(page, { complaints, plainText, expected }), []);
  });
};

describe("a visit", { concurrency: SIDE_BY_SIDE }, () => {
  for (const { path } of chosen.pages) it(path, () => ask(path, 200));

  // Not when single pages are asked for.
  for (const code of (process.env.SITE_TEST_PAGES ?? "all") === "all" ? Object.keys(locales) : []) {
    const path = `${site.pages.find((route) => route.key === "home" && route.locale === code).path}no-such-page/`;
    it(`${path}, which does not exist`, () => ask(path, 404));
  }

  for (const { path } of chosen.errorPages) it(`${path}, as a host shows it`, () => ask(path));
});
