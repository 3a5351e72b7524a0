// The note of the preview about a translation that is out of date, in a browser.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { asAuthor, openBrowser, ROOT, serve } from "../browser/site.mjs";
import { newSite } from "./site.mjs";

describe("the preview of a page whose translation is out of date", () => {
  const site = newSite();
  after(site.remove);
  const errors = [];
  let server, browser;
  before(async () => {
    assert.equal(site.run("translations", "--accept").status, 0);
    site.edit("content/pages/about/en.yaml", "    title: ", "    title: Indeed, ");
    process.env.SITEGEN_NODE_MODULES = join(ROOT, "node_modules");
    server = await serve("--root", site.folder);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(path) {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await asAuthor(page.context(), server);
    const asked = page.waitForResponse((response) => response.url().includes("/_sitegen/notes"));
    await page.goto(server.origin + path);
    await asked;
    return page;
  }

  it("has a note that opens with the keyboard, and says what to do", async () => {
    const page = await open("/es/nosotros/");
    const note = page.locator("sitegen-note details");
    await note.locator("summary").focus();
    assert.equal(await note.locator("summary").textContent(), "Translation out of date");
    assert.equal(await note.locator(".place").isVisible(), false);
    await page.keyboard.press("Enter");
    await note.locator(".place").waitFor({ state: "visible" });
    assert.match(await note.locator(".place").textContent(), /^content\/pages\/about\/es\.yaml:\d+:\d+$/);
    assert.match(await note.locator(".hint").textContent(), /sitegen translations --accept pages\/about\/es/);
    const box = await note.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await page.close();
  });

  it("says nothing on the page that was translated", async () => {
    const page = await open("/about/");
    assert.equal(await page.locator("sitegen-note").count(), 0);
    await page.close();
    assert.deepEqual(errors, []);
  });
});
