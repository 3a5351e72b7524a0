// Browser tests of the blog in every language, with and without JavaScript: lists, tags, authors, posts and error
// pages. The checks of all pages (axe, widths, headings) are in visit.test.mjs.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import { content, locales, openBrowser, PHONE, ROOT, ready, startSite, visit, words } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
const plain = await plainHost(site.folder);
after(() => Promise.all([browser.close(), site.stop(), plain.stop()]));

const PER_PAGE = 10;

/** The blog of each language, read from its files. Posts are sorted from newest to oldest. */
const blogs = Object.entries(locales).map(([locale, { messages, months, date }]) => {
  const posts = readdirSync(join(ROOT, "content/blog", locale)).map((file) => {
    const slug = file.replace(/\.md$/, "");
    const path = join(ROOT, "content/blog", locale, file.endsWith(".md") ? file : join(file, "index.md"));
    return { slug, ...parse(readFileSync(path, "utf8").split(/^---$/m)[1]) };
  });
  posts.sort((a, b) => String(b.date).localeCompare(String(a.date)) || a.slug.localeCompare(b.slug));
  const longDate = (day) => {
    const [year, month, ofMonth] = String(day).slice(0, 10).split("-").map(Number);
    return date
      .replace("{month}", months[month - 1])
      .replace("{day}", String(ofMonth))
      .replace("{year}", String(year));
  };
  return {
    locale,
    base: content(`pages/blog/${locale}.yaml`).path,
    section: words(`pages/blog/${locale}.yaml`, "articles"),
    messages,
    posts,
    longDate,
  };
});

