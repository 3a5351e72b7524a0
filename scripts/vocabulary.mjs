#!/usr/bin/env node
// Writes the vocabulary of schema.org as a table: a line for each type with its parents, then its properties. It reads the
// types of the npm package `schema-dts` (Apache-2.0), which are generated from the vocabulary (CC BY-SA 3.0):
//
//   npm pack schema-dts@2.1.0 && tar xzf schema-dts-2.1.0.tgz
//   node scripts/vocabulary.mjs package/dist/schema.d.ts > crates/content/src/collections/declared/vocabulary.txt

import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
/** @type {Map<string, { parents: Set<string>, properties: string[] }>} */
const bases = new Map();
/** @param {string} list */
const parentsOf = (list) => new Set([...list.matchAll(/(\w+)Base\b/g)].map(([, name]) => name));

for (const [, name, list = "", body] of text.matchAll(/^interface (\w+)Base(?: extends ([^{]+?))? \{\n([\s\S]*?)^\}/gm)) {
  const properties = [...body.matchAll(/^ {4}"(\w[\w-]*)"\?:/gm)].map(([, property]) => property);
  bases.set(name, { parents: parentsOf(list), properties });
}
const lines = [];
// A type whose name begins with a digit has another identifier in TypeScript.
for (const [, list, name] of text.matchAll(/^export interface \w+Leaf extends ([^{]+?) \{\n\s+"@type": "(\w+)";/gm)) {
  const identifier = /^\d/.test(name) ? `_${name}` : name;
  const base = parentsOf(list).has(identifier) ? bases.get(identifier) : undefined;
  const { parents, properties } = base ?? { parents: parentsOf(list), properties: [] };
  lines.push(`${[name, ...parents].join(" ")}:${properties.map((property) => ` ${property}`).join("")}`);
}
lines.sort();
process.stdout.write(`${lines.join("\n")}\n`);
