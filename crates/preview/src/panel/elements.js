// Makes elements for the panel of the preview, and asks the server. The panel is in a shadow tree, in English, whatever the
// language of the page.

/** @typedef {import("./wire").Link} Link */
/** @typedef {(text: string) => void} Notify */
/** @typedef {Node | string | null | undefined} Child */

/**
 * Makes an element. Properties that are functions are listeners; `class`, `role`, `aria-…` and the like are attributes.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number | boolean | null | undefined | ((event: never) => void)>} properties
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, /** @type {EventListener} */ (value));
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * `content/site.yaml:3:7`
 * @param {Link} place
 */
export const written = ({ path, line, column }) => [path, line, line ? column : null].filter(Boolean).join(":");

/**
 * A place in a file: a link that opens it in the editor, else a button that copies its path.
 * @param {Link} link
 * @param {Notify} notify
 */
export function place(link, notify) {
  const text = written(link);
  if (link.url) return h("a", { class: "place", href: link.url, title: link.text }, text);
  const isFile = !link.path.includes("://") && !link.path.includes(" ");
  if (!isFile) return h("span", { class: "place" }, text);
  const copyIt = async () => notify((await copy(text)) ? `Copied ${text}` : text);
  return h("button", { class: "place", type: "button", click: copyIt, title: "Copy the path" }, text);
}

/**
 * Copies a text. False if the browser refuses.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name */
const asked = (name) => new URL(`../${name}`, import.meta.url);

/** Time between questions to a server that is building, and how often it is asked, in milliseconds. */
const PAUSE = 400;
const TRIES = 25;

/**
 * What the server answers, by the first part of the question.
 * @typedef {{
 *   page: import("./wire").PageAnswer,
 *   saved: import("./wire").LastSave,
 *   source: import("./wire").PageSource,
 *   weights: import("./wire").Weights,
 * }} Answers
 */

/**
 * Asks the server. `null` if it has no answer: the site has errors, or another machine asks.
 * @template {keyof Answers} Name
 * @param {Name} name
 * @param {{ query?: Record<string, string>, body?: unknown }} question
 * @returns {Promise<Answers[Name] | null>}
 */
export async function ask(name, { query, body } = {}) {
  const address = query ? `${name}?${new URLSearchParams(query)}` : name;
  for (let tries = 0; tries < TRIES; tries++) {
    const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(asked(address), body ? options : {}).catch(() => null);
    if (answer?.ok) return answer.json();
    if (answer?.status !== 503) return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return null;
}

/**
 * `12.3 kB`
 * @param {number} bytes
 */
export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(bytes < 99_500 ? 1 : 0)} kB`;

/**
 * `1 page`, `2 pages`
 * @param {number} number
 * @param {string} one
 */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
