// The style guide's search: each word of the query must be a prefix of a word in an entry, its place or its synonyms.

import type { GuideEntry, GuideGroup } from "../../generated/wire";

/** Text in lower case and without diacritics. */
const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Splits text into normalized words for comparison. */
export const words = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}#.]+/u)
    .filter((word) => word !== "");

/**
 * Returns the groups with their matching entries; all groups for an empty query. Groups whose title or page matches
 * come first, then groups with matching entries, then pages that match only by their entries.
 */
export function find(groups: readonly GuideGroup[], query: string): GuideGroup[] {
  const wanted = words(query);
  if (wanted.length === 0) return [...groups];
  const matches = (text: string): boolean => {
    const known = words(text);
    return wanted.every((word) => known.some((other) => other.startsWith(word) || other.startsWith(`#${word}`)));
  };
  const narrowed = groups.map((group) => {
    const place = `${group.title} ${group.page ?? ""}`;
    const of = ([name, value, more]: GuideEntry): string => `${place} ${name} ${value} ${more}`;
    return { group: { ...group, entries: group.entries.filter((entry) => matches(of(entry))) }, isPlace: matches(place) };
  });
  const rank = ({ group, isPlace }: (typeof narrowed)[number]): number => (isPlace ? 0 : group.page === null ? 2 : 1);
  const found = narrowed.filter(({ group, isPlace }) => isPlace || group.entries.length > 0);
  return found.sort((a, b) => rank(a) - rank(b)).map(({ group }) => group);
}

/** Splits text into parts and flags those that match: `[["Growth ", false], ["400", true]]`. */
export function mark(text: string, query: string): [string, boolean][] {
  const wanted = words(query).sort((a, b) => b.length - a.length);
  if (wanted.length === 0) return [[text, false]];
  const escaped = wanted.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(#?(?:${escaped}))`, "iu"));
  return parts.map((part, index): [string, boolean] => [part, index % 2 === 1]).filter(([part]) => part !== "");
}
