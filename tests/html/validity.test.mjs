// Validates the HTML of each built page with the standard rules of html-validate.
//
// Rules that htmlvalidate.json disables, with the reason:
// - require-sri: styles and scripts are served by the site itself, with a hash in their names.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
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
    assert.deepEqual(
      messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
      [],
    );
  });
}
