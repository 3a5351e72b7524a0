// Encodes the pictures of a list with sharp: `sharp.mjs NODE_MODULES LIST`, a line being `FORM WIDTH SOURCE TARGET`.
//
// One picture a core and one thread a picture, which takes less time in all than several threads for each. Qualities are those at
// which sharp's pictures look no better than sitegen's (`bench/pictures` prints both); efforts are sharp's own.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const [modules, list] = process.argv.slice(2);
const sharp = createRequire(join(modules, "x.js"))("sharp");
const FORMS = {
  avif: { quality: 50 },
  webp: { quality: 74 },
  jpeg: { quality: 78, progressive: true },
  png: {},
};

sharp.concurrency(1);
const jobs = readFileSync(list, "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t"));

async function work() {
  for (let job = jobs.pop(); job; job = jobs.pop()) {
    const [form, width, source, target] = job;
    await sharp(source).rotate().resize(Number(width)).toFormat(form, FORMS[form]).toFile(target);
  }
}

jobs.reverse();
await Promise.all(Array.from({ length: availableParallelism() }, work));
