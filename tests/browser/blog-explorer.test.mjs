// Browser tests of the blog's search: with the API of `sitegen serve`, and with mocked APIs that fail, are slow, or
// send invalid responses.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { takeRenders, watchRenders } from "./renders.mjs";
import { locales, openBrowser, PHONE, ROOT, serve, sitegen, startSite, stopTime, temporaryFolder, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const LISTS = { en: "/blog/", es: "/es/blog/" };
const API = "**/api/posts?**";

const titles = (page) => page.locator(".post-card__title").allTextContents();
const hydrated = (page) => page.locator("sitegen-island[name=blog-explorer][hydrated]").waitFor({ state: "attached" });
const field = (page, words) => page.getByRole("textbox", { name: words.search_articles_label });
const filled = (message, values) => message.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
/** Waits until no request is pending. */
const settled = (page) => page.locator(".blog-explorer__posts[aria-busy=false]").waitFor();

/**
 * Opens a list and waits until it is hydrated. `answer` mocks the API.
 * @param {string} path @param {(page: any, seen: any) => Promise<any>} look
 * @param {{ answer?: (route: any) => any, prepare?: (page: any) => any, viewport?: { width: number, height: number } }} options
 */
const open = (path, look, { answer, ...options } = {}) =>
  visit(
    browser,
    site.origin + path,
    answer ? { ...options, prepare: (page) => Promise.all([page.route(API, answer), watchRenders(page)]) } : options,
    async (page, rest) => {
      await hydrated(page);
      await look(page, rest);
    },
  );

const json = (value, status = 200) => ({ status, contentType: "application/json", body: JSON.stringify(value) });
const made = (count, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    id: `made-${from + at}`,
    title: `Made ${from + at}`,
    slug: `made-${from + at}`,
    date: "2025-01-02T03:04:05",
  }));
const pagination = (total, current_page) => ({ total, total_pages: Math.ceil(total / 10), current_page, per_page: 10 });

