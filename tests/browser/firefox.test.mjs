// The lead form and the blog in Firefox: Chromium's tests have the details, these show that nothing depends on it.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { all, FORMS, startForms, words } from "./lead-form.mjs";
import { content, locales, openFirefox, PHONE, settings, TIMEOUT } from "./site.mjs";

const site = await startForms();
const browser = await openFirefox();
after(() => Promise.all([browser.close(), site.stop()]));

/** Firefox fetches the next page of a list ahead, which the policy of the site does not allow. Nothing waits for it. */
const AHEAD = /Content-Security-Policy: .*\/page\/\d+\/ /;

/**
 * Opens a page in a tab of its own.
 * @param {string} path @param {(page: import("puppeteer-core").Page) => Promise<any>} look
 */
const open = async (path, look, viewport = { width: 1280, height: 800 }) => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  const complaints = [];
  page.on("pageerror", (error) => {
    if (!AHEAD.test(String(error))) complaints.push(String(error));
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !AHEAD.test(message.text())) complaints.push(message.text());
  });
  try {
    await page.setViewport(viewport);
    await page.goto(site.origin + path);
    await look(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
};

const hydrated = (page) => page.waitForSelector(".form-steps[data-steps=shown], sitegen-island[hydrated]:has(.search-field)");
const focused = (page) => page.evaluate(() => document.activeElement.textContent);
/** Waits until a step is the current one. */
const arrives = (page, { title }) =>
  page.waitForFunction(
    (text) =>
      [...document.querySelectorAll(".form-steps__title, .form__done-title")].find((heading) => heading.checkVisibility())
        ?.textContent === text,
    {},
    title,
  );
/** The control of the current step with this text. */
const control = (page, text) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll(".form-steps button:not([aria-disabled=true], [hidden])")].find(
        (button) =>
          button.checkVisibility() && [button, ...button.querySelectorAll("span")].some((part) => part.textContent === wanted),
      ),
    {},
    text,
  );
const press = async (page, text) => {
  await (await control(page, text)).focus();
  await page.keyboard.press("Enter");
};
const fill = async (page, name, text) => {
  await page.focus(`[name=${name}]`);
  await page.$eval(`[name=${name}]`, (input) => /** @type {HTMLInputElement} */ (input).select());
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(text);
};
const value = (page, name) => page.$eval(`.form-steps [name=${name}]`, (input) => /** @type {any} */ (input).value);

for (const code of Object.keys(FORMS)) {
  const own = words[code];
  const { choice, service, contact, project, success } = own.form.steps;

  describe(`the form in Firefox, ${code}`, () => {
    it("is completed with the keyboard, and stored once", () =>
      open(FORMS[code], async (page) => {
        const wanted = all.find(({ hashes }) => hashes);
        await hydrated(page);
        await press(page, own.form.choices[wanted.choice].title);
        await arrives(page, service);
        assert.equal(await focused(page), service.title);
        await press(page, own.form.services[wanted.id].title);
        await press(page, own.continue_action);
        await arrives(page, contact);
        assert.equal(new URL(page.url()).hash, `#${wanted.hashes[0]}`);
        await press(page, own.continue_action);
        await page.waitForSelector(".form__summary:focus");
        await fill(page, "name", "Zoë 🌉");
        await fill(page, "email", `firefox.${code}@example.com`);
        await page.keyboard.press("Enter");
        await arrives(page, project);
        await (await page.waitForSelector(".form__widget input")).focus();
        await page.keyboard.press(" ");
        await press(page, own.submit);
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
          const go = (by) => page.evaluate((steps) => history.go(steps), by);
          await hydrated(page);
          await press(page, own.form.choices[all[0].choice].title);
          await press(page, own.form.services[all[0].id].title);
          await press(page, own.continue_action);
          await fill(page, "name", "Ana Pérez");
          await fill(page, "email", "ana@example.com");
          await press(page, own.continue_action);
          await arrives(page, project);
          // What is still loading when a page is left fails, which Firefox reports.
          await page.waitForNetworkIdle({ idleTime: 200 });
          await page.reload();
          await hydrated(page);
          for (const step of [project, contact]) {
            await arrives(page, step);
            await go(-1);
          }
          await arrives(page, service);
          await go(1);
          await arrives(page, contact);
          assert.equal(await value(page, "name"), "Ana Pérez");
          await fill(page, "email", "");
          // Goes forward, and waits until the form has gone back.
          await page.evaluate(
            () =>
              new Promise((resolve) => {
                let times = 0;
                addEventListener("popstate", () => {
                  times += 1;
                  if (times === 2) setTimeout(resolve);
                });
                history.forward();
              }),
          );
          assert.equal(await page.evaluate(() => history.state["form-lead"]), 3);
          await arrives(page, contact);
          for (const step of [service, choice]) {
            await press(page, own.back);
            await arrives(page, step);
          }
        },
        PHONE,
      ));
  });
}

describe("the blog in Firefox", () => {
  const blogs = settings.locales.map((code) => ({ path: content(`pages/blog/${code}.yaml`).path, own: locales[code].messages }));
  const cards = (page) => page.$$eval(".post-card", ({ length }) => length);
  const shows = (page, count) => page.waitForFunction((all) => document.querySelectorAll(".post-card").length === all, {}, count);

  for (const { path, own } of blogs) {
    it(`${path} searches while typing, and Back shows all posts again`, () =>
      open(path, async (page) => {
        await hydrated(page);
        const before = await cards(page);
        await page.focus(".search-field__input");
        await page.keyboard.type("python");
        await page.waitForFunction((text) => document.querySelector("h1").textContent === text, {}, own.search_results);
        await page.waitForSelector(".blog-explorer__posts[aria-busy=false]");
        assert.ok((await cards(page)) > 0);
        assert.equal(new URL(page.url()).search, "?q=python");
        await page.evaluate(() => history.back());
        await shows(page, before);
      }));
  }

  it("reads on to the end without a jump, and Back from a post finds the place again", () =>
    open(blogs[0].path, async (page) => {
      await hydrated(page);
      // Firefox has no API for layout shifts: what is in sight has to move as far as the page is scrolled.
      const jumps = await page.evaluate(async () => {
        const found = [];
        const inSight = (card) => card.getBoundingClientRect().bottom > 0;
        const rest = () => document.documentElement.scrollHeight - innerHeight - scrollY;
        while (rest() > 1) {
          const seen = [...document.querySelectorAll(".post-card")].find(inSight) ?? document.querySelector("footer");
          const [top, at] = [seen.getBoundingClientRect().top, scrollY];
          scrollBy({ top: 100, behavior: "instant" });
          await new Promise((resolve) => setTimeout(resolve, 30));
          const moved = top - seen.getBoundingClientRect().top - (scrollY - at);
          if (Math.abs(moved) > 1) found.push(`${moved} px at ${at}`);
        }
        return found;
      });
      assert.deepEqual(jumps, []);
      const total = Number(/\d+/.exec(await page.$eval(".blog-explorer__count", (count) => count.textContent))[0]);
      assert.equal(await cards(page), total);
      const top = await page.evaluate((at) => {
        document.querySelectorAll(".post-card__link")[at].scrollIntoView({ behavior: "instant", block: "center" });
        return scrollY;
      }, total - 3);
      await Promise.all([
        page.waitForSelector(".article__title"),
        page.evaluate((at) => /** @type {HTMLElement} */ (document.querySelectorAll(".post-card__link")[at]).click(), total - 3),
      ]);
      await page.evaluate(() => history.back());
      await shows(page, total);
      await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 4, {}, top);
    }));
});
