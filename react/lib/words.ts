// Interface texts with placeholders.

/** A text for each category of numbers, as the build writes it: `{count, plural, en, one {a post} other {{count} posts}}`. */
const PLURAL = /\{count, plural, ([\w-]+),((?: \w+ \{(?:[^{}]|\{\w+\})*\})+)\}/g;

/** Chooses the text for the number, if a message has one for each category. */
const choose = (message: string, count: string | undefined): string =>
  message.replaceAll(PLURAL, (_, language: string, cases: string) => {
    const wanted = new Intl.PluralRules(language).select(Number(count));
    const texts = new Map([...cases.matchAll(/(\w+) \{((?:[^{}]|\{\w+\})*)\}/g)].map(([, name, text]) => [name, text]));
    return texts.get(wanted) ?? texts.get("other") ?? "";
  });

/** Replaces placeholders, and keeps those without a value: `fill("{count} found", { count: "3" })` is `3 found`. */
export const fill = (message: string, values: Record<string, string>): string =>
  choose(message, values.count).replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
