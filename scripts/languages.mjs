#!/usr/bin/env node
// Writes the table of languages: names, directions, dates, numbers, lengths of time and quotes as Unicode's CLDR has them (license:
// Unicode-3.0), and the codes that exist, those of ISO 639-3 among them (npm package `iso-639-3`, MIT).
//
//   npm install --no-save --prefix /tmp/cldr cldr-core@48.2.0 cldr-localenames-full@48.2.0 cldr-dates-full@48.2.0 \
//     cldr-numbers-full@48.2.0 cldr-misc-full@48.2.0 cldr-units-full@48.2.0 iso-639-3@3.0.1
//   node scripts/languages.mjs /tmp/cldr/node_modules > crates/schema/src/types/language/cldr.txt

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(process.argv[2]);
/** @param {string[]} path */
const json = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
/** The data of a locale, below `main`. @param {string} name @param {string} locale @param {string} file */
const main = (name, locale, file) => json(`cldr-${name}-full`, "main", locale, `${file}.json`).main[locale];

const { coverageLevels } = json("cldr-core", "coverageLevels.json");
const parents = json("cldr-core", "supplemental", "parentLocales.json").supplemental.parentLocales.parentLocale;
const aliases = json("cldr-core", "supplemental", "aliases.json").supplemental.metadata.alias;
const { iso6393 } = await import(pathToFileURL(join(root, "iso-639-3", "index.js")).href);

/** A pattern of CLDR in sitegen's words. @param {string} pattern */
const datePattern = (pattern) =>
  pattern
    .replace(/\s*G+\s*/g, " ")
    .replace(/'([^']*)'|(y+)|([ML]+)|(d+)/g, (_, literal, year, month, day) =>
      year ? "{year}" : month ? "{month}" : day ? "{day}" : literal,
    )
    .trim();

/**
 * Days, hours and minutes with their numbers, and how two of them are joined; an empty text if the language writes the symbols of SI.
 * A word that depends on the number is written `{0} one/{0} other`.
 * @param {string} locale
 */
const durations = (locale) => {
  const widths = main("units", locale, "units").units;
  const lists = main("misc", locale, "listPatterns").listPatterns;
  const isLatin = (/** @type {string | undefined} */ text) => /\p{Script=Latin}/u.test(text ?? "");
  /** @param {string} unit @param {string} symbol */
  const written = (unit, symbol) => {
    const forms = ["short", "narrow"].map((width) => {
      const texts = Object.entries(widths[width][`duration-${unit}`]).filter(([key]) => key.startsWith("unitPattern-count-"));
      return Object.fromEntries(texts.map(([key, text]) => [key.slice("unitPattern-count-".length), text.replaceAll("\u202f", " ")]));
    });
    const [short] = forms;
    const isOne = (/** @type {Record<string, string>} */ texts) => new Set(Object.values(texts)).size === 1;
    const latin = isLatin(short?.other);
    const own = forms.find((texts) => isOne(texts) && isLatin(texts.other) === latin);
    const { one, other } = own ?? short ?? {};
    const hasSymbol = forms.some((texts) => texts.other?.replace(/\{0\}|[\s.]/g, "").toLowerCase() === symbol);
    // A word with more than two forms has no place here.
    const hasMore = !own && Object.entries(short ?? {}).some(([key, text]) => !["one", "other"].includes(key) && text !== other);
    if (latin && (hasSymbol || hasMore)) return `{0} ${symbol}`;
    return one === undefined || one === other ? other : `${one}/${other}`;
  };
  const units = [written("day", "d"), written("hour", "h"), written("minute", "min")];
  const narrow = lists["listPattern-type-unit-narrow"]["2"];
  const isSpaced = units.some((unit) => /\{0\}\s/.test(unit));
  const joined = isSpaced ? narrow.replace("{0}{1}", "{0} {1}") : narrow;
  const cell = [...units, units.some(isLatin) || isLatin(joined) ? "{0} {1}" : joined].join("|");
  return cell === "{0} d|{0} h|{0} min|{0} {1}" ? "" : cell;
};