for (const [code, path] of Object.entries(LISTS)) {
  const words = locales[code].messages;

  describe(`the blog's search, ${code}`, { concurrency: 2 }, () => {
    it("searches while typing, ignoring accents, and keeps the query in the URL", () => {
      const look = async (page, { complaints }) => {
        const [plain, accented] = code === "es" ? ["migracion", "migración"] : ["slow", "SLÓW"];
        const asked = [];
        page.on("request", (request) => {
          if (request.url().includes("/api/posts?")) asked.push(new URL(request.url()).searchParams.get("search"));
        });
        await stopTime(page);
        await field(page, words).pressSequentially(plain);
        await page.clock.runFor(499);
        assert.equal(new URL(page.url()).search, "", "nothing is asked for while keys are pressed");
        await Promise.all([page.waitForResponse(API), page.clock.runFor(1)]);
        assert.deepEqual(asked, [plain]);
        await page.clock.resume();
        await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
        await settled(page);
        const found = await titles(page);
        assert.ok(found.length > 0, "something is found");
        assert.equal(new URL(page.url()).searchParams.get("q"), plain);
        const [one, many] = [words.article_found, words.articles_found];
        const count = await page.locator(".blog-explorer__count").textContent();
        assert.ok(
          [one, many].some((message) => count === filled(message, { count: /^\d+/.exec(count)[0], query: plain })),
          count,
        );
        await Promise.all([page.waitForResponse(API), field(page, words).fill(accented)]);
        await settled(page);
        assert.deepEqual((await titles(page)).sort(), found.sort());
        assert.deepEqual(complaints, []);
      };
      return open(path, look, { prepare: (page) => page.clock.install() });
    });

    it("shows a message if nothing is found, and all posts after the search is cleared", () =>
      open(path, async (page) => {
        const before = await titles(page);
        await field(page, words).fill("zzzqqqxxx");
        await page.getByRole("heading", { name: words.no_articles_title }).waitFor();
        await page.getByText(words.no_articles_for_query).waitFor();
        assert.ok(await page.locator(".blog-explorer__nothing > .art-missing").isVisible());
        await page.getByRole("button", { name: words.clear_search }).click();
        await page.locator(".post-card").first().waitFor();
        await settled(page);
        assert.deepEqual((await titles(page)).slice(0, before.length), before);
        assert.equal(new URL(page.url()).search, "");
        assert.equal(await page.evaluate(() => document.activeElement.tagName), "INPUT");
      }));

    it("loads the next page once, on scroll", () =>
      open(path, async (page) => {
        const before = (await titles(page)).length;
        await page.getByRole("button", { name: words.load_more_articles }).scrollIntoViewIfNeeded();
        await page.waitForFunction((count) => document.querySelectorAll(".post-card").length > count, before);
        const all = await titles(page);
        assert.equal(new Set(all).size, all.length, "no post stands there twice");
      }));

    it("shows an error message if the search fails", async () => {
      for (const answer of [
        (route) => route.fulfill(json({ code: "unavailable", message: "no" }, 500)),
        (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
        (route) => route.fulfill(json([])),
        (route) => route.fulfill({ status: 200, contentType: "application/json", body: '{"posts": [' }),
        (route) => route.abort(),
      ]) {
        await open(
          path,
          async (page) => {
            await field(page, words).fill("queue");
            await page.getByRole("alert").getByText(words.cannot_search_articles).waitFor();
            assert.equal(await page.getByRole("heading", { name: words.something_went_wrong }).count(), 1);
            assert.ok(await page.locator(".art-missing--loose").isVisible());
            assert.deepEqual(await titles(page), []);
            await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: words.try_again }).click()]);
          },
          { answer },
        );
      }
    });

    it("keeps the list if the next page fails, and stops loading", () =>
      open(
        path,
        async (page) => {
          const before = await titles(page);
          await page.getByRole("button", { name: words.load_more_articles }).scrollIntoViewIfNeeded();
          await page.getByRole("alert").getByText(words.cannot_load_articles).waitFor();
          assert.deepEqual(await titles(page), before);
          assert.equal(await page.getByRole("button", { name: words.load_more_articles }).count(), 0);
        },
        { answer: (route) => route.fulfill({ status: 503, body: "" }) },
      ));
  });
}

