// Compares values of files, by the rules of `crates/diagnostics/src/yaml/compare.rs`: which values count as nothing, which
// items of two lists belong together, and how far two values are apart. Both are tested with `tests/merges.json`.

/** @typedef {import("./decap.d.ts").Json} Json */
/** @typedef {import("./decap.d.ts").Block} Block */

/**
 * @param {Json} value
 * @returns {value is Block}
 */
export const isBlock = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether it is no value, an empty text, or a list or block of such values.
 * @param {Json} value
 * @returns {boolean}
 */
export const isBlank = (value) =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.every(isBlank)) ||
  (isBlock(value) && Object.values(value).every(isBlank));

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/**
 * The number of scalars, lists and blocks in a value.
 * @param {Json} value
 * @returns {number}
 */
const weight = (value) => {
  if (isBlank(value)) return 0;
  if (Array.isArray(value)) return 1 + sum(value.map(weight));
  return isBlock(value) ? 1 + sum(Object.values(value).map(weight)) : 1;
};

/**
 * The number of scalars by which a value differs from the wanted one. The order of keys and blank values do not count.
 * @param {Json} value
 * @param {Json} wanted
 * @returns {number}
 */
export function distance(value, wanted) {
  if (isBlank(value) && isBlank(wanted)) return 0;
  if (isBlock(value) && isBlock(wanted)) {
    const changed = Object.entries(value).map(([name, item]) => {
      if (name in wanted) return distance(item, wanted[name]);
      return isBlank(item) ? 0 : 1;
    });
    const missing = Object.entries(wanted).map(([name, item]) => (name in value ? 0 : weight(item)));
    return sum(changed) + sum(missing);
  }
  if (Array.isArray(value) && Array.isArray(wanted)) {
    const from = arrangement(value, wanted);
    const inner = from.map((at, to) => (at === undefined ? weight(wanted[to]) : distance(value[at], wanted[to])));
    const gone = value.filter((_, at) => !from.includes(at)).length;
    return sum(inner) + gone + (isInPlace(from, value.length) ? 0 : 1);
  }
  return Object.is(value, wanted) || value === wanted ? 0 : 1 + weight(wanted);
}

/**
 * Whether an arrangement leaves each of `count` items where it is.
 * @param {(number | undefined)[]} from
 * @param {number} count
 */
export const isInPlace = (from, count) => from.length === count && from.every((at, to) => at === to);

/**
 * For each wanted item of a list, the item that it comes from: the same one, else the one that it differs from the least, else
 * the one in its place; `undefined` for a new item. No item is used twice.
 * @param {Json[]} items
 * @param {Json[]} wanted
 * @returns {(number | undefined)[]}
 */
export function arrangement(items, wanted) {
  /** @type {(number | undefined)[]} */
  const from = wanted.map(() => undefined);
  const used = new Set();
  /**
   * @param {number} to
   * @param {number} at
   */
  const take = (to, at) => {
    from[to] = at;
    used.add(at);
  };
  const both = Math.min(items.length, wanted.length);
  for (let at = 0; at < both; at += 1) if (distance(items[at], wanted[at]) === 0) take(at, at);
  for (const [to, value] of wanted.entries()) {
    if (from[to] !== undefined) continue;
    const at = items.findIndex((item, index) => !used.has(index) && distance(item, value) === 0);
    if (at >= 0) take(to, at);
  }
  // Items with at least half of their values in common, the most alike first.
  /** @type {[number, number, number, number][]} */
  const pairs = [];
  for (const [to, value] of wanted.entries()) {
    if (from[to] !== undefined) continue;
    for (const [at, item] of items.entries()) {
      const difference = used.has(at) ? Number.POSITIVE_INFINITY : distance(item, value);
      if (difference <= weight(value) - 1) pairs.push([difference, Math.abs(at - to), to, at]);
    }
  }
  pairs.sort((one, other) => one.map((part, at) => part - (other[at] ?? 0)).find((part) => part !== 0) ?? 0);
  for (const [, , to, at] of pairs) if (from[to] === undefined && !used.has(at)) take(to, at);
  // A value that was typed over.
  if (wanted.length >= items.length) {
    for (let at = 0; at < both; at += 1) if (from[at] === undefined && !used.has(at)) take(at, at);
  }
  return from;
}
