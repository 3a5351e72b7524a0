// The site with script switched off: every page says the same.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openBrowser, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** What a page says, but for what only script could answer: without script it is not there. */
const mainText = (page) =>
  page.evaluate(() => {
    for (const search of document.querySelectorAll("main [role=search], main [data-needs-script]")) search.remove();
    return document.querySelector("main").innerText;
  });

describe("without script", { concurrency: 2 }, () => {
  for (const { path } of [...site.pages, ...site.errorPages]) {
    it(`${path} says what it says with script`, async () => {
      const url = site.origin + path;
      const plain = await visit(browser, url, { script: false }, mainText);
      const scripted = await visit(browser, url, {}, mainText);
      assert.notEqual(plain.trim(), "");
      assert.equal(plain, scripted);
    });
  }
});
