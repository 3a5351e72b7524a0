// Saves to a Git host: before a file is committed, what others have committed since its form was opened is read and kept. A
// value that both have changed stops the save, with a message, as in the preview.

import { distance } from "./compare.js";
import { Conflict, merge } from "./merge.js";
import { fill } from "./words.js";
import { read, write } from "./yaml-file.js";

/** @typedef {import("./decap").Json} Json */
/** @typedef {import("./decap").Kind} Kind */
/** @typedef {import("./decap").Meta} Meta */
/** @typedef {import("./decap").Values} Values */
/** @typedef {import("./decap").DataFile} DataFile */
/** @typedef {import("./words.js").Words} Words */

/** What could not be saved, and why. */
class Refused extends Error {}

/**
 * What forms began with, by the text that they are about to save.
 * @typedef {Map<string, Meta>} Begun
 */

/**
 * Makes the backend of a Git host merge. `begun` is filled by whoever writes a form as text; `tell` shows a message.
 * @param {import("./decap").Cms} cms
 * @param {string} name
 * @param {Begun} begun
 * @param {Words} words
 * @param {(message: string) => void} tell
 */
export function mergeSaves(cms, name, begun, words, tell) {
  const registered = cms.getBackend(name);
  const { init } = registered;
  registered.init = (...settings) => {
    const backend = init(...settings);
    const persist = backend.persistEntry.bind(backend);
    /** By path and text that a form was opened with, the text of its last save. @type {Map<string, string>} */
    const saved = new Map();
    backend.persistEntry = async (entry, options) => {
      try {
        const merged = await Promise.all(entry.dataFiles.map((file) => onto(backend, file, begun, saved, words)));
        const answer = await persist({ ...entry, dataFiles: merged }, options);
        for (const { path, raw } of entry.dataFiles) saved.set(keyOf(path, begun.get(raw)?.base), raw);
        return answer;
      } catch (error) {
        if (error instanceof Refused) tell(error.message);
        throw error;
      }
    };
    return backend;
  };
}

/**
 * @param {string} path
 * @param {string | null | undefined} base
 */
const keyOf = (path, base) => JSON.stringify([path, base ?? null]);

/**
 * A file with the changes of its form in the text that the host has now.
 * @param {import("./decap").Backend} backend
 * @param {DataFile} file
 * @param {Begun} begun
 * @param {Map<string, string>} saved
 * @param {Words} words
 * @returns {Promise<DataFile>}
 */
async function onto(backend, file, begun, saved, words) {
  const { path, raw } = file;
  const { base: opened, orders } = begun.get(raw) ?? {};
  // Decap keeps a form as it was opened when it is saved: its next save goes on from the last one.
  const base = saved.get(keyOf(path, opened)) ?? opened ?? null;
  const now = await textOf(backend, path);
  if (now === base || now === raw) return file;
  if (now === null) throw new Refused(fill(words.gone, { path }));
  if (base === null) throw new Refused(fill(words.exists, { path }));
  const kind = path.endsWith(".md") ? "post" : "data";
  const [before, form, present] = [base, raw, now].map((text) => valuesOf(text, kind));
  try {
    const values = /** @type {Values} */ (merge(before, form, present));
    const text = write({ ...values, __sitegen: { base: now, orders } }, kind);
    if (distance(valuesOf(text, kind), values) > 0) throw new Refused(fill(words.misread, { path }));
    return { ...file, raw: text };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const value = typeof error.now === "string" ? error.now : JSON.stringify(error.now ?? null);
    throw new Refused(fill(words.conflict, { path, name: error.path, value }));
  }
}

/**
 * The text of a file on the host; `null` if there is none.
 * @param {import("./decap").Backend} backend
 * @param {string} path
 * @returns {Promise<string | null>}
 */
async function textOf(backend, path) {
  try {
    return (await backend.getEntry(path)).data ?? null;
  } catch (error) {
    if (/** @type {{ status?: number }} */ (error).status === 404) return null;
    throw error;
  }
}

/**
 * @param {string} text
 * @param {Kind} kind
 * @returns {Json}
 */
function valuesOf(text, kind) {
  const { __sitegen: _, ...values } = read(text, kind);
  return values;
}
