// Makes elements for the panel of the preview, and asks the server. The panel is in a shadow tree, in English, whatever the
// language of the page.

/** Makes an element. Properties that are functions are listeners; `class`, `role`, `aria-…` and the like are attributes. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** `content/site.yaml:3:7` */
export const written = ({ path, line, column }) => [path, line, line ? column : null].filter(Boolean).join(":");

/** A place in a file: a link that opens it in the editor, else a button that copies its path. */
export function place(link, notify) {
  const text = written(link);
  if (link.url) return h("a", { class: "place", href: link.url, title: link.text }, text);
  const isFile = !link.path.includes("://") && !link.path.includes(" ");
  if (!isFile) return h("span", { class: "place" }, text);
  const copyIt = async () => notify((await copy(text)) ? `Copied ${text}` : text);
  return h("button", { class: "place", type: "button", click: copyIt, title: "Copy the path" }, text);
}

/** Copies a text. False if the browser refuses. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const asked = (name) => new URL(`../${name}`, import.meta.url);

/** Time between questions to a server that is building, and how often it is asked, in milliseconds. */
const PAUSE = 400;
const TRIES = 25;

/** Asks the server. `null` if it has no answer: the site has errors, or another machine asks. */
export async function ask(name, body) {
  for (let tries = 0; tries < TRIES; tries++) {
    const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(asked(name), body ? options : {}).catch(() => null);
    if (answer?.ok) return answer.json();
    if (answer?.status !== 503) return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return null;
}

/** `12.3 kB` */
export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(bytes < 99_500 ? 1 : 0)} kB`;

/** `1 page`, `2 pages` */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
