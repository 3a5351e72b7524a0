// Marks posts that are not published: a ribbon on their pages, and a word on what links to them. Style sheets of the document
// draw the words, so that no element of the page changes under an island that hydrates.

import { h } from "./elements.js";
import { sheet } from "./style.js";

/**
 * `2026-12-24T08:00:00Z` as people of the browser's language write it.
 * @param {string} at
 */
const moment = (at) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/**
 * What the ribbon, the panel and the lists say.
 * @param {import("./wire").StatePart} state
 */
export function stateWords({ name, at }) {
  if (name === "scheduled" && at) return `Scheduled for ${moment(at)}`;
  if (name === "expired" && at) return `Expired ${moment(at)}`;
  return "Draft";
}

/**
 * @param {ShadowRoot} root
 * @param {import("./wire").PageAnswer} known
 */
export function mark(root, { page, unpublished }) {
  if (page?.state) {
    const words = `${stateWords(page.state)} – only in the preview`;
    root.querySelector("aside")?.append(h("p", { class: "ribbon" }, words));
  }
  const rules = unpublished
    .filter(({ address }) => address)
    .map(({ address, state }) => {
      const link = `main :is(h1,h2,h3,h4,h5,h6) a[href=${JSON.stringify(address)}]`;
      const words = JSON.stringify(stateWords(state));
      return `${link}::before{content:${words};display:inline-block;margin-inline-end:.5em;padding:.15em .5em;vertical-align:middle;border-radius:var(--radius-control,4px);background:var(--color-signal,#f0ff64);color:var(--color-ink,#0e1412);font:600 14px/1.4 var(--font-text,sans-serif);letter-spacing:0}`;
    });
  if (rules.length > 0) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet(rules.join("\n"))];
}
