#!/usr/bin/env node
// Checks the license of each npm package in a lock file, as deny.toml does for crates. Needs no network.
//
//   node scripts/npm-licenses.mjs [LOCK FILE…]     default: package-lock.json, bench/package-lock.json

import { readFileSync } from "node:fs";

/** Licenses under which a site, or the program with its packages, can be shipped by anyone. */
const SHIPPED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "MIT-0", "OFL-1.1"];
/** Licenses of tools that check this repository, and that nobody ships. */
const TOOLS = ["CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "MPL-2.0", "Python-2.0"];
/** Exceptions by package, with the reason. */
const EXCEPTIONS = [
  // The libraries of sharp encode photographs in a process of their own, and no site contains them.
  { name: /^@img\/sharp-/, licenses: ["LGPL-3.0-or-later"] },
  // The lock file has no license; the package's README says MIT.
  { name: /^svg-tags$/, licenses: ["none"] },
];

/** Tells whether an SPDX expression without brackets is allowed: all parts of an AND, one part of an OR. */
export const isAllowed = (expression, allowed) =>
  expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((license) => allowed.includes(license)));

/** Lists the packages of a lock file whose license is not allowed, as `name: license`. Nobody ships those of benchmarks. */
export function refused(lock, onlyTools = false) {
  return Object.entries(lock.packages)
    .filter(([path]) => path.includes("node_modules/"))
    .map(([path, { license = "none", dev = onlyTools }]) => ({ name: path.split("node_modules/").at(-1), license, dev }))
    .filter(({ name, license, dev }) => {
      const exceptions = EXCEPTIONS.filter((exception) => exception.name.test(name)).flatMap(({ licenses }) => licenses);
      return !isAllowed(license, [...SHIPPED, ...(dev ? TOOLS : []), ...exceptions]);
    })
    .map(({ name, license }) => `${name}: ${license}`);
}

if (process.argv[1]?.endsWith("npm-licenses.mjs")) {
  const files = process.argv.length > 2 ? process.argv.slice(2) : ["package-lock.json", "bench/package-lock.json"];
  for (const file of files) {
    for (const line of refused(JSON.parse(readFileSync(file, "utf8")), file.startsWith("bench/"))) {
      console.error(`error: ${file}: the license of ${line} is not on the list in scripts/npm-licenses.mjs`);
      process.exitCode = 1;
    }
  }
}
