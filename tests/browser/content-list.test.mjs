// Browser tests of the list of all content beside the forms: with the keyboard alone, on a phone, its accessibility, and what
// it changes in the files of the site.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { asAuthor, content, DESKTOP, openBrowser, PHONE, serveCopy, TIMEOUT } from "./site.mjs";

const DRAFT = "content/blog/en/a-hidden-zeppelin.md";
const PAGE = "content/pages/org-chart/en.yaml";
const browser = await openBrowser();
/** @type {Awaited<ReturnType<typeof serveCopy>>} */
let server;

before(async () => {
  server = await serveCopy("--editor", "none");
  const head = "title: A hidden zeppelin\ndate: 2025-03-14\nauthor: lucia-ortega\nexcerpt: Short.\ndraft: true";
  await writeFile(join(server.root, DRAFT), `---\n${head}\n---\n\nText.\n`);
});
after(async () => {
  await browser.close();
  await server?.stop();
});

/** Opens the list, with a question in its address, and waits for its rows. */
async function open(question = "", viewport = DESKTOP) {
  const page = await browser.newPage({ viewport, reducedMotion: "reduce" });
  page.setDefaultTimeout(TIMEOUT);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && !message.text().includes("503") && errors.push(message.text()));
  await asAuthor(page.context(), server);
  await page.goto(`${server.origin}/admin/content/${question}`);
  await page.locator("#rows tr").first().waitFor();
  return { page, errors };
}

const rows = (page) => page.locator("#rows tr");
const names = (page) => page.locator("#rows th").allTextContents();

describe("the list of all content", () => {
  it("is searched and filtered with the keyboard alone", async () => {
    const { page, errors } = await open();
    const all = await rows(page).count();
    assert.equal(all, 50, "a part of the list");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("ZEPPELIN");
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 1);
    assert.match((await names(page))[0], /A hidden zeppelin/);
    assert.equal(new URL(page.url()).searchParams.get("q"), "ZEPPELIN");
    await page.locator("#rows .is-draft").waitFor();
    // The next control is the state.
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("name")), "state");
    await page.locator("select[name=state]").selectOption("public");
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 0);
    assert.equal(await page.locator("#table").isVisible(), false);
    assert.deepEqual(errors, []);
    await page.close();
  });

  it("shows its parts one after the other, and keeps the question in the address", async () => {
    const { page } = await open("?language=en");
    assert.equal(await page.locator("select[name=language]").inputValue(), "en");
    const first = await names(page);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.waitForFunction((name) => document.querySelector("#rows th").textContent !== name, first[0]);
    assert.equal(new URL(page.url()).searchParams.get("page"), "1");
    assert.ok((await names(page)).every((name) => !first.includes(name)));
    await page.close();
  });

  for (const [name, viewport] of Object.entries({ "a phone": PHONE, "a desk": DESKTOP })) {
    it(`has no barriers on ${name}, and fits`, async () => {
      const { page } = await open("", viewport);
      await page.evaluate(AXE);
      assert.deepEqual(await findBarriers(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await page.locator("#rows button").first().click();
      await page.locator("#actions[open]").waitFor();
      assert.deepEqual(await findBarriers(page), []);
      await page.close();
    });
  }

  it("moves a page with its redirect, after what links to it was shown", async () => {
    const { page } = await open("?q=org-chart&kind=page&language=en");
    const old = content("pages/org-chart/en.yaml").path;
    await page.locator("#rows button").first().focus();
    await page.keyboard.press("Enter");
    await page.locator("#links li").first().waitFor();
    const field = page.locator("#move input");
    await field.fill("no slash");
    await page.keyboard.press("Enter");
    await page.locator("#failed:not(:empty)").waitFor();
    await field.fill("/people/");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /\/people\// }).waitFor();
    assert.match(await readFile(join(server.root, PAGE), "utf8"), /^path: \/people\/$/m);
    const response = await page.context().request.get(server.origin + old, { maxRedirects: 0 });
    assert.ok([301, 302, 307, 308].includes(response.status()), String(response.status()));
    await page.close();
  });

  it("deletes a post for good on the second press", async () => {
    const { page } = await open("?q=zeppelin");
    await page.locator("#rows button").first().click();
    const remove = page.locator("#delete");
    const before = await remove.textContent();
    await remove.click();
    assert.notEqual(await remove.textContent(), before);
    await readFile(join(server.root, DRAFT));
    await remove.click();
    await page.waitForFunction(() => document.querySelectorAll("#rows tr").length === 0);
    await assert.rejects(readFile(join(server.root, DRAFT)));
    await page.close();
  });
});
