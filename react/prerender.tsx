// Prerenders islands at build time. sitegen starts this file with Node, writes one request a line and reads one answer
// a line. An island is imported when it is first asked for, so that one bad file does not take all down.

import { createInterface } from "node:readline";
import { type ComponentType, createElement } from "react";
import { renderToString } from "react-dom/server";
import { islands } from "./islands";

interface Request {
  island: string;
  props: object;
  prefix: string;
}

type PrerenderAnswer = { ready: string } | { html: string } | { threw: { message: string; stack: string } } | "missing";

// Answers go to standard output; whatever a component logs must not stand between them.
console.log = console.info = console.debug = console.error;

const answer = (line: PrerenderAnswer): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/** React announces eager images and style sheets before the markup; in the middle of a page that is no use. */
const withoutHints = (html: string): string => html.replace(/^(?:<link rel="(?:preload|stylesheet)"[^>]*>)+/, "");

const render = async ({ island, props, prefix }: Request): Promise<PrerenderAnswer> => {
  const load = Object.hasOwn(islands, island) ? islands[island as keyof typeof islands] : undefined;
  if (!load) return "missing";
  try {
    const { default: component } = await load();
    // The props were checked against the island's struct before they were sent.
    const element = createElement(component as ComponentType<object>, props);
    return { html: withoutHints(renderToString(element, { identifierPrefix: prefix })) };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    return { threw: { message, stack } };
  }
};

answer({ ready: process.version });
createInterface({ input: process.stdin }).on("line", (line) => {
  void render(JSON.parse(line) as Request).then(answer);
});
