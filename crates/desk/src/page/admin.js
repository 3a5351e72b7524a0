// Starts Decap CMS with the configuration of this site: formats that read and write its files, fields that complete what
// the site has, and the page of a file beside its form.

import { toFile, toForm } from "./convert.js";
import { registerPreview } from "./preview.js";
import { registerWidgets } from "./widgets.js";
import { WORDS } from "./words.js";

/** @typedef {import("./decap").Json} Json */
/** @typedef {import("./decap").Values} Values */
/** @typedef {import("./words.js").Words} Words */

const wait = document.getElementById("sitegen-wait");
/** @param {string} message */
const fail = (message) => {
  wait?.setAttribute("role", "alert");
  if (wait) wait.textContent = message;
};

/**
 * The configuration: `config` for Decap, `sitegen` for this page.
 * @returns {Promise<{ config: import("./decap").Config, sitegen: import("./decap").Sitegen }>}
 */
async function load() {
  const answer = await fetch("config.json");
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/**
 * Runs the script of Decap. If it cannot be had, the answer of the server says why.
 * @param {string} path
 */
function run(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = path;
    script.addEventListener("load", resolve);
    script.addEventListener("error", async () => {
      const answer = await fetch(path).catch(() => null);
      reject(new Error(answer && !answer.ok ? await answer.text() : `${path} could not be loaded`));
    });
    document.head.append(script);
  });
}

/**
 * Puts the forms of section kinds where fields name them, which are in the file once, and the day where it is the default.
 * @param {Json} value
 * @param {import("./decap").Block} types
 * @returns {Json}
 */
function completed(value, types) {
  if (Array.isArray(value)) return value.map((item) => completed(item, types));
  if (typeof value !== "object" || value === null) return value;
  /**
   * @param {[string, Json]} entry
   * @returns {[string, Json]}
   */
  const part = ([key, item]) => {
    if (key === "types" && typeof item === "string") return [key, types[item]];
    if (key === "default" && item === "today") return [key, today()];
    return [key, completed(item, types)];
  };
  return Object.fromEntries(Object.entries(value).map(part));
}

/** The day here, such as `2025-03-31`. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/**
 * How a collection reads and writes its files. The preview sends and takes JSON.
 * @param {import("./decap").Sitegen} sitegen
 * @param {(own: Values) => Values} continued Gives values the text that they go on from.
 * @param {Map<string, import("./decap").Meta>} begun Gets what a form began with, by the text that it becomes.
 * @returns {Promise<{ name: string, extension: string, format: import("./decap").Format }[]>}
 */
async function formats({ preview, formats: all }, continued, begun) {
  const file = preview ? null : await import("./yaml-file.js");
  return all.map(({ name, extension, kind, rules }) => ({
    name,
    extension,
    format: {
      fromFile: (text) => toForm(file ? file.read(text, kind) : JSON.parse(text || "{}"), kind, rules),
      toFile: (values, order) => {
        const own = toFile(ordered(values, order), kind, rules);
        if (!file) return JSON.stringify(continued(own));
        const text = file.write(own, kind);
        begun.set(text, own.__sitegen ?? {});
        return text;
      },
    },
  }));
}

/**
 * Values in the order of the fields: a form has those first that have a default.
 * @param {Values} values
 * @param {string[]} names
 * @returns {Values}
 */
function ordered(values, names = []) {
  /** @param {string} name */
  const rank = (name) => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.fromEntries(Object.entries(values).sort(([one], [other]) => rank(one) - rank(other)));
}

/**
 * Follows the saves of forms in the preview. What the server refused is shown until it is read: the notices of Decap vanish by
 * themselves. Decap keeps a form as it was opened when it is saved, so that a second save would find its first one in the file,
 * as a change of somebody else: the function that is returned gives values the text that the last save began with.
 * @param {string | undefined} address
 * @param {Words} words
 */
