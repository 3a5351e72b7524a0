// Posts by language, tag and author, read once: every page asks here.
import { getCollection, type CollectionEntry } from "astro:content";
import authors from "../../authors.json";
import { LOCALES, WORDS, type Locale } from "./words";

export type Entry = CollectionEntry<"blog">;
export interface Post {
  entry: Entry;
  href: string;
  slug: string;
}
export interface Topic {
  name: string;
  slug: string;
  href: string;
}
export interface Blog {
  posts: Post[];
  topics: Topic[];
  tagged: Map<string, Post[]>;
  written: Map<string, Post[]>;
  slugs: Set<string>;
}
export interface List {
  base: string;
  number: number;
  total: number;
  shown: Post[];
  count: number;
}

export const AUTHORS: Record<string, { name: string; role: Record<Locale, string>; description: Record<Locale, string> }> = authors;
const PER_PAGE = 10;

const slugOf = (name: string) => name.toLowerCase().replaceAll(" ", "-");

function group(posts: Post[], keys: (post: Post) => string[], groups = new Map<string, Post[]>()) {
  for (const post of posts) {
    for (const key of keys(post)) {
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key)!.push(post);
    }
  }
  return groups;
}

async function read(): Promise<Record<Locale, Blog>> {
  const entries = await getCollection("blog");
  entries.sort((a, b) => b.data.date.getTime() - a.data.date.getTime());
  const made = LOCALES.map((locale) => {
    const { blog } = WORDS[locale];
    const own = entries.filter((entry) => entry.id.startsWith(`${locale}/`));
    const posts = own.map((entry) => {
      const slug = entry.id.slice(locale.length + 1);
      return { entry, slug, href: `${blog}${slug}/` };
    });
    const tagged = group(posts, (post) => post.entry.data.tags);
    const topics = [...tagged.keys()].map((name) => ({ name, slug: slugOf(name), href: `${blog}tag/${slugOf(name)}/` }));
    topics.sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const written = group(posts, (post) => [post.entry.data.author], new Map(Object.keys(AUTHORS).map((key) => [key, []])));
    return [locale, { posts, topics, tagged, written, slugs: new Set(posts.map((post) => post.slug)) }];
  });
  return Object.fromEntries(made);
}

let known: Promise<Record<Locale, Blog>> | undefined;
/** While the site is edited, each request reads anew. */
export const blogs = () => (import.meta.env.DEV ? read() : (known ??= read()));

/** The folder below which a language lies, as the routes name it. */
export const prefix = (locale: Locale) => (locale === "en" ? undefined : locale);
/** The language of a route's folder. */
export const localeOf = (folder: string | undefined) => (folder ?? "en") as Locale;

/** The pages of a list, with the route's parameter for each. */
export function paged(base: string, posts: Post[]): { page: string | undefined; list: List }[] {
  const total = Math.max(1, Math.ceil(posts.length / PER_PAGE));
  return Array.from({ length: total }, (_, at) => ({
    page: at ? `page/${at + 1}` : undefined,
    list: { base, number: at + 1, total, shown: posts.slice(at * PER_PAGE, (at + 1) * PER_PAGE), count: posts.length },
  }));
}

export const address = (base: string, number: number) => (number === 1 ? base : `${base}page/${number}/`);
