// Every post with code is tested, or says in untested.yaml why it is not; and two languages of one post show the same numbers.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { code, post } from "./posts.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const BLOG = fileURLToPath(new URL("../../content/blog/", import.meta.url));

const slugs = ["en", "es"].flatMap((locale) =>
  readdirSync(`${BLOG}${locale}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -3)),
);
const tested = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const untested = parse(readFileSync(`${HERE}untested.yaml`, "utf8"));

test("each post with code has a test, or a reason why it has none", () => {
  const withCode = slugs.filter((slug) => /^ *```\w/m.test(post(slug)));
  assert.deepEqual(
    withCode.filter((slug) => !tested.includes(slug) && !untested[slug]),
    [],
    "write a test in tests/posts/<slug>/, or the reason in untested.yaml",
  );
  for (const slug of [...tested, ...Object.keys(untested)]) assert.ok(withCode.includes(slug), `${slug} is no post with code`);
  for (const slug of tested) assert.ok(!untested[slug], `${slug} is tested`);
});

test("the plans of both languages are the same", () => {
  const wanted = code("reading-a-slow-query-plan", "text").concat(code("reading-a-slow-query-plan", "sql")).join("\n");
  for (const language of ["text", "sql"]) {
    for (const block of code("leer-un-plan-de-consulta-lento", language)) {
      for (const line of block
        .replaceAll(" %", "%")
        .split("\n")
        .map((line) => line.trim())) {
        assert.ok(wanted.includes(line), line);
      }
    }
  }
  const numbers = (slug) =>
    /\| (?:none|ninguno) \|[\s\S]*?\n\n/
      .exec(post(slug))[0]
      .match(/\d[\d.,]*/g)
      .map((number) => number.replace(/[.,]/g, ""));
  assert.deepEqual(numbers("leer-un-plan-de-consulta-lento"), numbers("reading-a-slow-query-plan"));
});
