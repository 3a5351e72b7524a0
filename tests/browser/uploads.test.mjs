// Browser tests of a form with files whose browsers send them to a bucket themselves: what goes there, what the visitor hears if
// something is wrong, and that the same form works without JavaScript. An emulator stands for AWS.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { aws } from "../leads/harness.mjs";
import { openBrowser, ROOT, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

const FORM = {
  "form.yaml": {
    fields: {
      name: { type: "text", required: true },
      scan: { type: "file", accept: ["application/pdf", "image/png"], most: "2 MB", list: true, max: 2 },
    },
    captcha: false,
  },
  "en.yaml": {
    title: "Send a scan",
    fields: { name: { label: "Your name" }, scan: { label: "Scan" } },
    success: { title: "We have it." },
  },
};
const PATH = "/contact/";
const pdf = (text) => Buffer.concat([Buffer.from(`%PDF-1.7\n${text}`), Buffer.alloc(300_000, " ")]);
const file = (name, buffer) => ({ name, mimeType: "application/pdf", buffer });

const browser = await openBrowser();
let emulator;
let folder;
let root;
let server;

before(async () => {
  emulator = await aws();
  folder = await temporaryFolder();
  root = join(folder.path, "acme");
  assert.equal((await sitegen("new", root, "--sample", "--no-blog")).code, 0);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const form = join(root, "content/forms/scan");
  mkdirSync(form, { recursive: true });
  for (const [name, value] of Object.entries(FORM)) writeFileSync(join(form, name), `${JSON.stringify(value, null, 2)}\n`);
  const page = join(root, "content/pages/contact/en.yaml");
  writeFileSync(page, `${readFileSync(page, "utf8").trimEnd()}\n  - {kind: form, form: scan, band: white}\n`);
  const uploads = ["--set", `leads.uploads=${emulator.uploads}`];
  const { code, stderr } = await sitegen("build", "--strict", "--root", root, ...uploads);
  assert.equal(code, 0, stderr);
  Object.assign(process.env, emulator.variables, { LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" });
  server = await serve("--no-watch", "--leads-from-environment", "--root", root, ...uploads);
});
after(async () => {
  await browser.close();
  await server?.stop();
  emulator?.child.kill();
  await folder?.remove();
});

const find = (page) => page.locator("form[data-form=scan]");
const stored = async () => {
  const { code, stdout, stderr } = await sitegen("leads", "list", "--format", "json", "--root", root);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};

/** Opens the page and wakes the form. Counts what is sent to the bucket and to the API. */
const open = (look, options = {}) =>
  visit(browser, server.origin + PATH, options, async (page, seen) => {
    const sent = { bucket: 0, api: 0 };
    page.on("request", (request) => {
      if (request.method() !== "POST") return;
      if (request.url() === emulator.uploads) sent.bucket += 1;
      else if (request.url().includes("/api/forms/")) sent.api += request.postDataBuffer()?.length ?? 0;
    });
    await find(page).getByLabel("Your name").focus();
    if (options.script !== false) await page.locator("form[data-form=scan][novalidate]").waitFor();
    await look(page, sent, seen);
  });
const submit = (page) => find(page).locator("button[type=submit]");
const done = (page) => find(page).getByText("We have it.").waitFor();

describe("a form whose files go to a bucket", () => {
  it("sends them there and not to the API, and not again after a mistake", () =>
    open(async (page, sent, { complaints }) => {
      await find(page)
        .getByLabel("Scan")
        .setInputFiles([file("a.pdf", pdf("a")), file("b.pdf", pdf("b"))]);
      await find(page).getByLabel("Your name").fill("Ana");
      await page.route("**/api/forms/scan", (route) => route.abort(), { times: 1 });
      await submit(page).click();
      await find(page)
        .getByRole("alert")
        .filter({ hasText: /connection|network/i })
        .waitFor();
      await submit(page).click();
      await done(page);
      assert.equal(sent.bucket, 2, "each file once");
      assert.ok(sent.api < 20_000, `${sent.api} bytes to the API`);
      const [lead] = await stored();
      assert.deepEqual(
        lead.form.answers.scan.map(({ name, size }) => [name, size]),
        [
          ["a.pdf", pdf("a").length],
          ["b.pdf", pdf("b").length],
        ],
      );
      assert.ok((await emulator.keys()).every((key) => key.startsWith(`files/${lead.id}/`)));
      // The policy of the page allows the bucket; nothing else is said.
      const known = /^third-party request: .*\/files$|^request failed: .*\/api\/forms\/scan$|ERR_FAILED$/;
      assert.deepEqual(
        complaints.filter((text) => !known.test(text)),
        [],
      );
    }));

  it("says at the field that a file is of another type than it claims", () =>
    open(async (page) => {
      const before = (await stored()).length;
      await find(page).getByLabel("Your name").fill("Eva");
      await find(page)
        .getByLabel("Scan")
        .setInputFiles(file("program.pdf", Buffer.alloc(4_000, "MZ")));
      await submit(page).click();
      await find(page).locator("[data-error=scan]:not([hidden])").waitFor();
      assert.equal((await stored()).length, before);
    }));

  it("asks for the file again if the bucket does not take it, and sends it then", () =>
    open(async (page) => {
      await find(page).getByLabel("Your name").fill("Bob");
      await find(page)
        .getByLabel("Scan")
        .setInputFiles(file("c.pdf", pdf("c")));
      await emulator.trouble([{ method: "POST", path: "/files", status: 503, count: 1 }]);
      await submit(page).click();
      await find(page).locator("[data-error=scan]").filter({ hasText: "didn’t arrive" }).waitFor();
      await submit(page).click();
      await done(page);
      assert.equal((await stored())[0].name, "Bob");
    }));

  it("works without JavaScript, through the API", () =>
    open(
      async (page, sent) => {
        await find(page).getByLabel("Your name").fill("Plain");
        await find(page)
          .getByLabel("Scan")
          .setInputFiles(file("d.pdf", pdf("d")));
        await submit(page).click();
        await done(page);
        assert.equal(sent.bucket, 0);
        const [lead] = await stored();
        assert.deepEqual([lead.name, lead.form.answers.scan[0].name], ["Plain", "d.pdf"]);
        assert.equal((await emulator.keys()).filter((key) => key.startsWith(`files/${lead.id}/`)).length, 1);
      },
      { script: false },
    ));
});
