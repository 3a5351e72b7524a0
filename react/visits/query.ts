// What may be told of a query: not who typed it.

/** Letters of a query that are told. */
const LONGEST = 60;

/** A query without what may be an address or a number of a person, or nothing. */
export const harmless = (query: string): string => {
  const words = query.trim().replace(/\s+/g, " ").toLowerCase();
  const isPersonal = words.includes("@") || (words.match(/\p{Nd}/gu)?.length ?? 0) > 4;
  return isPersonal ? "" : Array.from(words).slice(0, LONGEST).join("").trim();
};