const tagSlug = (name) => encodeURIComponent(name.toLowerCase().replace(/[\s/?#%]/g, "-"));
const slugsOf = (posts) => posts.map((post) => post.slug);

/** Slugs of the posts that a page lists, in order, from the links in its headings. */
const listed = (page, base) =>
  page
    .locator("main :is(h2, h3) a")
    .evaluateAll((links) => links.map((link) => new URL(link.href).pathname))
    .then((paths) => paths.filter((path) => new RegExp(`^${base}[^/]+/$`).test(path)).map((path) => path.slice(base.length, -1)));

/** Reads a list up to its last page, and checks that all other pages are full. */
async function walk(page, path, base) {
  const found = [];
  for (let address = site.origin + path; address; ) {
    const response = await page.goto(address);
    assert.equal(response.status(), 200, address);
    const here = await listed(page, base);
    found.push(...here);
    const next = page.locator("head link[rel=next]");
    const after = (await next.count()) > 0 ? new URL(await next.getAttribute("href")).pathname : undefined;
    address = undefined;
    if (after) {
      // A visible link leads to the next page, by its path or by its number.
      const [, list, number] = /^(.*\/)page\/(\d+)\/$/.exec(after);
      const links = page.locator(`main a[href="${after}"], main a[href="${list}?page=${number}"]`);
      assert.ok((await links.count()) > 0, `nothing leads from ${path} to ${after}`);
      address = await links.first().evaluate((/** @type {HTMLAnchorElement} */ link) => link.href);
    }
    assert.ok(!address || here.length === PER_PAGE, `${here.length} posts on a page that is not the last`);
  }
  return found;
}

for (const { locale, base, section, messages, posts, longDate } of blogs) {
  describe(`the blog in ${locale}`, { concurrency: 2 }, () => {
    const tags = [...new Set(posts.flatMap((post) => post.tags ?? []))];
    const authors = [...new Set(posts.map((post) => post.author))];

    it("lists every post once, newest first, without JavaScript", () =>
      visit(browser, site.origin + base, { script: false }, async (page) => {
        assert.equal(await page.locator("h1").textContent(), section.title);
        // The specification defines these texts.
        assert.equal(section.title, { en: "Insights", es: "Perspectivas" }[locale] ?? section.title);
        assert.deepEqual((await walk(page, base, base)).sort(), slugsOf(posts).sort());
        await page.goto(site.origin + base);
        const dates = await page
          .locator("main article time")
          .evaluateAll((times) => times.map((time) => time.getAttribute("datetime")));
        assert.deepEqual(dates, [...dates].sort().reverse());
      }));

    it("has a page for each tag, which links back to all posts", () =>
      visit(browser, site.origin + base, { script: false }, async (page) => {
        for (const tag of tags) {
          const path = `${base}tag/${tagSlug(tag)}/`;
          const expected = posts.filter((post) => post.tags?.includes(tag));
          assert.deepEqual((await walk(page, path, base)).sort(), slugsOf(expected).sort(), tag);
          await page.goto(site.origin + path);
          assert.equal(await page.locator("h1").textContent(), section.tagged_title.replace("{tag}", tag));
          const own = page.locator("main").getByRole("link", { name: tag, exact: true });
          assert.equal(await own.getAttribute("aria-current"), "true", tag);
          assert.equal(await own.getAttribute("href"), base, tag);
        }
      }));

    it("has a page for each author, with numbered pagination", () =>
      visit(browser, site.origin + base, { script: false }, async (page) => {
        for (const author of authors) {
          const { name } = content(`authors/${author}.yaml`);
          const path = `${base}author/${author}/`;
          const expected = posts.filter((post) => post.author === author);
          assert.deepEqual((await walk(page, path, base)).sort(), slugsOf(expected).sort(), author);
          await page.goto(site.origin + path);
          assert.equal(await page.locator("h1").textContent(), name);
          const avatar = await page.locator("main :is(img, svg)").first().boundingBox();
          assert.deepEqual([avatar.width, avatar.height], [96, 96], author);
          assert.equal(
            await page.getByRole("link", { name: new RegExp(`^${messages.read_more}`) }).count(),
            Math.min(expected.length, PER_PAGE),
          );
          const pages = Math.ceil(expected.length / PER_PAGE);
          assert.equal(await page.locator(".pagination").count(), pages > 1 ? 1 : 0, author);
          for (let number = 1; number <= pages && pages > 1; number += 1) {
            await page.goto(`${site.origin}${path}?page=${number}`);
            const current = page.locator(".pagination [aria-current=page]");
            assert.equal(await current.textContent(), String(number));
            assert.equal(await current.getAttribute("href"), `${path}?page=${number}`);
          }
        }
        assert.ok(
          authors.some((author) => posts.filter((post) => post.author === author).length > PER_PAGE),
          "some author has pages",
        );
      }));

    for (const script of [true, false]) {
      it(`shows a post ${script ? "with" : "without"} JavaScript`, () => {
        const [post] = posts;
        const { name } = content(`authors/${post.author}.yaml`);
        return visit(browser, `${site.origin}${base}${post.slug}/`, { script, viewport: PHONE }, async (page, { complaints }) => {
          assert.equal(await page.locator("h1").textContent(), post.title);
          const by = page.getByRole("link", { name: messages.by_author.replace("{author}", name) }).first();
          assert.equal(await by.getAttribute("href"), `${base}author/${post.author}/`);
          assert.equal(await page.locator("main time").first().textContent(), longDate(post.date));
          assert.ok((await page.locator(".article__body").innerText()).length > 500);
          assert.equal(await page.locator(".article__neighbors a").count(), 1, "the newest has only an older neighbor");
          assert.equal(await page.locator(".article__neighbors a").getAttribute("href"), `${base}${posts[1].slug}/`);
          const url = await page.locator("link[rel=canonical]").getAttribute("href");
          const shared = await page
            .locator(".article__share a")
            .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
          assert.equal(shared.length, 3);
          for (const address of shared) {
            const { searchParams } = new URL(address);
            assert.ok([searchParams.get("url"), searchParams.get("body")].includes(url), address);
            assert.ok(
              address.includes("linkedin") || [searchParams.get("text"), searchParams.get("subject")].includes(post.title),
              address,
            );
          }
          // Without JavaScript, the tag manager may load its iframe.
          const frame = (text) => !script && text.includes("googletagmanager");
          assert.deepEqual(
            complaints.filter((text) => !frame(text)),
            [],
          );
        });
      });
    }

    it("shows an error page with status 404 for missing pages", () =>
      visit(browser, site.origin + base, { script: false }, async (page) => {
        const title = (key) => words(`pages/${key}/${locale}.yaml`, "hero").title;
        for (const [path, key] of [
          ["no-such-post/", "blog-post-not-found"],
          ["no-such-post", "blog-post-not-found"],
          ["page/99/", "blog-post-not-found"],
          ["author/nobody/", "blog-author-not-found"],
          ["author/nobody/?page=2", "blog-author-not-found"],
          [`author/${authors[0]}/page/99/`, "blog-author-not-found"],
          ["tag/no-such-tag/", "not-found"],
          ["tag/no-such-tag", "not-found"],
        ]) {
          const response = await page.goto(site.origin + base + path);
          assert.equal(response.status(), 404, path);
          assert.equal(await page.locator("h1").textContent(), title(key), path);
        }
        // The specification defines these texts.
        const expected = {
          en: ["Blog post not found.", "Author Not Found"],
          es: ["Artículo no encontrado.", "Autor No Encontrado"],
        }[locale];
        if (expected) assert.deepEqual([title("blog-post-not-found"), title("blog-author-not-found")], expected);
      }));

    it("writes nothing to the console on any kind of page", async () => {
      const author = authors.find((author) => posts.filter((post) => post.author === author).length > PER_PAGE);
      for (const path of [
        "",
        "page/2/",
        `tag/${tagSlug(tags[0])}/`,
        `author/${author}/`,
        `author/${author}/?page=2`,
        `${posts[1].slug}/`,
      ]) {
        await visit(browser, site.origin + base + path, {}, async (page, { complaints }) => {
          await ready(page);
          assert.deepEqual(complaints, [], path);
        });
      }
    });

    it("supports keyboard navigation between pages of an author", () => {
      const author = authors.find((author) => posts.filter((post) => post.author === author).length > PER_PAGE);
      return visit(browser, `${site.origin}${base}author/${author}/`, {}, async (page) => {
        await page.locator("main article a").last().focus();
        for (const name of [1, 2]) {
          await page.keyboard.press("Tab");
          const label = messages.page_number.replace("{number}", String(name));
          assert.equal(await page.locator(":focus").getAttribute("aria-label"), label);
        }
        await page.keyboard.press("Enter");
        await page.waitForURL(/\?page=2$/);
        assert.equal(await page.locator(".pagination [aria-current=page]").textContent(), "2");
      });
    });

    describe("on a host that ignores queries", () => {
      const author = authors.find((author) => posts.filter((post) => post.author === author).length > PER_PAGE);
      const path = `${base}author/${author}/`;
      const own = posts.filter((post) => post.author === author);

      it("shows page 2 of an author at ?page=2, with a link back", () =>
        visit(browser, `${plain.origin}${path}?page=2`, {}, async (page, { complaints }) => {
          await page.locator("[data-page='2']").waitFor();
          assert.equal((await listed(page, base)).length, own.length - PER_PAGE);
          assert.equal(await page.locator(".pagination [aria-current=page]").textContent(), "2");
          assert.match(await page.title(), /2$/);
          assert.equal(new URL(await page.locator("link[rel=canonical]").getAttribute("href")).pathname, `${path}page/2/`);
          assert.equal(await page.locator("head link[rel=next]").count(), 0);
          await page.getByRole("link", { name: messages.previous }).click();
          await page.waitForURL(/\?page=1$/);
          await ready(page);
          assert.equal((await listed(page, base)).length, PER_PAGE);
          assert.deepEqual(complaints, []);
        }));

      it("shows page 1 if the page does not exist", () =>
        visit(browser, `${plain.origin}${path}?page=../2`, {}, async (page, { complaints }) => {
          await ready(page);
          assert.equal(await page.locator(".pagination [aria-current=page]").textContent(), "1");
          assert.deepEqual(complaints, []);
          const answer = page.waitForResponse((response) => response.url().endsWith("/page/99/"));
          await page.goto(`${plain.origin}${path}?page=99`);
          assert.equal((await answer).status(), 404);
          assert.equal(await page.locator(".pagination [aria-current=page]").textContent(), "1");
        }));
    });
  });
}

/** Serves a folder like a bucket behind a CDN: files and the index of a folder, without regard to the query. */
async function plainHost(folder) {
  const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const found = existsSync(file);
    response.writeHead(found ? 200 : 404, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    response.end(found ? readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
