// Renames in a copy of this repository's site, which has its own templates: each name in all files and languages, and a site
// without a warning afterwards.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../browser/site.mjs";
import { editor, stopAll } from "./client.mjs";
import { removeFolder, sitegen } from "./site.mjs";

after(stopAll);

describe("a rename through a whole site", () => {
  const folder = mkdtempSync(join(tmpdir(), "sitegen-rename-"));
  after(() => removeFolder(folder));
  for (const part of ["content", "templates", "react", "static"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(ROOT, file), join(folder, file));
  const text = (path) => readFileSync(join(folder, path), "utf8");
  /** @type {Awaited<ReturnType<typeof editor>>} */
  let own;
  before(async () => {
    own = await editor(folder);
  });
  after(() => own.stop());

  /** Renames what is written behind `before`. Returns the files that changed. */
  const rename = async (path, before, newName) => {
    const edit = await own.ask("rename", path, before, { newName });
    const files = edit.documentChanges
      .filter((change) => change.edits)
      .map(({ textDocument }) => textDocument.uri.split(`${folder}/`)[1]);
    // The editor says nothing about the files, so that no check runs between two renames.
    await own.applyEverywhere(edit, { tells: false });
    return files;
  };
  const isValid = () => {
    const { status, stdout } = sitegen(folder, "check", "--strict", "--format", "json");
    const { diagnostics } = JSON.parse(stdout);
    assert.equal(status, 0, JSON.stringify(diagnostics, null, 1));
  };

  it("a tag with several pages", async () => {
    const files = await rename("content/blog/en/the-night-the-disk-filled.md", "PostgreSQL, Main", "Upkeep");
    assert.ok(files.filter((file) => file.startsWith("content/blog/en/")).length > 5, files.join());
    const addresses = text("content/urls.lock").split("\n");
    for (const path of ["/blog/tag/upkeep/", "/blog/tag/upkeep/page/2/", "/blog/tag/maintenance/"])
      assert.ok(addresses.includes(path), path);
    assert.match(text("content/site.yaml"), /\{from: \/blog\/tag\/maintenance, to: page:blog\/tag\/en\/upkeep\}/);
  });

  it("a tag of both languages", async () => {
    const files = await rename("content/blog/en/the-night-the-disk-filled.md", "tags: [Dev", "Operations");
    assert.ok(
      files.some((file) => file.startsWith("content/blog/es/")),
      files.join(),
    );
    const redirects = text("content/site.yaml");
    assert.match(redirects, /\{from: \/blog\/tag\/devops, to: page:blog\/tag\/en\/operations\}/);
    assert.match(redirects, /\{from: \/es\/blog\/tag\/devops, to: page:blog\/tag\/es\/operations\}/);
  });

  it("a case study, with its address", async () => {
    const files = await rename("content/clients/clients.yaml", "case-studies/zucker", "law-firm");
    assert.ok(files.includes("content/clients/clients.yaml") && files.includes("content/urls.lock"), files.join());
    assert.match(text("content/case-studies/law-firm.yaml"), /client: zuckerman/);
    assert.match(text("content/site.yaml"), /\{from: \/case-studies\/zuckerman-law, to: page:case-studies\/law-firm\}/);
  });

  it("a token, in style sheets and in the style guide", async () => {
    const files = await rename("content/design.yaml", "  growth-800", "leaf-dark");
    assert.ok(files.includes("content/pages/style-guide-colors/page.yaml") || files.length > 1, files.join());
    const more = await rename("content/design.yaml", "  line-strong", "edge");
    assert.ok(more.filter((file) => file.endsWith(".css")).length > 1, more.join());
  });

  it("a word of the interface, in both languages and its templates", async () => {
    const files = await rename("content/locales/es.yaml", "  the_challenge", "the_task");
    assert.deepEqual(files.toSorted(), [
      "content/locales/en.yaml",
      "content/locales/es.yaml",
      "templates/components/case-study/case-study.html",
    ]);
  });

  it("a post, with its translation", async () => {
    const path = "content/blog/es/solo-existen-las-copias-que-restauraste.md";
    const files = await rename(path, "key: tested", "restored-backups");
    assert.ok(files.includes("content/blog/en/backups-you-have-restored.md"), files.join());
  });

  it("a page, in settings, links and the lock files", async () => {
    const files = await rename("content/site.yaml", "to: page:services", "offers");
    for (const file of ["content/translations.lock", "content/pages/home/page.yaml", "templates/sections/hero/examples.yaml"])
      assert.ok(files.includes(file), `${file} is not in ${files}`);
    const form = await rename("content/site.yaml", "form: lead", "inquiry");
    assert.ok(form.includes("content/site.yaml"));
    assert.match(text("content/site.yaml"), /^ {2}form: inquiry$/m);
  });

  it("the address of the blog, with those of all posts below it", async () => {
    await rename("content/pages/blog/es.yaml", "path: /es/", "/es/notas/");
    const redirects = text("content/site.yaml");
    assert.match(redirects, /\{from: \/es\/blog, to: page:blog\}/);
    assert.match(redirects, /\{from: \/es\/blog\/solo-existen-las-copias-que-restauraste, to: page:blog\/restored-backups\}/);
  });

  it("leaves a site without a warning", isValid);

  it("is refused for a word or a token that sitegen itself reads", async () => {
    const refused = (path, before, why) => assert.rejects(own.ask("rename", path, before, { newName: "other" }), why);
    await refused("content/locales/en.yaml", "  no_title", /sitegen reads the message/);
    await refused("content/locales/en.yaml", "  search_case_studies", /sitegen reads the message/);
    await refused("content/design.yaml", "  signal", /in post covers/);
  });
});