/** The signs of currencies that are not their codes: `EUR=€|USD=$`. @param {string} locale @param {string} [parent] */
const currencies = (locale, parent) => {
  const signs = (/** @type {string} */ of) => {
    const all = Object.entries(main("numbers", of, "currencies").numbers.currencies);
    return new Map(all.map(([code, { symbol }]) => [code, plain(symbol ?? code)]));
  };
  const inherited = parent ? signs(parent) : new Map();
  const own = [...signs(locale)].filter(([code, sign]) => code !== "XXX" && sign !== (inherited.get(code) ?? code));
  return own.map(([code, sign]) => `${code}=${sign}`).join("|");
};

/** Without marks of direction. @param {string} text */
const plain = (text) => text.replace(/[\u200e\u200f\u061c]/g, "");

/** A date and a time: `{1}, {0}`. @param {string} locale */
const moment = (locale) => {
  const { medium } = main("dates", locale, "ca-gregorian").dates.calendars.gregorian.dateTimeFormats;
  return plain(medium._value ?? medium).replaceAll("'", "");
};

/** What separates the parts of a list, where it is no word: `, `. @param {string} locale */
const comma = (locale) => {
  const lists = main("misc", locale, "listPatterns").listPatterns;
  const patterns = [...["standard", "unit"].map((type) => plain(lists[`listPattern-type-${type}`].middle)), moment(locale)];
  return patterns.map((pattern) => pattern.replace(/\{[01]\}/g, "")).find((text) => /^\p{Po}\s?$/u.test(text)) ?? ", ";
};

