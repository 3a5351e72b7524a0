// Hides the entries of a list that do not contain a text, and the headings of groups without any.

import { fold } from "../../lib/fold";
import { hasAll } from "../../lib/match";

/** The folded text of each entry. A card does not change while the page is open. */
const texts = new WeakMap<Element, string>();

const textOf = (entry: Element): string => {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = fold((entry.textContent ?? "").replaceAll(/\s+/g, " "));
  texts.set(entry, text);
  return text;
};

/**
 * Shows the entries that contain each word of a query, and returns their number: an entry that is in several
 * groups counts once. All are shown for an empty query.
 */
export const narrow = (list: Element, words: readonly string[]): number => {
  const found = new Set<string>();
  for (const group of list.querySelectorAll<HTMLElement>(".entries__list")) {
    let isEmpty = true;
    for (const entry of group.querySelectorAll<HTMLElement>(":scope > .entries__item")) {
      entry.hidden = !hasAll(textOf(entry), words);
      if (!entry.hidden) {
        isEmpty = false;
        found.add(entry.innerHTML);
      }
    }
    group.hidden = isEmpty;
    const heading = group.previousElementSibling;
    if (heading instanceof HTMLElement && heading.classList.contains("entries__group")) heading.hidden = isEmpty;
  }
  return found.size;
};
