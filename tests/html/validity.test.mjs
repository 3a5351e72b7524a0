// HTML validity: every page that a build writes, by html-validate's standard rules.
//
// Rules that htmlvalidate.json changes, and why:
// - require-sri: styles and scripts come from the site itself, under names that hold their hash.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { HtmlValidate } from "html-validate";
import { buildSite } from "../browser/site.mjs";

const { out, remove } = await buildSite();
after(remove);

const validator = new HtmlValidate(JSON.parse(await readFile(new URL("htmlvalidate.json", import.meta.url), "utf8")));
const files = (await readdir(out, { recursive: true })).filter((file) => file.endsWith(".html")).sort();

for (const file of files) {
  it(file, async () => {
    const report = await validator.validateFile(join(out, file));
    const messages = report.results.flatMap((result) => result.messages);
    assert.deepEqual(messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`), []);
  });
}