/** Its values, in the order of the columns. @param {string} locale */
const values = (locale) => {
  const calendar = main("dates", locale, "ca-gregorian").dates.calendars.gregorian;
  const pattern = calendar.dateFormats.long._value ?? calendar.dateFormats.long;
  const width = /[ML]+/.exec(pattern.replace(/'[^']*'/g, ""))?.[0].length ?? 4;
  /** @type {Record<string, string>} */
  const months = calendar.months.format[width === 3 ? "abbreviated" : "wide"];
  const monthNames = width < 3 ? Array.from({ length: 12 }, (_, at) => String(at + 1)) : Object.values(months);
  const days = calendar.days.format.abbreviated;
  const numbers = main("numbers", locale, "numbers").numbers;
  const symbols = numbers["symbols-numberSystem-latn"];
  const [money] = numbers["currencyFormats-numberSystem-latn"].standard.split(";");
  const quotes = main("misc", locale, "delimiters").delimiters;
  const percent = plain(numbers["percentFormats-numberSystem-latn"].standard).replace(/[#0,.]+/, "0");
  return [
    main("misc", locale, "layout").layout.orientation.characterOrder === "right-to-left" ? "rtl" : "ltr",
    datePattern(pattern),
    monthNames.join("|"),
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map((day) => days[day]).join("|"),
    symbols.decimal,
    symbols.group,
    numbers.minimumGroupingDigits,
    percent,
    plain(money).replace(/[#0,.]+/, "0"),
    ["quotationStart", "quotationEnd", "alternateQuotationStart", "alternateQuotationEnd"].map((key) => quotes[key]).join("|"),
    durations(locale),
    /#,##,/.test(numbers["decimalFormats-numberSystem-latn"].standard) ? "2" : "3",
    symbols.currencyDecimal ?? symbols.decimal,
    symbols.currencyGroup ?? symbols.group,
    comma(locale),
    moment(locale),
  ].map((value) => value.replaceAll("\t", " "));
};

/** The language's name in the language. @param {string} tag @param {string} locale The locale that has its names */
const nameOf = (tag, locale = tag) => {
  const { languages } = main("localenames", locale, "languages").localeDisplayNames;
  const { territories } = main("localenames", locale, "territories").localeDisplayNames;
  const { scripts } = main("localenames", locale, "scripts").localeDisplayNames;
  const parts = tag.split("-");
  let name = languages[tag];
  for (let length = parts.length - 1; !name && length > 0; length -= 1) {
    const rest = parts.slice(length).map((part) => territories[part] ?? scripts[part] ?? part);
    const start = languages[parts.slice(0, length).join("-")];
    name = start && `${start} (${rest.join(", ")})`;
  }
  if (!name) return "";
  const [first] = name;
  return first.toLocaleUpperCase(locale) + name.slice(first.length);
};

const needed = ["dates/ca-gregorian", "localenames/languages", "localenames/territories", "localenames/scripts", "misc/layout", "misc/delimiters", "misc/listPatterns", "numbers/numbers", "numbers/currencies", "units/units"];
const isWhole = (/** @type {string} */ locale) =>
  needed.map((path) => path.split("/")).every(([name, file]) =>
    existsSync(join(root, `cldr-${name}-full`, "main", locale, `${file}.json`)),
  );
const known = readdirSync(join(root, "cldr-misc-full", "main")).filter(
  (locale) => coverageLevels[locale.split("-")[0]] && isWhole(locale),
);
const present = new Set(known);
/** @param {string} locale @returns {string} */
const parentOf = (locale) => {
  for (let at = parents[locale] ?? locale.replace(/-?[^-]+$/, ""); at && at !== "und"; at = at.replace(/-?[^-]+$/, "")) {
    if (present.has(at)) return at;
  }
  return "";
};

/** @param {string[]} columns */
const line = (...columns) => process.stdout.write(`${columns.join("\t")}\n`);
line("# Languages, from CLDR and ISO 639-3. Written by scripts/languages.mjs.");
line("# locale, tag, parent, name, then where it differs from its parent: direction, date, months, days from Monday on,");
line("# decimal separator, separator of groups, digits before the first group, percent, money, quotes, durations,");
line("# digits of a group, decimal separator and separator of groups in money, comma, date with time, signs of currencies");
for (const locale of known) {
  const parent = parentOf(locale);
  const inherited = parent ? values(parent) : [];
  const own = values(locale).map((value, at) => (value === inherited[at] ? "" : value));
  line("locale", locale, parent, nameOf(locale), ...own, currencies(locale, parent));
}
// Regions whose data is that of the language, such as `pt-BR`, have a name only.
for (const tag of json("cldr-core", "defaultContent.json").defaultContent) {
  const [language] = /** @type {string[]} */ (tag.split("-"));
  const parent = present.has(tag.replace(/-[^-]+$/, "")) ? tag.replace(/-[^-]+$/, "") : language;
  if (!present.has(tag) && present.has(parent)) line("locale", tag, parent, nameOf(tag, parent), ...Array(17).fill(""));
}
const english = (/** @type {string} */ file) => main("localenames", "en", file).localeDisplayNames[file];
for (const [kind, file, code] of /** @type {const} */ ([
  ["language", "languages", /^[a-z]{2,3}$/],
  ["script", "scripts", /^[A-Z][a-z]{3}$/],
  ["territory", "territories", /^([A-Z]{2}|\d{3})$/],
])) {
  for (const [key, name] of Object.entries(english(file))) {
    if (code.test(key) && !["und", "mul", "zxx", "mis"].includes(key)) line(kind, key, String(name));
  }
}
for (const [kind, pattern] of /** @type {const} */ ([["language", /^[a-z]{2,3}$/], ["territory", /^[A-Z]{2}$/]])) {
  for (const [from, { _replacement: to }] of Object.entries(aliases[`${kind}Alias`])) {
    if (pattern.test(from) && !String(to).includes(" ")) line("alias", from, String(to));
  }
}
// Regions that decide the script, such as `zh-TW`.
const likely = json("cldr-core", "supplemental", "likelySubtags.json").supplemental.likelySubtags;
for (const [from, to] of Object.entries(likely)) {
  const rest = String(to).replace(/-[A-Z]{2}$/, "");
  const isRegion = /^(?!und)[a-z]{2,3}-[A-Z]{2}$/.test(from);
  if (isRegion && present.has(rest)) line("likely", from, present.has(String(to)) ? String(to) : rest);
}
const listed = new Set(Object.keys(english("languages")));
line("rare", iso6393.map((/** @type {{iso6393: string}} */ one) => one.iso6393).filter((/** @type {string} */ code) => !listed.has(code)).join(""));
