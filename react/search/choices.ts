// What a search can be narrowed to: the kind of pages, and values of fields of collections. The build knows the names of the
// filters; their values, and how many results have each, come with the results.

import type { Results } from "./client";
import type { Query } from "./query";

export interface Choices {
  /** The names of all choices, which are parameters of the address. */
  names: string[];
  /** Whether there are values to count. */
  hasFilters: boolean;
  /** What is chosen now. */
  chosen: () => Query["choices"];
  choose: (choices: Query["choices"]) => void;
  /** Offers the values that results have, unless others are shown by then. */
  offer: (results: Results, isShown: () => boolean) => Promise<void>;
  /** The name of a kind for visitors, if they can choose it. */
  kind: (name: string | undefined) => string | undefined;
}

const KIND = "kind";

/** Shows the values in a list, with the number of results that have each. What is chosen stays, also without results. */
const show = (select: HTMLSelectElement, counts: Record<string, number>): void => {
  const chosen = select.value;
  const values = new Set(Object.keys(counts).filter((value) => counts[value]));
  if (chosen) values.add(chosen);
  const { compare } = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true });
  const options = [...values].sort(compare).map((value) => {
    return new Option(`${value} (${counts[value] ?? 0})`, value, false, value === chosen);
  });
  select.replaceChildren(...[...select.options].slice(0, 1), ...options);
  if (select.parentElement) select.parentElement.hidden = options.length === 0;
};

/** Starts the choices of a form. */
export const attach = (root: HTMLElement, changed: () => void): Choices => {
  const kinds = [...root.querySelectorAll<HTMLInputElement>(`input[name=${KIND}]`)];
  const selects = [...root.querySelectorAll<HTMLSelectElement>("[data-search-filter]")];
  const labels = new Map(kinds.map((kind) => [kind.value, kind.parentElement?.textContent?.trim() ?? ""]));
  for (const control of [...kinds, ...selects]) control.addEventListener("change", changed);

  return {
    names: [KIND, ...selects.map(({ name }) => name)],
    hasFilters: selects.length > 0,
    chosen: () => {
      const kind = kinds.find(({ checked }) => checked)?.value;
      const all = [[KIND, kind ?? ""], ...selects.map(({ name, value }) => [name, value])];
      return Object.fromEntries(all.filter(([, value]) => value !== ""));
    },
    choose: (choices) => {
      for (const kind of kinds) kind.checked = kind.value === (choices[KIND] ?? "");
      for (const select of selects) {
        const value = choices[select.name] ?? "";
        const isOffered = [...select.options].some((option) => option.value === value);
        if (!isOffered) select.add(new Option(value, value));
        select.value = value;
        if (value && select.parentElement) select.parentElement.hidden = false;
      }
    },
    offer: async (results, isShown) => {
      const counts = await Promise.all(selects.map(({ name }) => results.count(name)));
      if (isShown()) for (const [at, select] of selects.entries()) show(select, counts[at] ?? {});
    },
    kind: (name) => (name ? labels.get(name) : undefined),
  };
};
