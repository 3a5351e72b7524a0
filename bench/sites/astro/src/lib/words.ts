// The words of the interface by language, and how values are put into them.
import en from "../words/en.json";
import es from "../words/es.json";

export const SITE = { title: "Bench", url: "https://bench.example", company: "Bench Works", year: 2025 };
export const WORDS = { en, es };
export type Locale = keyof typeof WORDS;
export const LOCALES = Object.keys(WORDS) as Locale[];

export const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

export const iso = (date: Date) => date.toISOString().slice(0, 10);

export function day(date: Date, locale: Locale) {
  const words = WORDS[locale];
  return fill(words.date, { month: words.months[date.getUTCMonth()], day: date.getUTCDate(), year: date.getUTCFullYear() });
}
