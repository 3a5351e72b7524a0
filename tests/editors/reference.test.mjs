// Checks that the pages of docs/ list what the program knows: settings, section kinds, problem codes, commands, variables of the
// environment, functions and filters of templates, and field types.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { PAGES, sitegen } from "../../scripts/reference.mjs";

const docs = readdirSync("docs")
  .filter((file) => file.endsWith(".md"))
  .map((file) => readFileSync(`docs/${file}`, "utf8"));

/** The Rust sources below some folders, without tests. */
const sources = (...folders) =>
  folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => /(^src|\/src)\/.*\.rs$/.test(file) && !/tests?\.rs$|\/tests\//.test(file))
    .map((file) => readFileSync(file, "utf8"));

for (const [file, make] of PAGES) {
  test(`${file} is what the program says`, () => {
    const hint = "`node scripts/reference.mjs --write` writes it";
    assert.equal(readFileSync(file, "utf8").trimEnd(), make().trimEnd(), hint);
  });
}

test("the generated pages have as many entries as there are at least", () => {
  const count = (file, pattern) => [...readFileSync(file, "utf8").matchAll(pattern)].length;
  /** @type {[string, RegExp, number][]} */
  const counts = [
    ["docs/settings.md", /^\| `/gm, 120],
    ["docs/section-fields.md", /^### /gm, 31],
    ["docs/section-fields.md", /^\| `/gm, 320],
    ["docs/problem-codes.md", /^## /gm, 110],
    ["docs/command-line.md", /^## sitegen /gm, 45],
  ];
  for (const [file, pattern, least] of counts) assert.ok(count(file, pattern) >= least, `${file}: ${count(file, pattern)}`);
});

test("each variable of the environment is on a page", () => {
  // Set by the npm package and by build scripts, for the program itself.
  const own = ["SITEGEN_INSTALLED_BY", "SITEGEN_SOURCES"];
  const pattern = /"((?:SITEGEN|LEADS|BLOG|SITE|CAPTCHA|SMTP|METRICS)_[A-Z_]+|TRUSTED_PROXIES|ORIGIN_SECRET|MAX_CONNECTIONS)"/g;
  const names = new Set(sources("src", "crates").flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));
  assert.ok(names.size >= 30, `${names.size} names`);
  const missing = [...names].filter((name) => !own.includes(name) && !docs.some((text) => text.includes(`\`${name}\``)));
  assert.deepEqual(missing, []);
});

test("each function and filter of templates is on the page about templates", () => {
  // The gallery of the style guide alone has these.
  const own = ["as_source", "with_code", "mark_current"];
  const names = sources("crates/render").flatMap((text) =>
    [...text.matchAll(/\badd_(?:function|filter)\(\s*"(\w+)"/g)].map(([, name]) => name),
  );
  assert.ok(names.length >= 10, String(names));
  const page = readFileSync("docs/templates.md", "utf8");
  const missing = names.filter((name) => !own.includes(name) && !new RegExp(`\`(${name}\\(|[^\`]*\\| ${name}\\b)`).test(page));
  assert.deepEqual(missing, []);
});

test("each type of a field is on the page about fields", () => {
  const types = JSON.parse(sitegen("schema", "collection")).$defs.TypeName.enum;
  assert.ok(types.length >= 20, String(types));
  const page = readFileSync("docs/collection-fields.md", "utf8");
  assert.deepEqual(
    types.filter((type) => !new RegExp(`^\\|[^|]*\`${type}\``, "m").test(page)),
    [],
  );
});