describe("the blog's search", { concurrency: 2 }, () => {
  const words = locales.en.messages;

  it("shows only the response to the latest search", async () => {
    let release;
    const late = new Promise((resolve) => (release = resolve));
    let came;
    const isOver = new Promise((resolve) => (came = resolve));
    const answer = async (route) => {
      const query = new URL(route.request().url()).searchParams.get("search");
      if (query === "first") await late;
      // The page has aborted the first request, so this may fail.
      await route
        .fulfill(json({ posts: [{ ...made(1)[0], title: `About ${query}` }], pagination: pagination(1, 1) }))
        .catch(() => {});
      if (query === "first") came();
    };
    await open(
      "/blog/",
      async (page) => {
        const before = await takeRenders(page);
        assert.equal(before["post-card"], await page.locator(".post-card").count(), "hydration renders each post");
        await field(page, words).fill("first");
        await page.waitForRequest(API);
        const typed = await takeRenders(page);
        assert.deepEqual([typed["blog-explorer"] > 0, typed["post-card"]], [true, undefined], "typing renders no post");
        await field(page, words).fill("second");
        await page.getByRole("heading", { name: "About second" }).waitFor();
        release();
        await isOver;
        assert.deepEqual(await titles(page), ["About second"]);
      },
      { answer },
    );
  });

  it("asks for the next page when a tenth of the end of the posts is in sight, and not before", async () => {
    const asked = [];
    const answer = (route) => {
      const page = Number(new URL(route.request().url()).searchParams.get("page"));
      asked.push(page);
      return route.fulfill(json({ posts: made(10, page * 10), pagination: pagination(100, page) }));
    };
    await open(
      LISTS.en,
      async (page) => {
        await field(page, words).fill("made");
        await page.getByText("Made 19", { exact: true }).waitFor();
        await settled(page);
        assert.deepEqual(asked, [1], "a search is one request");
        /** Scrolls until a distance from the bottom of the viewport to the end of the posts is left, in CSS pixels. */
        const leave = (distance) =>
          page.evaluate(
            (left) =>
              new Promise((done) => {
                const { bottom } = [...document.querySelectorAll(".post-card")].at(-1).getBoundingClientRect();
                scrollBy({ top: bottom - innerHeight - left, behavior: "instant" });
                // The observer has looked after two frames.
                requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
              }),
            distance,
          );
        await leave(40);
        assert.deepEqual(asked, [1], "the end of the posts is below the viewport");
        await leave(-200);
        await page.getByText("Made 29", { exact: true }).waitFor();
        assert.deepEqual(asked.slice(0, 2), [1, 2]);
      },
      { answer },
    );
  });

  it("navigates back and forward between the list and a search", () =>
    open("/blog/", async (page) => {
      const before = await titles(page);
      await field(page, words).fill("python");
      await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
      await settled(page);
      const found = await titles(page);
      await page.goBack();
      await page.waitForFunction((name) => document.querySelector("h1").textContent !== name, words.search_results);
      await settled(page);
      assert.equal(await field(page, words).inputValue(), "");
      assert.deepEqual((await titles(page)).slice(0, before.length), before);
      await page.goForward();
      await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
      await settled(page);
      assert.deepEqual(await titles(page), found);
      assert.equal(await field(page, words).inputValue(), "python");
    }));

  it("starts with the query in the URL", () =>
    open("/blog/?q=python", async (page) => {
      await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
      await settled(page);
      assert.equal(await field(page, words).inputValue(), "python");
      assert.ok((await titles(page)).length > 0);
    }));

  it("searches only posts of the tag on a tag page", async () => {
    let asked;
    await open(
      "/blog/tag/python/",
      async (page) => {
        await field(page, words).fill("queue");
        await page.getByText("Made 0").waitFor();
        assert.deepEqual(
          [asked.get("tag"), asked.get("lang"), asked.get("page"), asked.get("per_page")],
          ["python", null, "1", "10"],
        );
      },
      {
        answer: (route) => {
          asked = new URL(route.request().url()).searchParams;
          return route.fulfill(json({ posts: made(1), pagination: pagination(1, 1) }));
        },
      },
    );
  });

  // The list also loads pages by itself when its end comes near, as it does when the button gets the focus. Therefore
  // each page of the answer has its posts, and the focus may be on the first post of any page after the first.
  it("moves focus to the first post that the button has loaded", () =>
    open(
      "/blog/",
      async (page) => {
        const button = page.getByRole("button", { name: words.load_more_articles });
        await button.focus();
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => /^Made \d+0$/.test(document.activeElement.textContent));
      },
      {
        viewport: { width: 1440, height: 400 },
        answer: (route) => {
          const asked = Number(new URL(route.request().url()).searchParams.get("page"));
          return route.fulfill(json({ posts: made(10, (asked - 1) * 10), pagination: pagination(2000, asked) }));
        },
      },
    ));

  it("announces what was found, politely", () =>
    open("/blog/", async (page) => {
      await field(page, words).fill("python");
      await page.waitForFunction((text) => document.querySelector("[role=status]").textContent.includes(text), '"python"');
    }));

  it("handles unusual queries", () =>
    open("/blog/", async (page, { complaints }) => {
      for (const odd of ["<script>alert(1)</script>", "%", "' OR 1=1 --", "😀", "مرحبا", "(a+)+$", "e\u0301".repeat(50)]) {
        const answered = page.waitForResponse(API);
        await field(page, words).fill(odd);
        assert.ok((await answered).status() < 500, odd);
        await settled(page);
      }
      assert.deepEqual(
        complaints.filter((complaint) => !complaint.includes("400")),
        [],
      );
    }));

  it("shows posts that lack every field, and an error after a time limit", async () => {
    const answers = [json({ posts: [{}, null, 5, []] }), null];
    await visit(
      browser,
      `${site.origin}/blog/`,
      {
        viewport: { width: 320, height: 640 },
        prepare: async (page) => {
          await page.clock.install();
          await page.route(API, (route) => {
            const answer = answers.shift();
            return answer && route.fulfill(answer);
          });
        },
      },
      async (page, { complaints }) => {
        await hydrated(page);
        await field(page, words).fill("nothing");
        await page.locator(".blog-explorer__count", { hasText: "4" }).waitFor();
        assert.deepEqual(await titles(page), Array(4).fill(words.untitled_post));
        assert.equal(await page.locator(".post-card .blog-explorer__rings").count(), 4, "each has a drawn picture");
        assert.deepEqual(await page.locator(".post-card__facts span").last().textContent(), words.recent);
        assert.deepEqual(complaints, []);
        await Promise.all([page.waitForRequest(API), field(page, words).fill("x".repeat(10_000))]);
        // The time limit of a request.
        await page.clock.fastForward(30_000);
        await page.getByRole("alert").getByText(words.cannot_search_articles).waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      },
    );
  });

  it("fits on a phone", () =>
    open(
      "/blog/",
      async (page) => {
        await field(page, words).fill("python");
        await page.getByRole("heading", { level: 1, name: words.search_results }).waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      },
      { viewport: PHONE },
    ));
});

