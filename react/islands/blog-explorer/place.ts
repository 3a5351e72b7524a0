// Keeps a list that has grown, for a visitor who comes back to it from a post. Browsers that keep the whole page in
// memory restore it themselves, others load it again with its first posts only.

import type { Place, State } from "./state";

/** The number changes with what is kept, so that no page reads what another version has written. */
const key = (): string => `list 2 ${location.pathname}${location.search}`;

/** Keeps a list, unless it shows nothing beyond the prerendered page. */
export const keepPlace = ({ query, posts, placeholders, pagination, initial, failure }: State): void => {
  const isWorthIt = !failure && placeholders.length === 0 && (query || posts.length > initial.posts.length);
  try {
    sessionStorage.setItem(key(), isWorthIt ? JSON.stringify({ posts, pagination, query, top: scrollY }) : "null");
  } catch {
    // The storage is full or blocked. The visitor finds the first posts.
  }
};

/** The list that was kept, after Back, Forward or a reload. */
export const keptPlace = (): Place | null => {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!/back|reload/.test(navigation?.type ?? "")) return null;
  try {
    return JSON.parse(sessionStorage.getItem(key()) ?? "null");
  } catch {
    return null;
  }
};
