// The lead form and the blog in Firefox: Chromium's tests have the details, these show that nothing depends on it.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { all, arrives, button, card, choose, contact, FORMS, field, hydrated, solve, startForms, words } from "./lead-form.mjs";
import { content, locales, openFirefox, PHONE, settings } from "./site.mjs";

const site = await startForms();
const browser = await openFirefox();
after(() => Promise.all([browser.close(), site.stop()]));

/** Opens a page in a tab of its own. `complaints` are errors of its scripts. */
const open = async (path, look, viewport = { width: 1280, height: 800 }) => {
  // The Firefox of Debian does not know the command that would change these.
  const media = { colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null };
  const context = await browser.newContext({ viewport, ...media });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  try {
    await page.goto(site.origin + path);
    await look(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
};
const focused = (page) => page.evaluate(() => document.activeElement.textContent);

for (const code of Object.keys(FORMS)) {
  const own = words[code];
  const { choice, service, contact: third, project, success } = own.form.steps;

  describe(`the form in Firefox, ${code}`, () => {
    it("is completed with the keyboard, and stored once", () =>
      open(FORMS[code], async (page) => {
        const press = async (control) => {
          await control.focus();
          await page.keyboard.press("Enter");
        };
        const wanted = all.find(({ hashes }) => hashes);
        await hydrated(page);
        await press(card(page, own.form.choices[wanted.choice].title));
        await arrives(page, service);
        assert.equal(await focused(page), service.title);
        await press(card(page, own.form.services[wanted.id].title));
        await press(button(page, own.continue_action));
        await arrives(page, third);
        assert.equal(new URL(page.url()).hash, `#${wanted.hashes[0]}`);
        await press(button(page, own.continue_action));
        await page.locator(".lead-form__wrong").waitFor();
        await field(page, own.name).focus();
        await page.keyboard.type("Zoë 🌉");
        await field(page, own.email).focus();
        await page.keyboard.type(`firefox.${code}@example.com`);
        await page.keyboard.press("Enter");
        await arrives(page, project);
        await solve(page, own);
        await press(button(page, own.submit));
        await arrives(page, success);
        assert.equal(await focused(page), success.title);
        const leads = (await site.stored()).filter(({ email }) => email === `firefox.${code}@example.com`);
        assert.deepEqual(
          leads.map(({ name }) => name),
          ["Zoë 🌉"],
        );
      }));

    it("goes back and forward one step at a time, also after a reload, and not past an empty contact", () =>
      open(
        FORMS[code],
        async (page) => {
          await hydrated(page);
          await choose(page, own, all[0]);
          await contact(page, own);
          await arrives(page, project);
          await page.reload();
          await hydrated(page);
          for (const step of [project, third]) {
            await arrives(page, step);
            await page.goBack();
          }
          await arrives(page, service);
          await page.goForward();
          await arrives(page, third);
          assert.equal(await field(page, own.name).inputValue(), "Ana Pérez");
          await field(page, own.email).fill("");
          await page.evaluate(() => history.forward());
          await page.waitForFunction(() => history.state.leadStep === 3);
          await arrives(page, third);
          await button(page, own.back).click();
          await arrives(page, service);
          await button(page, own.back).click();
          await arrives(page, choice);
        },
        PHONE,
      ));
  });
}

describe("the blog in Firefox", () => {
  const blogs = settings.locales.map((code) => ({ path: content(`pages/blog/${code}.yaml`).path, own: locales[code].messages }));
  const ready = (page) => page.locator("sitegen-island[name=blog-explorer][hydrated]").waitFor({ state: "attached" });

  for (const { path, own } of blogs) {
    it(`${path} searches while typing, and Back shows all posts again`, () =>
      open(path, async (page) => {
        await ready(page);
        const cards = page.locator(".post-card");
        const before = await cards.count();
        await page.getByRole("textbox", { name: own.search_articles_label }).pressSequentially("python");
        await page.getByRole("heading", { level: 1, name: own.search_results }).waitFor();
        await page.locator(".blog-explorer__posts[aria-busy=false]").waitFor();
        assert.ok((await cards.count()) > 0);
        assert.equal(new URL(page.url()).search, "?q=python");
        await page.goBack();
        await page.waitForFunction((count) => document.querySelectorAll(".post-card").length === count, before);
      }));
  }

  it("reads on to the end without a jump, and Back from a post finds the place again", () =>
    open(blogs[0].path, async (page) => {
      await ready(page);
      // Firefox has no API for layout shifts: what is in sight has to move as far as the page is scrolled.
      const jumps = await page.evaluate(async () => {
        const found = [];
        const cards = () => [...document.querySelectorAll(".post-card")];
        const rest = () => document.documentElement.scrollHeight - innerHeight - scrollY;
        while (rest() > 1) {
          const seen = cards().find((card) => card.getBoundingClientRect().bottom > 0) ?? document.querySelector("footer");
          const [top, at] = [seen.getBoundingClientRect().top, scrollY];
          scrollBy({ top: 100, behavior: "instant" });
          await new Promise((resolve) => setTimeout(resolve, 30));
          const moved = top - seen.getBoundingClientRect().top - (scrollY - at);
          if (Math.abs(moved) > 1) found.push(`${moved} px at ${at}`);
        }
        return found;
      });
      assert.deepEqual(jumps, []);
      const total = Number(/\d+/.exec(await page.locator(".blog-explorer__count").textContent())[0]);
      const cards = page.locator(".post-card");
      assert.equal(await cards.count(), total);
      const link = page.locator(".post-card__link").nth(total - 3);
      await link.scrollIntoViewIfNeeded();
      const top = await page.evaluate(() => scrollY);
      await link.click();
      await page.locator(".article__title").waitFor();
      await page.goBack();
      await page.waitForFunction((count) => document.querySelectorAll(".post-card").length === count, total);
      await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 4, top);
    }));
});