describe("the page for an address that does not exist", { concurrency: 2 }, () => {
  for (const [code, path] of Object.entries(LISTS)) {
    for (const missing of [`${path.replace("blog/", "")}no-such-page/`, `${path}no-such-post/`]) {
      it(`${missing} searches the blog, with the keyboard alone`, () =>
        visit(browser, site.origin + missing, {}, async (page) => {
          await field(page, locales[code].messages).focus();
          await page.keyboard.type("python");
          await page.keyboard.press("Enter");
          await page.waitForURL(`${site.origin}${path}?q=python`);
          await page.getByRole("heading", { level: 1, name: locales[code].messages.search_results }).waitFor();
          await settled(page);
          assert.ok((await titles(page)).length > 0);
        }));
    }
  }

  it("offers no search without JavaScript, which could not answer it", () =>
    visit(browser, `${site.origin}/no-such-page/`, { script: false }, async (page) => {
      assert.equal(await page.locator(".post-search").isVisible(), false);
      assert.ok((await page.locator("main a:visible").count()) >= 5, "the links stay");
    }));
});

describe("the blog's search in placeholder mode", () => {
  it("shows placeholders in place of results and of the next page", async () => {
    const folder = await temporaryFolder();
    const out = `${folder.path}/dist`;
    const placeholder = ["--root", ROOT, "--out", out, "--set", "blog.on_failure=placeholder"];
    assert.equal((await sitegen("build", ...placeholder)).code, 0);
    const server = await serve("--no-watch", ...placeholder);
    const words = locales.es.messages;
    try {
      await visit(
        browser,
        `${server.origin}/es/blog/`,
        { prepare: (page) => page.route(API, (route) => route.abort()) },
        async (page) => {
          await hydrated(page);
          const before = (await titles(page)).length;
          await page.getByRole("button", { name: words.load_more_articles }).scrollIntoViewIfNeeded();
          await page.getByText(words.placeholder_article).first().waitFor();
          assert.equal((await titles(page)).length, before + 3);
          await field(page, words).fill("arcos");
          await page.getByText(filled(words.placeholder_result, { query: "arcos" })).waitFor();
          assert.equal((await titles(page)).length, 1);
          assert.equal(await page.getByRole("alert").count(), 0);
        },
      );
    } finally {
      await server.stop();
      await folder.remove();
    }
  });
});
