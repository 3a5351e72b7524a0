// What a visitor waits for: the menu after a click, an answer after a key, the next step of the form.

import { content, locales, PHONE } from "../../tests/browser/site.mjs";
import { withPosts, withStudies } from "./many.mjs";
import { median, slowVisit, timeTo } from "./slowed.mjs";

/** How many studies, and how many posts, a long list has. */
const MANY = 2000;
const MANY_POSTS = 300;

/** Each interaction is measured so many times, on a page that was opened anew. */
const TIMES = 5;

/** Milliseconds between two keys of somebody who types quickly. */
const BETWEEN_KEYS = 120;

/** Runs in the page: notes how long a key takes at most until the next frame, by the browser's own measure. */
function watchKeys() {
  window["benchSlowest"] = 0;
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (name === "keydown") window["benchSlowest"] = Math.max(window["benchSlowest"], duration);
    }
  }).observe({ type: "event", durationThreshold: 16 });
}

const words = locales.en.messages;
const pathOf = (site, key) => site.pages.find((page) => page.key === key && page.locale === "en").path;
const awake = (page, name) => page.locator(`sitegen-island[name=${name}][hydrated]`).waitFor({ state: "attached" });

const INTERACTIONS = [
  {
    name: "menu of a phone: click to the open menu",
    key: "home",
    measure: async (page) => {
      const button = page.getByRole("button", { name: /^menu$/i });
      const id = await button.getAttribute("popovertarget");
      return timeTo(
        page,
        () => button.click(),
        (menu) => document.getElementById(menu).matches(":popover-open"),
        id,
      );
    },
  },
  {
    name: "search of the blog: last key to the shown answer, with the pause of 500 ms before a search",
    key: "blog",
    island: "blog-explorer",
    measure: async (page) => {
      const field = page.getByRole("textbox", { name: words.search_articles_label });
      await field.fill("slo");
      const shown = (query) => {
        const list = document.querySelector(".blog-explorer__posts");
        return (
          list?.getAttribute("aria-busy") === "false" &&
          document.querySelector(".blog-explorer__count")?.textContent.includes(query)
        );
      };
      await page.waitForFunction(shown, "slo");
      return timeTo(page, () => field.press("w"), shown, "slow");
    },
  },
  {
    name: "search of the case studies: key to the narrowed list",
    key: "case-studies",
    island: "case-explorer",
    measure: async (page) => {
      const field = page.getByRole("textbox", { name: words.search_label });
      await field.fill("larave");
      // The key after which nothing fits any more: the whole list has gone when its answer stands there.
      return timeTo(
        page,
        () => field.press("z"),
        () =>
          document.querySelector(".case-explorer__none")?.checkVisibility() &&
          document.querySelectorAll(".case-explorer-card:not([hidden])").length === 0,
      );
    },
  },
  {
    id: "studies",
    name: `search of ${MANY.toLocaleString("en")} case studies: slowest of seven keys to its frame`,
    key: "case-studies",
    island: "case-explorer",
    prepare: (path) => withStudies(MANY, path),
    measure: async (page) => {
      await page.getByRole("textbox", { name: words.search_label }).focus();
      await page.evaluate(watchKeys);
      await page.keyboard.type("laravel", { delay: BETWEEN_KEYS });
      await page.waitForFunction(() => document.querySelectorAll(".case-explorer-card:not([hidden])").length < 1000);
      return page.evaluate(() => window["benchSlowest"]);
    },
  },
  {
    id: "posts",
    name: `search of ${MANY_POSTS} posts: slowest of seven keys to its frame`,
    key: "blog",
    island: "blog-explorer",
    prepare: (path) => withPosts(MANY_POSTS, path),
    measure: async (page) => {
      if ((await page.locator(".post-card").count()) !== MANY_POSTS) throw new Error("the page does not list as many posts");
      await page.getByRole("textbox", { name: words.search_articles_label }).focus();
      await page.evaluate(watchKeys);
      await page.keyboard.type("laravel", { delay: BETWEEN_KEYS });
      return page.evaluate(() => window["benchSlowest"]);
    },
  },
  {
    name: "lead form: choice of a service to its shown services",
    key: "lead-form",
    island: "form-steps",
    measure: async (page) => {
      const cards = page.locator(".form-steps__step:not([hidden]) .form__card");
      const { reason, service } = content("forms/lead/form.yaml").fields;
      const own = content("forms/lead/en.yaml").fields;
      const [first] = reason.choices;
      const title = own.service.choices[service.choices_by.reason[first][0]];
      const card = cards.filter({ has: page.getByText(own.reason.choices[first], { exact: true }) });
      return timeTo(
        page,
        () => card.click(),
        (text) =>
          [...document.querySelectorAll(".form__card")].some((own) => own.checkVisibility() && own.textContent.includes(text)),
        title,
      );
    },
  },
];

/** `[{ id, name, median, worst }]`, in milliseconds. Those with a goal have an id. */
export async function measureInteractions(browser, site) {
  const found = [];
  for (const { id, name, key, island, prepare, measure } of INTERACTIONS) {
    const times = [];
    for (let time = 0; time < TIMES; time++) {
      const path = pathOf(site, key);
      await slowVisit(browser, site.origin + path, { viewport: PHONE, prepare: prepare?.(path) }, async (page) => {
        if (island) await awake(page, island);
        times.push(
          await measure(page).catch((error) => Promise.reject(new Error(`${name}: ${error.message}`, { cause: error }))),
        );
      });
    }
    process.stderr.write(`  ${name}\n`);
    found.push({ id, name, median: median(times), worst: Math.max(...times) });
  }
  return found;
}
