// A reporter for `node --test-reporter`: a line of JSON for each test, which run.mjs reads.

import { results } from "./reporter.mjs";

/** @param {AsyncIterable<any>} events events of the test runner */
export default async function* report(events) {
  for await (const found of results(events)) if (typeof found !== "string") yield `${JSON.stringify(found)}\n`;
}
