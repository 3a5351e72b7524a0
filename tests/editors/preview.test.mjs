// The note of the preview about a translation that is out of date, in a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { asAuthor, openBrowser, ROOT } from "../browser/site.mjs";
import { newSite, SITEGEN } from "./site.mjs";

describe("the preview of a page whose translation is out of date", () => {
  const site = newSite();
  after(site.remove);
  const errors = [];
  let server, browser, address, origin;
  before(async () => {
    assert.equal(site.run("translations", "--accept").status, 0);
    site.edit("content/pages/about/en.yaml", "    title: ", "    title: Indeed, ");
    const env = { ...process.env, SITEGEN_NODE_MODULES: join(ROOT, "node_modules") };
    server = spawn(SITEGEN, ["serve", "--port", "0", "--root", site.folder], { env, stdio: ["ignore", "pipe", "ignore"] });
    address = await new Promise((resolve, reject) => {
      server.stdout.on("data", (data) => {
        const found = /http:\/\/\S+/.exec(String(data));
        if (found) resolve(found[0]);
      });
      server.on("exit", () => reject(new Error("the preview ended")));
    });
    origin = new URL(address).origin;
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  });

  async function open(path) {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await asAuthor(page.context(), { address });
    const asked = page.waitForResponse((response) => response.url().includes("/_sitegen/notes"));
    await page.goto(origin + path);
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
