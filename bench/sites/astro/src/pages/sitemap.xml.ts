// Every page, with its translations.
import { AUTHORS, address, blogs, paged } from "../lib/lists";
import { LOCALES, SITE, WORDS, iso } from "../lib/words";

const link = (language: string, path: string) => `<xhtml:link rel="alternate" hreflang="${language}" href="${SITE.url}${path}"/>`;
const links = ([en, es]: string[]) => link("en", en) + link("es", es) + link("x-default", en);
const entry = (path: string, translations?: string[], date?: Date) =>
  `<url><loc>${SITE.url}${path}</loc>${date ? `<lastmod>${iso(date)}</lastmod>` : ""}${translations ? links(translations) : ""}</url>\n`;

export async function GET() {
  const all = await blogs();
  const both = (path: (words: (typeof WORDS)["en"]) => string) => LOCALES.map((locale) => path(WORDS[locale]));
  let xml = "";
  for (const locale of LOCALES) {
    const { blog, home, about } = WORDS[locale];
    const { posts, topics, tagged, written } = all[locale];
    xml += entry(home, both((words) => words.home)) + entry(about, both((words) => words.about));
    const pages = (base: string, count: number, translations?: string[]) => {
      for (let number = 1; number <= count; number++) xml += entry(address(base, number), number === 1 ? translations : undefined);
    };
    pages(blog, paged(blog, posts).length, both((words) => words.blog));
    for (const { name, href } of topics) pages(href, paged(href, tagged.get(name)!).length);
    for (const key of Object.keys(AUTHORS)) {
      const base = (words: { blog: string }) => `${words.blog}author/${key}/`;
      pages(base(WORDS[locale]), paged("", written.get(key)!).length, both(base));
    }
    for (const post of posts) {
      const translated = LOCALES.every((other) => all[other].slugs.has(post.slug));
      xml += entry(post.href, translated ? both((words) => `${words.blog}${post.slug}/`) : undefined, post.entry.data.date);
    }
  }
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${xml}</urlset>\n`,
  );
}
