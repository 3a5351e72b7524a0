// Interface texts with placeholders.

/** Replaces placeholders, and keeps those without a value: `fill("{count} found", { count: "3" })` is `3 found`. */
export const fill = (message: string, values: Record<string, string>): string =>
  message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
