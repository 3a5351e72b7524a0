// The query of a search: words and choices, and the parameters that they are in the address of the search page.

export interface Query {
  words: string;
  /** By name, what the search is narrowed to. A name without a choice is missing. */
  choices: Record<string, string>;
}

const WORDS = "q";

/** The query in an address. */
export const queryOf = (parameters: URLSearchParams, names: string[]): Query => {
  const chosen = names.map((name) => [name, parameters.get(name) ?? ""] as const).filter(([, value]) => value !== "");
  return { words: (parameters.get(WORDS) ?? "").trim(), choices: Object.fromEntries(chosen) };
};

/** An address with a query in place of the one that it has. */
export const addressOf = (href: string, { words, choices }: Query, names: string[]): URL => {
  const url = new URL(href);
  for (const [name, value] of [[WORDS, words] as const, ...names.map((name) => [name, choices[name]] as const)]) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  return url;
};
