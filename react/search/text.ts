// Texts and queries as Pagefind reads them. The build writes letters that Pagefind does not fold as they are typed on other
// keyboards, and separates articles from words; a sign behind each replacement says what was there
// (`crates/search-index/src/elision.rs`).

import { fold, spelled } from "../lib/fold";
import { withoutArticles } from "../lib/match";

/** A replacement: a space behind an apostrophe, or the letters or the apostrophe before its sign, which is for private use. */
const REPLACED = /\u{f0027} ?|([a-z]{1,3}|’)([\u{f00c0}-\u{ffffd}])/giu;
const SIGNS = 0xf0000;
/** A letter that is not of ASCII. */
const LETTER = /\P{ASCII}/gu;

/** A text of the index as it is in the page. */
export const readable = (text: string): string =>
  text.replaceAll(REPLACED, (_, before?: string, sign?: string) => {
    if (before === undefined || sign === undefined) return "";
    const letter = String.fromCodePoint((sign.codePointAt(0) ?? 0) - SIGNS);
    return before.slice(0, -fold(letter).length) + letter;
  });

/** A letter as other keyboards write it, if Pagefind does not fold it: `ł`, with accents too, and ligatures. */
const typed = (letter: string): string => {
  const plain = letter.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const letters = spelled(plain);
  return letters !== plain || /^[a-z]{2,}$/.test(plain) ? letters : letter;
};

/** A query as it is looked up in the index. */
export const wanted = (query: string, language: string): string =>
  withoutArticles(query.toLowerCase(), language).replaceAll(/[ʻʼ]/g, "’").replaceAll(LETTER, typed);
