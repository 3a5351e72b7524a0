// The languages of the site, and the addresses and words of each.
export const LANGUAGES = ["en", "es", "de", "ar", "zh-hans"] as const;
export type Language = (typeof LANGUAGES)[number];

export const COLLECTIONS = ["treatments", "clinics", "team", "jobs", "events"] as const;
export type Name = (typeof COLLECTIONS)[number];

type Words = Record<string, string> & { lists: Record<Name, string> };
const files = import.meta.glob<Words>("../words/*.json", { eager: true, import: "default" });
export const words = (language: Language): Words => files[`../words/${language}.json`];

export const prefix = (language: Language) => (language === "en" ? "" : `/${language}`);
export const href = (language: Language, collection: Name, id?: string) =>
  `${prefix(language)}/${collection}/${id ? `${id}/` : ""}`;

/** A text in a language, or in English. */
export const text = (all: Partial<Record<string, string>>, language: Language) => all[language] ?? all.en;
