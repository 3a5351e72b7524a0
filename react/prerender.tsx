// Prerenders islands at build time. sitegen runs this file with Node.js, writes one JSON request per line to standard
// input, and reads one JSON response with the same id per line from standard output. Each island is imported on its
// first request, so that a module that fails to load does not affect the others.

import { createInterface } from "node:readline";
import { type ComponentType, createElement } from "react";
import { renderToString } from "react-dom/server";
import { customIslands } from "./custom-islands";
import { islands } from "./islands";

interface PrerenderRequest {
  island: string;
  props: object;
  prefix: string;
}

type PrerenderAnswer = { html: string } | { threw: { message: string; stack: string } } | "missing";

// Standard output is reserved for responses, so console output of components goes to standard error.
console.log = console.info = console.debug = console.error;

const answer = (id: number, value: PrerenderAnswer | string): void => {
  process.stdout.write(`${JSON.stringify({ id, answer: value })}\n`);
};

/** Removes the preload hints that React emits before the markup, which have no benefit in the middle of a page. */
const withoutHints = (html: string): string => html.replace(/^(?:<link rel="(?:preload|stylesheet)"[^>]*>)+/, "");

const render = async ({ island, props, prefix }: PrerenderRequest): Promise<PrerenderAnswer> => {
  const all: Record<string, () => Promise<{ default: unknown }>> = { ...customIslands, ...islands };
  const load = Object.hasOwn(all, island) ? all[island] : undefined;
  if (!load) return "missing";
  try {
    const { default: component } = await load();
    // sitegen has validated the props against their declaration before it sent them.
    const element = createElement(component as ComponentType<object>, props);
    return { html: withoutHints(renderToString(element, { identifierPrefix: prefix })) };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    return { threw: { message, stack } };
  }
};

answer(0, process.version);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, request } = JSON.parse(line) as { id: number; request: PrerenderRequest };
  void render(request).then((rendered) => answer(id, rendered));
});
