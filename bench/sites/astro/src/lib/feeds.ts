// RSS, Atom and JSON Feed of a list: its newest posts.
import { AUTHORS, blogs, prefix, type Post } from "./lists";
import { LOCALES, SITE, WORDS, type Locale } from "./words";

interface Feed {
  title: string;
  base: string;
  locale: Locale;
  posts: Post[];
}
const LENGTH = 20;

/** Static paths of the feeds of whole languages. */
export async function ofBlogs() {
  const all = await blogs();
  return LOCALES.map((locale) => ({
    params: { locale: prefix(locale) },
    props: { title: WORDS[locale].blog_title, base: WORDS[locale].blog, locale, posts: all[locale].posts.slice(0, LENGTH) },
  }));
}

/** Static paths of the feeds of tags. */
export async function ofTags() {
  const all = await blogs();
  return LOCALES.flatMap((locale) =>
    all[locale].topics.map(({ name, slug, href }) => ({
      params: { locale: prefix(locale), tag: slug },
      props: { title: `${WORDS[locale].blog_title}: ${name}`, base: href, locale, posts: all[locale].tagged.get(name)!.slice(0, LENGTH) },
    })),
  );
}

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);
const stamp = (date: Date) => `${date.toISOString().slice(0, 19)}Z`;
const facts = (post: Post) => {
  const { title, excerpt, date, author, tags } = post.entry.data;
  return { url: SITE.url + post.href, title, excerpt, date, author: AUTHORS[author].name, tags };
};

export function rss({ props }: { props: Feed }) {
  const { title, base, locale, posts } = props;
  const home = SITE.url + base;
  const items = posts.map(facts).map(
    ({ url, title, date, author, tags, excerpt }) =>
      `<item><title>${escaped(title)}</title><link>${url}</link><guid>${url}</guid><pubDate>${date.toUTCString()}</pubDate><dc:creator>${escaped(author)}</dc:creator>${tags.map((tag) => `<category>${escaped(tag)}</category>`).join("")}<description>${escaped(excerpt)}</description></item>\n`,
  );
  return new Response(
    `<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>\n<title>${escaped(title)}</title><link>${home}</link><description>${escaped(title)}</description><language>${locale}</language><atom:link href="${home}feed.xml" rel="self" type="application/rss+xml"/>\n${items.join("")}</channel></rss>\n`,
  );
}

export function atom({ props }: { props: Feed }) {
  const { title, base, locale, posts } = props;
  const home = SITE.url + base;
  const entries = posts.map(facts).map(
    ({ url, title, date, author, tags, excerpt }) =>
      `<entry><title>${escaped(title)}</title><id>${url}</id><link href="${url}"/><updated>${stamp(date)}</updated><published>${stamp(date)}</published><author><name>${escaped(author)}</name></author>${tags.map((tag) => `<category term="${escaped(tag)}"/>`).join("")}<summary>${escaped(excerpt)}</summary></entry>\n`,
  );
  const updated = posts.length ? stamp(posts[0].entry.data.date) : "";
  return new Response(
    `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${locale}">\n<title>${escaped(title)}</title><id>${home}</id><link href="${home}"/><link rel="self" href="${home}atom.xml"/><updated>${updated}</updated>\n${entries.join("")}</feed>\n`,
  );
}

export function json({ props }: { props: Feed }) {
  const { title, base, locale, posts } = props;
  const home = SITE.url + base;
  const items = posts.map(facts).map(({ url, title, date, author, tags, excerpt }) => ({
    id: url, url, title, content_text: excerpt, date_published: stamp(date), authors: [{ name: author }], tags,
  }));
  const head = { version: "https://jsonfeed.org/version/1.1", title, home_page_url: home, feed_url: `${home}feed.json`, language: locale };
  return new Response(JSON.stringify({ ...head, items }, null, 2));
}
