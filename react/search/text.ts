// Texts and queries as Pagefind reads them. The build writes letters that Pagefind does not fold as they are typed on other
// keyboards, and separates articles from words; a sign behind each replacement says what was there
// (`crates/search-index/src/elision.rs`).

import { spelled } from "../lib/fold";
import { withoutArticles } from "../lib/match";

/** A replacement: a space behind an apostrophe, or one or two letters; and its sign, which is for private use. */
const REPLACED = /\u{f0027} ?|(?:ae|oe|ss|th|[a-z])([\u{f00c0}-\u{f1eff}])/giu;
const SIGNS = 0xf0000;

/** A text of the index as it is in the page. */
export const readable = (text: string): string =>
  text.replaceAll(REPLACED, (_, sign?: string) => (sign ? String.fromCodePoint((sign.codePointAt(0) ?? 0) - SIGNS) : ""));

/** A query as it is looked up in the index. */
export const wanted = (query: string, language: string): string => spelled(withoutArticles(query.toLowerCase(), language));
