// Merges the values of a form into those of a file that may have changed since the form was opened, by the rules of
// `crates/desk/src/save/merge.rs`. Both are tested with `tests/merges.json`.
//
// There are three values: the base, with which the form began, that of the form, and that of the file now. A value that one
// side left as it was has the value of the other side.

import { arrangement, distance, isBlank, isBlock, isInPlace } from "./compare.js";

/** @typedef {import("./decap.d.ts").Json} Json */
/** @typedef {import("./decap.d.ts").Block} Block */

/** A value that the form and the file have changed, each in another way. */
export class Conflict extends Error {
  /**
   * @param {string} path with items counted from 1: `hero.actions.1.label`
   * @param {Json} now the value in the file
   */
  constructor(path, now) {
    super(path);
    this.path = path;
    this.now = now;
  }
}

/**
 * The value that the file must have; `undefined` for none. Throws a {@link Conflict}.
 * @param {Json} base
 * @param {Json} form
 * @param {Json} file
 * @returns {Json}
 */
export function merge(base, form, file, path = "") {
  if (isSame(base, form) || isSame(form, file)) return file;
  if (isSame(base, file)) return form;
  if (isBlock(form) && isBlock(file)) return entries(isBlock(base) ? base : {}, form, file, path);
  const items = Array.isArray(base) && Array.isArray(form) && Array.isArray(file) && merged(base, form, file, path);
  if (items) return items;
  throw new Conflict(path, file);
}

/**
 * @param {Json} one
 * @param {Json} other
 */
const isSame = (one, other) =>
  one === undefined || other === undefined ? isBlank(one) && isBlank(other) : distance(one, other) === 0;

/** @param {string[]} names */
const below = (...names) => names.filter((name) => name !== "").join(".");

/**
 * Keys in the order of the form, then those that only the file has.
 * @param {Block} base
 * @param {Block} form
 * @param {Block} file
 * @param {string} path
 * @returns {Block}
 */
function entries(base, form, file, path) {
  const names = new Set([...Object.keys(form), ...Object.keys(file)]);
  const all = [...names].map((name) => [name, merge(base[name], form[name], file[name], below(path, name))]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/**
 * `undefined` if both sides added, moved or removed items.
 * @param {Json[]} base
 * @param {Json[]} form
 * @param {Json[]} file
 * @param {string} path
 * @returns {Json[] | undefined}
 */
function merged(base, form, file, path) {
  const [inForm, inFile] = [arrangement(base, form), arrangement(base, file)];
  const isForm = !isInPlace(inForm, base.length);
  if (isForm && !isInPlace(inFile, base.length)) return undefined;
  // The side that arranged the items, and the other one.
  const [from, arranged, other] = isForm ? [inForm, form, file] : [inFile, file, form];
  for (const [at, item] of base.entries()) {
    if (!from.includes(at) && distance(item, other[at]) > 0) {
      throw new Conflict(below(path, String(at + 1)), isForm ? other[at] : undefined);
    }
  }
  return arranged.map((item, to) => {
    const at = from[to];
    if (at === undefined) return item;
    const [ofForm, ofFile] = isForm ? [item, other[at]] : [other[at], item];
    return merge(base[at], ofForm, ofFile, below(path, String((isForm ? at : to) + 1))) ?? null;
  });
}
