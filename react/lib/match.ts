// The words of a query. A text is found if it contains all of them, in any place.

import { fold } from "./fold";

/** The languages that join an article or a pronoun to the next word, and what is joined. The build has the same lists: `elision.rs`. */
const LANGUAGES = new Set("an ast ca co eml fr frp fur ga gd it lb lij lld lmo nap oc pcd pms pt rm sc scn vec wa".split(" "));
const ARTICLES = new Set(
  "agl all b bh c coll d dagl dall degl dell dh gl j l m n negl nell pell qu quell s sugl sull t un v y".split(" "),
);
const APOSTROPHE = /['’ʻʼ＇]/;

/** A query without the articles that a language joins to words: `l’enfant` is `enfant`. Other apostrophes are spaces. */
export const withoutArticles = (query: string, language: string): string => {
  if (!LANGUAGES.has(language.toLowerCase().split("-")[0] ?? "")) return query;
  const words = query.split(/\s+/).map((word) => {
    const parts = word.split(APOSTROPHE).filter((part) => part !== "");
    return parts.filter((part, at) => at === parts.length - 1 || !ARTICLES.has(part.toLowerCase())).join(" ");
  });
  return words.join(" ");
};

/** The language of the page. A query is empty where there is no page. */
const pageLanguage = (): string => (typeof document === "undefined" ? "" : document.documentElement.lang);

/** The folded words of a query. */
export const wordsOf = (query: string, language = pageLanguage()): string[] =>
  fold(withoutArticles(query, language))
    .split(/[\s'’]+/)
    .filter((word) => word !== "");

/** Whether a folded text contains each word. */
export const hasAll = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));
