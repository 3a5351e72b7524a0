// Requests to the posts API, and a parser for its responses. A response may come from a cache, a proxy or an error page,
// so every field that the list shows is validated. By hand, because a library would weigh more.

import type { FeaturedImage, Pagination } from "../../generated/wire";
import type { ListRequest, Post, PostPage } from "./state";

/** The URL of the API, and the parameters that are fixed for a page. */
export interface Source {
  api: string;
  lang: string | null;
  tagSlug: string | null;
  perPage: number;
}

export const address = ({ api, lang, tagSlug, perPage }: Source, { query, page }: ListRequest): string => {
  const parameters = new URLSearchParams({ per_page: String(perPage), page: String(page), orderby: "date", order: "desc" });
  if (query !== "") parameters.set("search", query);
  if (tagSlug !== null) parameters.set("tag", tagSlug);
  if (lang !== null) parameters.set("lang", lang);
  return `${api}?${parameters}`;
};

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : otherwise;

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;
const isPoint = (value: unknown): value is [number, number] => Array.isArray(value) && value.length === 2 && value.every(isShare);

const image = (value: unknown): FeaturedImage | null => {
  if (typeof value !== "object" || value === null) return null;
  const { source_url, alt_text, media_details, focus } = value as Fields;
  const details = fields(media_details);
  const sizes = fields(details.sizes);
  const size = (name: string): { source_url: string } | null => {
    const url = text(fields(sizes[name]).source_url);
    return url === "" ? null : { source_url: url };
  };
  const sources = Array.isArray(details.sources) ? details.sources.map(fields) : [];
  return {
    source_url: text(source_url),
    alt_text: text(alt_text),
    media_details: {
      width: count(details.width, 0),
      height: count(details.height, 0),
      sources: sources
        .map(({ mime, srcset }) => ({ mime: text(mime), srcset: text(srcset) }))
        .filter(({ srcset }) => srcset !== ""),
      sizes: { medium_large: size("medium_large"), large: size("large") },
    },
    ...(isPoint(focus) ? { focus } : {}),
  };
};

const post = (value: unknown, at: number): Post => {
  const it = fields(value);
  const id = typeof it.id === "number" ? String(it.id) : text(it.id);
  return {
    // The list tells posts apart by it.
    id: id || text(it.slug) || text(it.link) || `unnamed-${at}`,
    title: text(it.title),
    slug: text(it.slug) || `post-${id}`,
    link: text(it.link),
    date: text(it.date) || null,
    excerpt: text(it.excerpt),
    author: { name: text(fields(it.author).name) },
    featured_image: image(it.featured_image),
    cover: text(it.cover) || null,
  };
};

/** Parses a response. Throws if it is not an object; a `posts` field that is not an array counts as empty. */
export const read = (answer: unknown): PostPage => {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("invalid response format");
  const { posts: list, pagination } = answer as Fields;
  const posts = Array.isArray(list) ? list.map(post) : [];
  const place = fields(pagination);
  const page: Pagination = {
    total: count(place.total, posts.length),
    total_pages: count(place.total_pages, 1),
    current_page: count(place.current_page, 1),
    per_page: count(place.per_page, 10),
  };
  return { posts, pagination: page };
};

/** Requests a page of posts. Rejects on network failures, error statuses and invalid responses. */
export const ask = async (source: Source, request: ListRequest, signal: AbortSignal): Promise<PostPage> => {
  const response = await fetch(address(source, request), {
    headers: { accept: "application/json" },
    signal,
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return read(await response.json());
};