function followSaves(address, words) {
  /** By path and text that a form was opened with, the text after its last save. @type {Map<string, string>} */
  const saved = new Map();
  /** @param {import("./decap").Meta} meta */
  const keyOf = (meta) => JSON.stringify([meta.path, (meta.opened === undefined ? meta.base : meta.opened) ?? null]);
  const original = window.fetch;
  window.fetch = async (resource, options) => {
    const { pathname } = new URL(resource instanceof Request ? resource.url : resource, location.href);
    if (options?.method !== "POST" || pathname !== address) return original(resource, options);
    const { action = "", params } = JSON.parse(typeof options.body === "string" ? options.body : "{}");
    const isChange = action.startsWith("persist") || action.startsWith("delete");
    const answer = await original(resource, options).catch((error) => {
      if (isChange) show(words.stopped, words);
      throw error;
    });
    if (!answer.ok && isChange) {
      // A preview that was started again has another token, and answers with a page.
      const { error } = await answer
        .clone()
        .json()
        .catch(() => ({ error: answer.status === 403 ? words.restarted : answer.statusText }));
      show(error, words);
    } else if (answer.ok && action === "persistEntry") {
      const { bases = {} } = await answer.clone().json();
      for (const { path, raw } of params.dataFiles) {
        const { __sitegen: meta } = JSON.parse(raw);
        if (meta?.path && typeof bases[path] === "string") saved.set(keyOf(meta), bases[path]);
      }
    }
    return answer;
  };
  /** @param {Values} own */
  return (own) => {
    const { __sitegen: meta } = own;
    const base = meta?.path && saved.get(keyOf(meta));
    return base ? { ...own, __sitegen: { ...meta, base, opened: meta.base ?? null } } : own;
  };
}

/**
 * Links to the list of all content, which the preview has beside the forms.
 * @param {Words} words
 */
function linkToList(words) {
  const nav = document.createElement("nav");
  nav.className = "sitegen-list";
  nav.setAttribute("aria-label", words.list);
  const link = document.createElement("a");
  link.href = "content/";
  link.textContent = words.list;
  nav.append(link);
  document.body.append(nav);
}

/**
 * @param {string} message
 * @param {Words} words
 */
function show(message, words) {
  const dialog = document.createElement("dialog");
  dialog.className = "sitegen-message";
  const heading = document.createElement("h2");
  heading.textContent = words.refused;
  heading.id = "sitegen-refused";
  const text = document.createElement("p");
  text.textContent = message;
  const button = document.createElement("button");
  button.textContent = words.close;
  button.addEventListener("click", () => dialog.close());
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(heading, text, button);
  document.body.append(dialog);
  dialog.showModal();
}

try {
  const { config, sitegen } = await load();
  const words = WORDS[config.locale] ?? WORDS.en;
  document.documentElement.lang = config.locale;
  window.CMS_MANUAL_INIT = true;
  await run("decap/decap-cms.js");
  const { CMS } = window;
  const continued = sitegen.preview ? followSaves(config.backend.proxy_url, words) : (/** @type {Values} */ own) => own;
  const begun = new Map();
  const all = await formats(sitegen, continued, begun);
  for (const { name, extension, format } of all) CMS.registerCustomFormat(name, extension, format);
  registerWidgets(CMS, config, sitegen, words);
  if (sitegen.preview) {
    registerPreview(CMS, config, sitegen, words, new Map(all.map(({ name, format }) => [name, format])));
    linkToList(words);
  } else {
    const { mergeSaves } = await import("./git-host.js");
    mergeSaves(CMS, config.backend.name, begun, words, (message) => show(message, words));
  }
  const filled = completed(/** @type {import("./decap").Block} */ (/** @type {unknown} */ (config)), sitegen.types);
  const address = sitegen.preview ? { site_url: location.origin + sitegen.base_path } : {};
  wait?.remove();
  CMS.init({ config: { .../** @type {object} */ (filled), ...address } });
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
