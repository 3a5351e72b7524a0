// Tests the check of English: what it finds in documents, templates and Rust, and what it allows.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { comments, compared, counts, lengths, MOST_LINES, places, prose, RULES, rust } from "../../scripts/words.mjs";

/** Names of the rules that a text in a document breaks. */
const found = (text, kind = "document", file = "") =>
  places(kind === "document" ? prose(text) : text, kind, file).map(({ rule }) => rule.name);

test("each rule finds a sentence that breaks it", () => {
  const broken = {
    address: "The address of the page is gone.",
    answer: "A late answer is ignored.",
    "answer of a server": "The host answers at once.",
    words: "The words of a button.",
    picture: "Put a picture next to it.",
    holds: "The folder holds two files.",
    "stands, lies": "The label stands above the field.",
    "leads to": "The link leads to the list.",
    asks: "The build asks the CMS.",
    may: "A site may use it.",
    "is no": "A label is no link.",
    also: "Keep both, also in CI.",
    mail: "A mail to the visitor.",
    idiom: "The file is written anew.",
    contraction: "It does not matter.",
    "what, who": "What has no key is left out.",
    order: "Refused are folders and files.",
    "was expected": "a number was expected",
  };
  assert.deepEqual(
    Object.keys(broken),
    RULES.map(({ name }) => name),
  );
  for (const [name, text] of Object.entries(broken)) {
    const kind = RULES.find((rule) => rule.name === name).only?.[0] ?? "document";
    assert.ok(found(text, kind).includes(name), `${name}: ${text}`);
  }
});

test("good sentences, code, links and names of files pass", () => {
  for (const text of [
    "An email address gets at most five emails a day.",
    "The title isn’t part of the URL. There’s no limit.",
    "Hold **Alt** and click. Nobody holds a lock.",
    "May 5 may be a holiday.",
    "Write `words: true`, and see [URLs](addresses.md#pictures).",
    "```yaml\npicture: {src: a.svg}\n# What holds no words\n```",
    "Questions and answers; a password.",
    "What happens then?",
    "| What | Who can read it |",
  ])
    assert.deepEqual(found(text), [], text);
});

test("documents about forms may speak of answers", () => {
  assert.deepEqual(found("An answer is stored once.", "document", "docs/forms.md"), []);
  assert.deepEqual(found("An answer is stored once.", "document", "docs/hosting.md"), ["answer"]);
});

test("a place has its line, and lines of a paragraph are read as one", () => {
  const [place] = places(prose("# A page\n\nOne line, and the\naddress of a\npage.\n"), "document");
  assert.deepEqual([place.line, place.rule.name, place.found], [4, "address", "address"]);
  assert.deepEqual(found("A message is\nno warning."), ["is no"]);
});

test("of templates only comments count, of Rust messages, help and doc comments of public items", () => {
  assert.deepEqual(found(comments("<p>a picture</p>{# a picture #}"), "template"), ["picture"]);
  const source = [
    "//! Holds the words.",
    "/// The address of a page.",
    "pub fn a() {}",
    "/// The address of a page.",
    'fn b() { c("the address of a page"); d("address"); }',
    "// A picture.",
    "#[cfg(test)]",
    "mod tests {",
    '    fn e() { f("the picture of a page"); }',
  ].join("\n");
  const { messages, docs } = rust(source, false);
  assert.deepEqual(found(messages, "message"), ["address"]);
  assert.deepEqual(found(docs, "doc comment").sort(), ["address", "holds", "words"]);
  assert.deepEqual(found(rust(source, true).messages, "message").filter((name) => name === "address").length, 3);
});

test("a long section and a page full of “of” are found", () => {
  const lines = (count) => `# A page\n\n${"- A line.\n".repeat(count)}`;
  assert.deepEqual(lengths(lines(MOST_LINES)), []);
  assert.equal(lengths(lines(MOST_LINES + 1)).length, 1);
  assert.deepEqual(lengths(`# A page\n\n${"| a | b |\n".repeat(60)}`), []);
  assert.equal(lengths(`${"The end of it comes. ".repeat(40)}`).length, 1);
});

test("what Rust has may become less, and not more", () => {
  const now = counts({ message: places("the address of a page", "message"), "doc comment": [] });
  assert.deepEqual(now, { message: { address: 1 }, "doc comment": {} });
  assert.deepEqual(compared(now, now), { more: [], isLess: false });
  assert.deepEqual(compared(now, { message: { address: 2 } }), { more: [], isLess: true });
  assert.equal(compared(now, {}).more.length, 1);
});

test("a document that breaks a rule fails with its place and what to write", () => {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  try {
    const file = join(folder, "page.md");
    writeFileSync(file, "# A page\n\nThe folder holds files.\n");
    const run = spawnSync("node", ["scripts/words.mjs", file], { encoding: "utf8" });
    assert.equal(run.status, 1);
    assert.match(run.stderr, /page\.md:3: holds: .*: write contains, has, keeps/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
