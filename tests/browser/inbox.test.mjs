// Browser tests of the inbox for leads: read, searched and changed with the keyboard alone, without JavaScript, in both languages,
// and without a barrier that axe finds.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { asAuthor, DESKTOP, openBrowser, PHONE, serveApi, serveInbox, TABLET, TIMEOUT, temporaryFolder } from "./site.mjs";

const folder = await temporaryFolder();
const store = `${folder.path}/leads.sqlite3`;
const browser = await openBrowser();
let inbox;
before(async () => {
  const rules = { refuse_without_script: false, refuse_unverified: false, keep_days: null, captcha: "none" };
  const locales = ["en", "es"].map((code) => ({ code, errors: {}, form: null, thanks: "/thanks/" }));
  const leads = { version: 4, base_url: "https://site.example", rules, locales };
  await writeFile(`${folder.path}/leads.json`, JSON.stringify(leads));
  const api = await serveApi({
    LEADS_SITE: `${folder.path}/leads.json`,
    LEADS_STORE: store,
    LEADS_PER_MINUTE: "0",
    LEADS_PER_MINUTE_TOTAL: "0",
  });
  const people = ["Ana Ruiz", "Bob Bauer", "Chinedu Obi", "Dana Wójcik", "Eva Núñez"];
  for (const [at, name] of people.entries()) {
    const email = `${name.split(" ")[0].toLowerCase()}@example.com`;
    const message = `We sell shoes in ${at + 2} towns, and our shop is slow.\nCan you help?`;
    const lead = { name, email, company: "", phone: "+34 600 000 000", projectType: "SEO", message, recaptchaToken: "" };
    const headers = { "content-type": "application/json", ...(at === 1 && { "x-form-signals": "website=x" }) };
    const answer = await fetch(`${api.origin}/api/leads`, { method: "POST", headers, body: JSON.stringify(lead) });
    assert.equal(answer.status, 200, await answer.text());
  }
  await api.stop();
  inbox = await serveInbox(store, "--allow-changes");
});
after(async () => {
  await Promise.all([browser.close(), inbox?.stop()]);
  await folder.remove();
});

/** Opens a page of the inbox as who has started it. Its pages have no script; that of axe does not come from them. */
async function open(path, look, { viewport = DESKTOP, locale = "en-US" } = {}) {
  const context = await browser.newContext({ viewport, locale, reducedMotion: "reduce", bypassCSP: true });
  context.setDefaultTimeout(TIMEOUT);
  try {
    await asAuthor(context, inbox);
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(inbox.origin + path);
    const result = await look(page);
    assert.deepEqual(complaints, []);
    return result;
  } finally {
    await context.close();
  }
}

/** Presses Tab until an element has the focus. */
async function tabTo(page, locator) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await locator.evaluate((element) => element === document.activeElement)) return;
  }
  assert.fail("Tab does not lead there");
}

describe("the inbox", () => {
  for (const [locale, title] of [
    ["en-US", "Leads"],
    ["es-MX", "Solicitudes"],
  ]) {
    for (const viewport of [PHONE, TABLET, DESKTOP]) {
      it(`has no barriers in ${locale} at ${viewport.width} pixels`, async () => {
        const check = async (page) => {
          await page.evaluate(AXE);
          assert.deepEqual(await findBarriers(page), []);
          const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
          assert.equal(await page.evaluate(overflow), 0);
        };
        await open(
          "/",
          async (page) => {
            await check(page);
            assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), title);
            await page.getByRole("link", { name: "Bob Bauer" }).click();
            await check(page);
            await page.locator(".button.danger").click();
            await check(page);
          },
          { viewport, locale },
        );
      });
    }
  }

  it("is searched, read and marked with the keyboard alone", () =>
    open("/", async (page) => {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await tabTo(page, page.getByLabel("Search"));
      await page.keyboard.type("NÚÑEZ shoes");
      await page.keyboard.press("Enter");
      await page.getByText("Clear filters").waitFor();
      assert.deepEqual(await page.locator(".lead h2 a").allTextContents(), ["Eva Núñez"]);
      await tabTo(page, page.getByRole("link", { name: "Eva Núñez" }));
      await page.keyboard.press("Enter");
      await tabTo(page, page.getByRole("button", { name: "Mark as read" }));
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Marked as read.").waitFor();
      await page.getByRole("link", { name: "Back to the list" }).click();
      assert.equal(await page.getByLabel("Search").inputValue(), "NÚÑEZ shoes");
      await page.goto(`${inbox.origin}/?unread=1`);
      assert.equal(await page.getByRole("link", { name: "Eva Núñez" }).count(), 0);
    }));

  it("releases and forgets, and keeps the language that was chosen", () =>
    open("/", async (page) => {
      await page.getByRole("link", { name: "Español" }).click();
      await page.getByRole("link", { name: "Bob Bauer" }).click();
      await page.getByRole("button", { name: "Liberar" }).click();
      await page.getByRole("status").waitFor();
      assert.equal(await page.getByRole("button", { name: "Liberar" }).count(), 0);
      await page.getByRole("link", { name: /^Borrar las solicitudes/ }).click();
      await page.getByRole("button", { name: "Borrar definitivamente" }).click();
      await page.getByRole("status").getByText("Se han borrado").waitFor();
      assert.equal(await page.getByRole("link", { name: "Bob Bauer" }).count(), 0);
    }));

  it("saves an export", () =>
    open("/", async (page) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
      assert.equal(download.suggestedFilename(), "leads.csv");
    }));
});
