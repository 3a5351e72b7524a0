// The site with script switched off: every page says the same.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openBrowser, startSite, visit, withoutLikes } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/**
 * What a page says, but for what only script could answer, which is not there without it, and for two things that are
 * something else there and have tests of their own: further posts come by numbered pages instead of a button, and the
 * lead form is one form instead of steps.
 */
const mainText = (page) =>
  page.evaluate(() => {
    const answered = "main [role=search], main [data-needs-script]";
    const replaced = "main .pagination, main .blog-explorer__more, main sitegen-island[name=lead-form]";
    for (const element of document.querySelectorAll(`${answered}, ${replaced}`)) element.remove();
    return document.querySelector("main").innerText;
  });

describe("without script", { concurrency: 2 }, () => {
  for (const { path } of [...withoutLikes(site.pages), ...site.errorPages]) {
    it(`${path} says what it says with script`, async () => {
      const url = site.origin + path;
      const plain = await visit(browser, url, { script: false }, mainText);
      const scripted = await visit(browser, url, {}, mainText);
      assert.notEqual(plain.trim(), "");
      assert.equal(plain, scripted);
    });
  }
});
