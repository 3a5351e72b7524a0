// The style guide's search: each word of the query must be a prefix of a word in an entry, its place or its synonyms.

import type { GuideEntry, GuideGroup } from "../../generated/wire";
import { fold } from "../../lib/fold";

/** Splits text into normalized words for comparison. */
export const words = (text: string): string[] =>
  fold(text)
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

/** The number of characters of `text` that `folded`, the beginning of its folded form, comes from. */
function lengthOf(folded: string, text: string): number {
  const characters = [...text];
  const end = characters.findIndex((_, index) => fold(characters.slice(0, index + 1).join("")).length >= folded.length);
  return characters.slice(0, end + 1).join("").length;
}

/** Splits text into parts and flags those that match: `[["Growth ", false], ["400", true]]`. */
export function mark(text: string, query: string): [string, boolean][] {
  const wanted = words(query).sort((a, b) => b.length - a.length);
  const parts: [string, boolean][] = [];
  for (const part of text.split(/([\p{L}\p{N}\p{M}#.]+)/u)) {
    const word = fold(part);
    const found = wanted.flatMap((start) => [start, `#${start}`]).find((start) => word.startsWith(start)) ?? "";
    const length = found === "" ? 0 : lengthOf(found, part);
    parts.push([part.slice(0, length), true], [part.slice(length), false]);
  }
  // Neighbors that are alike become one part.
  return parts
    .filter(([part]) => part !== "")
    .reduce<[string, boolean][]>((joined, [part, isFound]) => {
      const last = joined.at(-1);
      if (last?.[1] === isFound) last[0] += part;
      else joined.push([part, isFound]);
      return joined;
    }, []);
}
