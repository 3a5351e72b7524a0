// The benchmark's site in Eleventy: Markdown by markdown-it, templates in Nunjucks, lists as collections.

import { readFileSync } from "node:fs";

const LOCALES = ["en", "es"];
const PER_PAGE = 10;
const FEED_LENGTH = 20;
const BASES = { en: "/blog/", es: "/es/blog/" };

const slug = (name) => name.toLowerCase().replaceAll(" ", "-");
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

export default function (config) {
  const authors = JSON.parse(readFileSync(new URL("authors.json", import.meta.url), "utf8"));
  const site = JSON.parse(readFileSync(new URL("_data/site.json", import.meta.url), "utf8"));
  // What stands around each post, by its address; made with the lists, before anything is rendered.
  let around = new Map();

  config.addGlobalData("authors", authors);
  config.addPassthroughCopy({ static: "." });
  config.amendLibrary("md", (md) => {
    md.core.ruler.push("heading_ids", (state) => {
      state.tokens.forEach((token, at) => {
        if (token.type === "heading_open") {
          const words = state.tokens[at + 1].content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
          token.attrSet("id", words.join("-"));
        }
      });
    });
  });

  const posts = (api, locale) => api.getFilteredByGlob(`content/blog/${locale}/*.md`).reverse();

  /** The lists of a language: all posts, those of each tag, those of each author. */
  function lists(api, locale) {
    const all = posts(api, locale);
    const base = BASES[locale];
    const [tags, written] = [new Map(), new Map(Object.keys(authors).map((key) => [key, []]))];
    for (const post of all) {
      for (const tag of post.data.tags) {
        if (!tags.has(tag)) tags.set(tag, []);
        tags.get(tag).push(post);
      }
      written.get(post.data.author).push(post);
    }
    const topics = [...tags.keys()].map((name) => ({ name, href: `${base}tag/${slug(name)}/` }));
    topics.sort((a, b) => (a.href < b.href ? -1 : 1));
    return [
      { kind: "blog", locale, topics, base, posts: all },
      ...topics.map(({ name, href }) => ({ kind: "tag", locale, topics, name, base: href, posts: tags.get(name) })),
      ...[...written].map(([key, own]) => ({ kind: "author", locale, name: authors[key].name, author: authors[key], base: `${base}author/${key}/`, posts: own })),
    ];
  }

  config.addCollection("lists", (api) => {
    around = new Map();
    const pages = [];
    const keys = LOCALES.map((locale) => {
      const own = posts(api, locale);
      own.forEach((post, at) => around.set(post.url, { newer: own[at - 1], older: own[at + 1] }));
      for (const list of lists(api, locale)) {
        const total = Math.max(1, Math.ceil(list.posts.length / PER_PAGE));
        for (let number = 1; number <= total; number++) {
          const address = number === 1 ? list.base : `${list.base}page/${number}/`;
          const shown = list.posts.slice((number - 1) * PER_PAGE, number * PER_PAGE);
          pages.push({ ...list, number, total, address, shown, count: list.posts.length });
        }
      }
      return new Set(own.map((post) => post.fileSlug));
    });
    for (const key of keys[0]) {
      if (!keys[1].has(key)) continue;
      const urls = LOCALES.map((locale) => `${BASES[locale]}${key}/`);
      for (const url of urls) around.get(url).translations = urls;
    }
    return pages;
  });

  config.addCollection("feeds", (api) =>
    LOCALES.flatMap((locale) =>
      lists(api, locale)
        .filter((list) => list.kind !== "author")
        .map((list) => ({ ...list, posts: list.posts.slice(0, FEED_LENGTH) })),
    ),
  );

  config.addFilter("fill", filled);
  config.addFilter("iso", (date) => date.toISOString().slice(0, 10));
  config.addFilter("timestamp", (date) => date.toISOString().slice(0, 19) + "Z");
  config.addFilter("rfc822", (date) => date.toUTCString());
  config.addFilter("day", (date, words) =>
    filled(words.date, { month: words.months[date.getUTCMonth()], day: date.getUTCDate(), year: date.getUTCFullYear() }),
  );
  config.addFilter("around", (url) => around.get(url));
  config.addFilter("pageOf", (base, number) => (number === 1 ? base : `${base}page/${number}/`));
  config.addFilter("near", ({ number, total }) => {
    const from = Math.max(1, number - 2);
    return Array.from({ length: Math.min(total, number + 2) - from + 1 }, (_, at) => from + at);
  });
  config.addFilter("headings", (html) =>
    [...html.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)].map(([, id, text]) => ({ id, text })),
  );
  config.addFilter("tagLinks", (tags, base) =>
    tags.map((name) => ({ name, href: `${base}tag/${slug(name)}/` })).sort((a, b) => (a.href < b.href ? -1 : 1)),
  );
  config.addFilter("jsonFeed", (feed, words) => {
    const url = (path) => site.url + path;
    const items = feed.posts.map(({ url: path, data }) => ({
      id: url(path),
      url: url(path),
      title: data.title,
      content_text: data.excerpt,
      date_published: data.date.toISOString().slice(0, 19) + "Z",
      authors: [{ name: authors[data.author].name }],
      tags: data.tags,
    }));
    const title = feed.name ? `${words.blog_title}: ${feed.name}` : words.blog_title;
    const head = { version: "https://jsonfeed.org/version/1.1", title, home_page_url: url(feed.base), feed_url: `${url(feed.base)}feed.json` };
    return JSON.stringify({ ...head, language: feed.locale, items }, null, 2);
  });

  return {
    dir: { input: "content", includes: "../_includes", data: "../_data", output: "dist" },
    markdownTemplateEngine: false,
  };
}
