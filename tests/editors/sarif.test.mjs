// Checks what `--format sarif` prints against the types of SARIF 2.1.0, which other authors maintain (@types/sarif).

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, it } from "node:test";
import ts from "typescript";
import { ROOT } from "../browser/site.mjs";
import { newSite } from "./site.mjs";

const site = newSite();
after(site.remove);

/** The errors of TypeScript if `json` is taken for a SARIF log. A literal is checked for unknown properties, too. */
function typeErrors(json) {
  const file = join(ROOT, "tests/editors/log.ts");
  const text = `import type { Log } from "sarif";\nexport const log: Log = ${json};\n`;
  /** @type {ts.CompilerOptions} */
  const options = {
    strict: true,
    noEmit: true,
    types: [],
    typeRoots: [join(ROOT, "node_modules/@types")],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? text : readFile(path));
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest);
  const errors = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return errors.map((error) => ts.flattenDiagnosticMessageText(error.messageText, "\n"));
}

it("every kind of problem is valid SARIF", () => {
  site.edit("content/site.yaml", "base_url:", "bse_url:");
  const settings = site.run("check", "--format", "sarif");
  site.edit("content/site.yaml", "bse_url:", "base_url:");
  site.edit("content/pages/home/en.yaml", "title:", "titel:");
  site.write("content/pages/about/es.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff]));
  const pages = site.run("check", "--format", "sarif");
  const machine = site.runElsewhere("build", "--format", "sarif");

  for (const { status, stdout, stderr } of [settings, pages, machine]) {
    assert.notEqual(status, 0);
    assert.equal(stderr, "");
    assert.deepEqual(typeErrors(stdout), []);
    const [run] = JSON.parse(stdout).runs;
    assert.equal(run.invocations[0].executionSuccessful, false);
    for (const result of run.results) {
      assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId);
      assert.equal(result.locations.length, 1, "services reject results without a place");
    }
  }
  const codes = JSON.parse(pages.stdout).runs[0].results.map((result) => result.ruleId);
  assert.ok(codes.includes("unknown-key") && codes.includes("not-utf8"), codes.join());
  const notes = JSON.parse(machine.stdout).runs[0].invocations[0].toolExecutionNotifications;
  assert.equal(notes.length, 1, "a folder that is no site has no file to point to");
});

it("a site without problems is a log without results", () => {
  const clean = newSite();
  try {
    const { status, stdout } = clean.run("check", "--format", "sarif");
    assert.equal(status, 0);
    assert.deepEqual(typeErrors(stdout), []);
    const [run] = JSON.parse(stdout).runs;
    assert.deepEqual(run.results, []);
    assert.equal(run.invocations[0].executionSuccessful, true);
  } finally {
    clean.remove();
  }
});

it("the types would notice a mistake", () => {
  const json = site.run("check", "--format", "sarif").stdout;
  assert.match(typeErrors(json.replace('"level":"error"', '"level":"fatal"')).join(), /fatal/);
  assert.match(typeErrors(json.replace('"ruleIndex"', '"ruleIndeks"')).join(), /ruleIndeks/);
});
