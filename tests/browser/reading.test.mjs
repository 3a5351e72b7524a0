// Browser tests of long texts: an article begins in the first screen, lines are as long as those of a book, the contents are
// folded on a phone, and code can be copied.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { content, DESKTOP, locales, openBrowser, PHONE, ROOT, ready, startSite, TABLET, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** The longest and the shortest headline of each language, and a post with code. */
const posts = Object.keys(locales).flatMap((locale) => {
  const { path } = content(`pages/blog/${locale}.yaml`);
  const all = readdirSync(join(ROOT, "content/blog", locale), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => {
      const text = readFileSync(join(ROOT, "content/blog", locale, file), "utf8");
      const title = /^title: (.+)$/m.exec(text)?.[1] ?? "";
      return { path: `${path}${file.replace(/(\/index)?\.md$/, "")}/`, title, hasCode: text.includes("```"), locale };
    })
    .sort((one, other) => one.title.length - other.title.length);
  assert.ok(all.length > 2, locale);
  return [all[0], all.at(-1)];
});
const withCode = "/blog/requests-limits-and-the-slow-pod/";

/** Runs in the page: the characters of each line of the paragraphs that have more than two, without the last line of each. */
const lines = (selector) =>
  [...document.querySelectorAll(selector)].flatMap((paragraph) => {
    const text = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    const found = [];
    let bottom = 0;
    for (let node = text.nextNode(); node; node = text.nextNode()) {
      const range = document.createRange();
      for (let at = 0; at < node.textContent.length; at += 1) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const box = range.getBoundingClientRect();
        if (box.width === 0) continue;
        if (box.top > bottom - 4) found.push(0);
        bottom = Math.max(box.bottom, bottom);
        found[found.length - 1] += 1;
      }
    }
    return found.length > 2 ? found.slice(0, -1) : [];
  });

const average = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

