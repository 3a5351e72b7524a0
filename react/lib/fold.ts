// The form of a text in which searches compare it: `Migración` and `MIGRACION` are the same. The search index folds words
// in the same way (`crates/search-index/src/analyzer.rs`); both are tested with `tests/fold.json`.

/** Letters that have no decomposition in Unicode, but are not on other keyboards. */
const LETTERS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ŋ: "n",
  ŧ: "t",
  ə: "e",
};

/** Writes these letters in a text in lower case as other keyboards do. */
export const spelled = (lower: string): string => lower.replaceAll(/[ßæœþøłđðħıŋŧə]/g, (letter) => LETTERS[letter] ?? letter);

/** Removes case, accents, width variants, and invisible characters inside words. Other characters stay. */
export const fold = (text: string): string =>
  spelled(
    text
      // Compatibility forms first: some of them, such as full-width letters and ligatures, have a case only afterwards.
      .normalize("NFKC")
      .toLowerCase()
      // Catalan: `col·legi`.
      .replaceAll("l·l", "ll")
      .normalize("NFKD")
      .replaceAll(/[\p{M}\u00ad\u200c\u200d]/gu, "")
      // Apostrophes that Unicode calls letters.
      .replaceAll(/[\u02bb\u02bc]/g, "'"),
  );
