// Saves of the forms for a Git host: what the text of a file is after items of its lists were moved, added and removed.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// The server serves the package `yaml` beside the page.
const root = fileURLToPath(new URL("../..", import.meta.url));
const page = mkdtempSync(join(tmpdir(), "sitegen-page-"));
after(() => rmSync(page, { recursive: true }));
for (const name of ["yaml-file.js", "compare.js"]) cpSync(join(root, "crates/desk/src/page", name), join(page, name));
cpSync(join(root, "node_modules/yaml/browser/dist"), join(page, "yaml"), { recursive: true });
writeFileSync(join(page, "package.json"), '{"type": "module"}');
const { read, write } = await import(pathToFileURL(join(page, "yaml-file.js")).href);

const ANA = '  # for Ana\n  - title: One\n    text: "in quotes"\n';
const BEN = "  # for Ben\n  - title: Two\n    text: plain\n";
const EVA = "  - title: Three\n    text: last\n";
const file = (...items) => `# about the page\nlist:\n${items.join("")}tags: [a, b] # both\n`;
const [one, two, three] = read(file(ANA, BEN, EVA), "block").list;

for (const { name, list, expected } of [
  { name: "that change places", list: [two, one, three], expected: [BEN, ANA, EVA] },
  {
    name: "that change places and are edited",
    list: [{ ...three, text: "first" }, one, two],
    expected: [EVA.replace("last", "first"), ANA, BEN],
  },
  {
    name: "above which one is removed",
    list: [{ ...two, text: "edited" }, three],
    expected: [BEN.replace("plain", "edited"), EVA],
  },
  {
    name: "above which one is added",
    list: [{ title: "Zero" }, one, two, three],
    expected: ["  - title: Zero\n", ANA, BEN, EVA],
  },
  {
    name: "that are edited where they are",
    list: [one, { ...two, text: "edited" }, three],
    expected: [ANA, BEN.replace("plain", "edited"), EVA],
  },
]) {
  it(`items ${name} keep their comments and quotes`, () => {
    const values = read(file(ANA, BEN, EVA), "block");
    // A list that changes is followed by a blank line at most.
    assert.equal(write({ ...values, list }, "block").replace(/\n\n(?=tags)/, "\n"), file(...expected));
  });
}