describe("an article", () => {
  for (const { path } of posts) {
    for (const viewport of [DESKTOP, PHONE]) {
      it(`of ${path} begins in the first screen of ${viewport.width} × ${viewport.height} pixels`, () =>
        visit(browser, site.origin + path, { viewport }, async (page) => {
          await ready(page);
          const first = await page.locator(".article__body > p").first().boundingBox();
          assert.ok(first.y < viewport.height - 48, `the text begins at ${first.y}`);
        }));
    }
  }

  it("has 66 characters a line, and so has every other long text", async () => {
    for (const [path, selector] of [
      [withCode, ".article__body > p"],
      [content("pages/privacy/en.yaml").path, ".prose__body > p"],
      [content("pages/privacy/es.yaml").path, ".prose__body > p"],
      ["/case-studies/m3health-platform/", ".case-study__text > p"],
    ]) {
      await visit(browser, site.origin + path, {}, async (page) => {
        await ready(page);
        const all = await page.evaluate(lines, selector);
        assert.ok(all.length > 5, path);
        const mean = average(all);
        assert.ok(mean > 58 && mean < 70, `${path}: ${mean} characters a line`);
        assert.ok(Math.max(...all) <= 80, `${path}: ${Math.max(...all)} characters in a line`);
      });
    }
  });

  it("folds its contents on a phone, and shows them beside the text where there is room", async () => {
    for (const viewport of [PHONE, TABLET]) {
      await visit(browser, site.origin + withCode, { viewport, script: false }, async (page) => {
        const folded = page.locator("details.article__folded");
        assert.ok(await folded.isVisible());
        assert.equal(await folded.getAttribute("open"), null);
        assert.equal(await page.locator("nav.article__contents").isVisible(), false);
        await folded.locator("summary").click();
        const link = folded.getByRole("link").first();
        await link.click();
        assert.equal(new URL(page.url()).hash.length > 1, true);
      });
    }
    await visit(browser, site.origin + withCode, {}, async (page) => {
      assert.ok(await page.locator("nav.article__contents").isVisible());
      assert.equal(await page.locator("details.article__folded").isVisible(), false);
    });
  });

  it("marks the part that is being read in its contents with a bar, and moves no word for it", () =>
    visit(browser, site.origin + withCode, {}, async (page) => {
      await ready(page);
      /** Runs in the page: the link that is marked, whether it has a bar, and where the words of all links begin. */
      const look = () => {
        const links = [...document.querySelectorAll(".article__contents a")];
        const current = links.filter((link) => link.matches(":target-current"));
        const starts = links.map((link) => {
          const range = document.createRange();
          range.selectNodeContents(link);
          return Math.round(range.getBoundingClientRect().left);
        });
        const bars = current.map((link) => Number.parseFloat(getComputedStyle(link).borderInlineStartWidth));
        return { marked: current.map((link) => link.getAttribute("href")), bars, starts: [...new Set(starts)] };
      };
      const { starts } = await page.evaluate(look);
      const hrefs = await page
        .locator(".article__contents a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      assert.ok(hrefs.length > 2, hrefs.join(" "));
      for (const href of hrefs) {
        await page.evaluate((id) => {
          const { top } = document.getElementById(decodeURIComponent(id)).getBoundingClientRect();
          window.scrollBy({ top: top - 100, behavior: "instant" });
        }, href.slice(1));
        await page.waitForFunction((href) => document.querySelector(`.article__contents a[href="${href}"]:target-current`), href);
        assert.deepEqual(await page.evaluate(look), { marked: [href], bars: [6], starts });
      }
      assert.equal(starts.length, 1);
    }));

  it("lets visitors copy its code, and stops the Tab key only at what scrolls", () =>
    visit(
      browser,
      site.origin + withCode,
      { prepare: (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]) },
      async (page, { complaints }) => {
        await page.locator(".code").first().waitFor();
        await ready(page);
        const blocks = await page.locator(".article__body pre").all();
        assert.equal(await page.locator(".code__copy").count(), blocks.length);
        for (const block of blocks) {
          const scrolls = await block.evaluate((element) => element.scrollWidth > element.clientWidth);
          assert.equal((await block.getAttribute("tabindex")) === "0", scrolls, await block.textContent());
        }
        const { messages } = locales.en;
        const copy = page.getByRole("button", { name: messages.copy_code }).first();
        await copy.focus();
        await page.keyboard.press("Enter");
        const code = await blocks[0].textContent();
        await page
          .getByRole("status")
          .filter({ hasText: messages.copied.replace("{text}", "").trim() })
          .waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
        assert.deepEqual(complaints, []);
        await page.setViewportSize(PHONE);
        // A button never covers code: it is above several lines, and beside a single one, where the block that scrolls has ended.
        const measured = await page.locator(".code").evaluateAll((frames) =>
          frames.map((frame) => {
            const [block, text, button] = ["pre", "code", ".code__copy"].map((selector) => frame.querySelector(selector));
            const { left, height } = block.getBoundingClientRect();
            const [code, copy] = [text.getBoundingClientRect(), button.getBoundingClientRect()];
            return {
              lines: text.textContent.trim().split("\n").length,
              height,
              isAbove: copy.bottom <= code.top,
              isBeside: left + block.clientLeft + block.clientWidth <= copy.left,
            };
          }),
        );
        const single = measured.filter(({ lines }) => lines === 1);
        assert.ok(single.length > 0 && single.length < measured.length, "blocks of both kinds");
        for (const { lines, height, isAbove, isBeside } of measured) {
          assert.ok(lines === 1 ? isBeside : isAbove, `a button covers a block of ${lines}`);
          if (lines === 1) assert.ok(height >= 56 && height <= 64, `one line is ${height} high`);
        }
        await page.waitForFunction(() => document.querySelector(".article__body pre[tabindex]") !== null);
      },
    ));
});

describe("the page of an author", () => {
  it("begins with the person, and the articles follow in the first screen", () =>
    visit(browser, `${site.origin}/blog/author/lucia-ortega/`, {}, async (page) => {
      await ready(page);
      const box = (selector) => page.locator(selector).first().boundingBox();
      const [portrait, name, bio, articles] = await Promise.all(
        [".person__portrait", "h1", ".person__description", ".person__posts"].map(box),
      );
      assert.ok(portrait.x < name.x && portrait.y < name.y + name.height, "beside the name");
      assert.ok(bio.y > name.y + name.height && bio.x === name.x, "and the text hangs from the name");
      assert.ok(articles.y < DESKTOP.height - 100, `articles begin at ${articles.y}`);
      const size = await page.locator(".person__description").evaluate((element) => getComputedStyle(element).fontSize);
      assert.ok(Number.parseFloat(size) >= 20, size);
    }));
});
