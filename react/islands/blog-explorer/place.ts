// Keeps a list that has grown, for a visitor who comes back to it from a post. Browsers that keep the whole page in
// memory restore it themselves, others load it again with its first posts only.

import { read } from "./answer";
import type { PostPage, State } from "./state";

/** A list that has been read on, and how far it was scrolled. */
export interface Place extends PostPage {
  query: string;
  top: number;
}

const key = (): string => `list ${location.pathname}${location.search}`;

/** Keeps a list, unless it shows nothing beyond the prerendered page. */
export const keepPlace = ({ query, entries, pagination, initial, failure }: State): void => {
  const posts = entries.flatMap((entry) => (entry.kind === "post" ? [entry.post] : []));
  const isWorthIt = failure === null && posts.length === entries.length && (query !== "" || posts.length > initial.posts.length);
  try {
    if (isWorthIt) sessionStorage.setItem(key(), JSON.stringify({ posts, pagination, query, top: scrollY }));
    else sessionStorage.removeItem(key());
  } catch {
    // The storage is full or blocked. The visitor finds the first posts.
  }
};

/** The list that was kept, after Back, Forward or a reload. */
export const keptPlace = (): Place | null => {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (navigation?.type !== "back_forward" && navigation?.type !== "reload") return null;
  try {
    const kept = JSON.parse(sessionStorage.getItem(key()) ?? "null") as { query?: unknown; top?: unknown } | null;
    return kept && { ...read(kept), query: String(kept.query ?? ""), top: Number(kept.top) || 0 };
  } catch {
    return null;
  }
};
