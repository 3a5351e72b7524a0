// Validates content against the JSON Schemas that `sitegen schema` prints, with a validator by other authors (ajv). What
// `sitegen check` accepts must be valid, and the mistakes that a schema can know must be mistakes for both.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse, parseDocument, stringify } from "yaml";
import { ROOT } from "../browser/site.mjs";
import { newSite, sitegen } from "./site.mjs";

const site = newSite();
after(site.remove);
site.run("new", "section", "opening_hours");

/** The codes of problems that a schema knows as well. */
const KNOWN = ["unknown-key", "wrong-type", "missing-key", "unknown-section"];

/** The kinds of files of a site, each with its patterns as regular expressions, and the validator of its schema. */
function kindsOf(root) {
  const run = (...command) => {
    const { status, stdout, stderr } = sitegen(root, "schema", ...command);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  const expression = (glob) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`);
  return run("--format", "json").map(({ kind, files }) => ({
    kind,
    includes: files.filter((glob) => !glob.startsWith("!")).map(expression),
    excludes: files.filter((glob) => glob.startsWith("!")).map((glob) => expression(glob.slice(1))),
    validate: new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(run(kind)),
  }));
}

/** The part of a file that is YAML: all of it, or the front matter. */
const yamlOf = (path, text) => (path.endsWith(".md") ? text.split(/^---$/m)[1] : text);

/** All files of a site that have a schema, as `[path, kind]`. */
function filesOf(root, kinds) {
  const paths = ["content", "templates"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`));
  return paths.sort().flatMap((path) => {
    const names = (expression) => expression.test(path);
    const found = kinds.filter(({ includes, excludes }) => includes.some(names) && !excludes.some(names));
    assert.ok(found.length <= 1, `${path} is described by several schemas`);
    return found.map((kind) => [path, kind]);
  });
}

/** What the schema says about a file; nothing if it is valid. */
function mistakes(root, path, { validate }) {
  const data = parse(yamlOf(path, readFileSync(join(root, path), "utf8")), { merge: true });
  return validate(data) ? [] : validate.errors.map((error) => `${error.instancePath} ${error.message}`);
}

const ownKinds = kindsOf(site.folder);

describe("what check accepts is valid", () => {
  for (const [name, root] of [
    ["the site of this repository", ROOT],
    ["a new site", site.folder],
  ]) {
    it(name, () => {
      const kinds = kindsOf(root);
      const files = filesOf(root, kinds);
      assert.ok(files.length > 20);
      for (const [path, kind] of files) assert.deepEqual(mistakes(root, path, kind), [], path);
    });
  }
});

it("every kind of YAML file of the repository's site has a schema", () => {
  const described = filesOf(ROOT, kindsOf(ROOT)).map(([path]) => path);
  for (const folder of ["content", "templates"]) {
    for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (path.endsWith(".yaml")) assert.ok(described.includes(`${folder}/${path}`), path);
    }
  }
});

/** A mistake of each kind in a file of each kind, as `[path of the value, value]` for a wrong type. */
const EDITS = {
  "content/authors/sam-rivera.yaml": { missing: ["name"], wrong: [["role"], ["Engineer"]] },
  "content/services/services.yaml": { wrong: [["build", "name"], ["Build"]] },
  "content/case-studies/vivero-nogal.yaml": { missing: ["client"], wrong: [["services"], "all"] },
  "content/clients/clients.yaml": { missing: ["acme", "name"], wrong: [["acme"], "Acme"] },
  "content/design.yaml": { missing: ["contrast", 0, "text"], wrong: [["color", "ink"], ["#000000"]] },
  "content/forms/lead/en.yaml": { missing: ["steps", 0, "title"], wrong: [["steps"], "three"] },
  "content/forms/lead/form.yaml": { missing: ["fields", "name", "type"], wrong: [["steps"], "all"] },
  "content/locales/en.yaml": { wrong: [["months"], "January"] },
  "content/pages/home/en.yaml": { missing: ["title"], wrong: [["sections", 0, "actions"], "none"] },
  "content/pages/about/en.yaml": { missing: ["sections", 0, "title"], wrong: [["sections", 0, "kind"], "heroo"] },
  "content/site.yaml": { missing: ["company"], wrong: [["copyright_year"], "this year"] },
  "content/style-guide/sidebar.yaml": { missing: [0, "name"], wrong: [[0, "links"], "none"] },
  "content/blog/en/a-calendar-not-a-hero.md": { missing: ["author"], wrong: [["tags"], "planning"] },
  "templates/sections/opening_hours/schema.yaml": { missing: ["meaning"], wrong: [["fields"], "none"] },
  "templates/visits/tally.yaml": { wrong: [["fields", "key", "type"], "number"] },
};

