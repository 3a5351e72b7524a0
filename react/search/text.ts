// Texts and queries as Pagefind reads them. The build writes letters that Pagefind does not fold as they are typed on other
// keyboards, and separates articles from words; a sign behind each replacement says what was there
// (`crates/search-index/src/elision.rs`).

import { spelled } from "../lib/fold";
import { withoutArticles } from "../lib/match";

/**
 * A space behind an apostrophe; or a word with its signs, which are for private use: for each letter that was replaced, what it
 * was, and how far from the end of the word.
 */
const REPLACED = /\u{f0027} ?|([\p{L}\p{M}\p{N}’]+)-((?:[\u{f00c0}-\u{ffffd}][\u{100000}-\u{10fffd}])+)/gu;
const SIGNS = 0xf0000;
const PLACES = 0x100000;
/** A letter that is not of ASCII. */
const LETTER = /\P{ASCII}/gu;

/** A text of the index as it is in the page. */
export const readable = (text: string): string =>
  text.replaceAll(REPLACED, (_, written?: string, signs?: string) => {
    let word = written ?? "";
    const codes = Array.from(signs ?? "", (sign) => sign.codePointAt(0) ?? 0);
    for (let at = 0; at < codes.length; at += 2) {
      const letter = String.fromCodePoint((codes[at] ?? 0) - SIGNS);
      const end = word.length - ((codes[at + 1] ?? 0) - PLACES);
      word = word.slice(0, end - typed(letter.toLowerCase()).length) + letter + word.slice(end);
    }
    return word;
  });

/** A letter as other keyboards write it, if Pagefind does not fold it: `ł`, with accents too, ligatures, and Catalan `ŀ`. */
const typed = (letter: string): string => {
  const unmarked = letter.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const plain = unmarked.replaceAll("·", "");
  const letters = spelled(plain);
  return letters !== unmarked || /^[a-z]{2,}$/.test(plain) ? letters : letter;
};

/** A query as it is looked up in the index. */
export const wanted = (query: string, language: string): string =>
  withoutArticles(query.toLowerCase(), language).replaceAll(/[ʻʼ]/g, "’").replaceAll(LETTER, typed);
