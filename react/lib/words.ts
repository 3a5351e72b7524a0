// Interface words with values in them.

/** A message with its values: `fill("{count} found", { count: "3" })`. */
export const fill = (message: string, values: Record<string, string>): string =>
  message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
