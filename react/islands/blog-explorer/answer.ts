// Requests to the posts API, and a parser for its responses. A response may come from a cache, a proxy or an error page,
// so everything that the list shows is read by the pattern of a post. By hand, because a library would weigh more.

import type { BlogExplorer } from "../../generated/wire";
import type { ListRequest, Picture, Post, PostPage } from "./state";

/** The URL of the API, and the parameters that are fixed for a page. */
export type Source = Pick<BlogExplorer, "api" | "lang" | "tagSlug"> & { pagination: { per_page: number } };

export const address = ({ api, lang, tagSlug, pagination }: Source, { query, page }: ListRequest): string => {
  const parameters = {
    per_page: String(pagination.per_page),
    page: String(page),
    orderby: "date",
    order: "desc",
    ...(query && { search: query }),
    ...(tagSlug && { tag: tagSlug }),
    ...(lang && { lang }),
  };
  return `${api}?${new URLSearchParams(parameters)}`;
};

const PICTURE = {
  source_url: "",
  alt_text: "",
  media_details: {
    width: 0,
    height: 0,
    sources: [{ mime: "", srcset: "" }],
    sizes: { medium_large: { source_url: "" }, large: { source_url: "" } },
  },
  focus: [0],
} satisfies Picture;

const POST = {
  id: "",
  title: "",
  slug: "",
  link: "",
  date: "",
  excerpt: "",
  author: { name: "" },
  featured_image: PICTURE,
  cover: "",
} satisfies Post;

/**
 * Reads a value by a pattern, which has one item for all items of a list. A text or a number that is missing is the one of
 * the pattern, an object or a list is `null`. A number may stand for a text.
 */
const like = (pattern: unknown, value: unknown): unknown => {
  if (Array.isArray(pattern)) return Array.isArray(value) ? value.map((item) => like(pattern[0], item)) : null;
  if (typeof pattern === "object") {
    if (typeof value !== "object" || !value || !pattern) return null;
    const of = value as Record<string, unknown>;
    return Object.fromEntries(Object.entries(pattern).map(([key, inner]) => [key, like(inner, of[key])]));
  }
  if (typeof pattern === "string" && typeof value === "number") return String(value);
  return typeof value === typeof pattern ? value : pattern;
};

/** A post, which the list tells from others by its id. */
const post = (value: unknown, at: number): Post => {
  const read = like(POST, Object(value)) as Post;
  const { id, slug, link } = read;
  return { ...read, id: id || slug || link || `unnamed-${at}`, slug: slug || `post-${id}` };
};

/** Parses a response. Throws if it is not an object; a `posts` field that is not an array counts as empty. */
export const read = (answer: unknown): PostPage => {
  if (typeof answer !== "object" || !answer || Array.isArray(answer)) throw new Error("invalid response format");
  const { posts, pagination } = answer as Record<string, unknown>;
  const all = Array.isArray(posts) ? posts.map(post) : [];
  const single = { total: all.length, total_pages: 1, current_page: 1, per_page: 10 };
  return { posts: all, pagination: like(single, Object(pagination)) as typeof single };
};

/** Requests a page of posts. Rejects on network failures, error statuses and invalid responses. */
export const ask = async (source: Source, request: ListRequest, signal: AbortSignal): Promise<PostPage> => {
  const response = await fetch(address(source, request), { signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return read(await response.json());
};