describe("a mistake is one for both", () => {
  site.write("content/clients/clients.yaml", "vivero-nogal: {name: Vivero Nogal}\nacme: {name: Acme}\n");
  site.write("content/style-guide/sidebar.yaml", "- {name: Home, path: page:home}\n");
  site.write("content/locales/en.yaml", "name: English\nmessages: {}\n");
  const preset = { title: "Tally", script: "https://tally.example/count.js", fields: { key: { type: "id" } }, consent: "never" };
  site.write("templates/visits/tally.yaml", stringify(preset));
  site.write(
    "content/site.yaml",
    `visits: {preset: tally, key: a1}\n${readFileSync(join(site.folder, "content/site.yaml"), "utf8")}`,
  );
  const { stdout } = site.run("check", "--format", "json");
  const before = JSON.parse(stdout).diagnostics.filter((problem) => KNOWN.includes(problem.code));
  assert.deepEqual(before, [], "the site has no mistakes yet");

  /** Runs `edit` on the YAML of a file, and asserts that both report it. */
  function bothReport(path, edit) {
    const file = join(site.folder, path);
    const text = readFileSync(file, "utf8");
    const document = parseDocument(yamlOf(path, text));
    edit(document);
    writeFileSync(file, text.replace(yamlOf(path, text), `\n${document.toString()}`));
    try {
      const kind = filesOf(site.folder, ownKinds).find(([found]) => found === path)?.[1];
      assert.ok(kind, `${path} has no schema`);
      assert.notDeepEqual(mistakes(site.folder, path, kind), [], `${path}: the schema accepts it`);
      const { diagnostics } = JSON.parse(site.run("check", "--format", "json").stdout);
      assert.ok(
        diagnostics.some((problem) => problem.path === path),
        `${path}: check accepts it`,
      );
    } finally {
      writeFileSync(file, text);
    }
  }

  for (const [path, { missing, wrong }] of Object.entries(EDITS)) {
    it(path, () => {
      const block = path.endsWith("sidebar.yaml") ? [0] : [];
      bothReport(path, (document) => document.setIn([...block, "nonsense"], "x"));
      if (missing) bothReport(path, (document) => document.deleteIn(missing));
      bothReport(path, (document) => document.setIn(...wrong));
    });
  }

  it("the words of a page beside page.yaml", () => {
    site.write("content/pages/about/page.yaml", "sections:\n  hero: {kind: hero}\n");
    site.write("content/pages/about/en.yaml", "path: /about/\ntitle: About\ndescription: Us\nhero.title: Us\n");
    const [, words] = filesOf(site.folder, ownKinds).find(([path]) => path === "content/pages/about/en.yaml");
    assert.deepEqual(mistakes(site.folder, "content/pages/about/en.yaml", words), []);
    bothReport("content/pages/about/en.yaml", (document) => document.setIn(["titel"], "x"));
    bothReport("content/pages/about/en.yaml", (document) => document.setIn(["noindex"], "no"));
    bothReport("content/pages/about/page.yaml", (document) => document.setIn(["sections", "hero", "titel"], "x"));
    bothReport("content/pages/about/page.yaml", (document) => document.setIn(["sections", "hero"], "hero"));
  });
});

it("a new site has the schemas of its kinds, and settings that name them", () => {
  // The other one has a style guide by now, and with it more kinds of sections.
  const fresh = newSite();
  after(fresh.remove);
  fresh.run("new", "section", "opening_hours");
  const settings = JSON.parse(readFileSync(join(fresh.folder, ".vscode/settings.json"), "utf8"));
  for (const [schema, files] of Object.entries(settings["yaml.schemas"])) {
    const name = schema.match(/^\.\/\.vscode\/schemas\/(.+)\.json$/)[1];
    const printed = JSON.parse(fresh.run("schema", name).stdout);
    assert.deepEqual(JSON.parse(readFileSync(join(fresh.folder, schema), "utf8")), printed, name);
    assert.ok(files.length > 0);
  }
  const page = readFileSync(join(fresh.folder, ".vscode/schemas/page.json"), "utf8");
  assert.ok(page.includes('"opening_hours"'), "the kind that was added");
});

describe("the example sites with mistakes", () => {
  const cases = join(ROOT, "tests/sites");
  for (const name of readdirSync(cases).filter((name) => existsSync(join(cases, name, "problems.txt")))) {
    it(name, () => {
      const root = mkdtempSync(join(tmpdir(), "sitegen-schema-"));
      try {
        cpSync(join(cases, "_base"), root, { recursive: true });
        cpSync(join(cases, name, "in"), root, { recursive: true });
        const blocks = readFileSync(join(cases, name, "problems.txt"), "utf8").split("\n\n");
        const reported = blocks.map((block) => ({
          code: block.match(/^\w+\[([a-z-]+)\]/)?.[1],
          path: block.match(/--> ([^:\n]+)/)?.[1],
        }));
        for (const [path, kind] of filesOf(root, ownKinds)) {
          // Stands for a file that the site does not have.
          if (readFileSync(join(root, path), "utf8").trim() === "REMOVED") continue;
          const codes = reported.filter((problem) => problem.path === path).map((problem) => problem.code);
          if (codes.some((code) => ["yaml-syntax", "unclosed-quote", "duplicate-key"].includes(code))) continue;
          const found = mistakes(root, path, kind);
          if (codes.length === 0) assert.deepEqual(found, [], path);
          if (codes.some((code) => KNOWN.includes(code))) assert.notDeepEqual(found, [], `${path} has ${codes}`);
        }
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});
