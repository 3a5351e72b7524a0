// Browser tests of a form of the site in steps: without script on one page; with script by keyboard, with the history of the
// browser, a draft, links that fill it in, and errors that lead to their step.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { storedIn } from "./lead-form.mjs";
import {
  openBrowser,
  openFirefox,
  openForLong,
  PHONE,
  ROOT,
  serve,
  sitegen,
  solveCaptcha,
  TIMEOUT,
  temporaryFolder,
  visit,
} from "./site.mjs";

/** The files of a form, in JSON, which is YAML as well. */
const FORM = {
  "form.yaml": {
    fields: {
      topic: {
        type: "choice",
        choices: ["roof", "walls"],
        required: true,
        look: "cards",
        icons: { roof: "house", walls: "wall" },
        from_query: "topic",
      },
      insured: { type: "flag" },
      insurer: { type: "text", required: true, shown_when: { insured: "true" } },
      when: { type: "choice", choices: ["soon", "later"], look: "radios", required: true },
      name: { type: "text", required: true, autocomplete: "name" },
      email: { type: "email" },
      phone: { type: "phone" },
    },
    steps: [["topic", "insured"], ["insurer"], ["when"], ["name", "email", "phone"]],
    require_one_of: [["email", "phone"]],
    consent: ["privacy"],
    draft: true,
  },
  "en.yaml": {
    title: "Ask for a repair",
    fields: {
      topic: {
        label: "What is broken?",
        choices: { roof: "The roof", walls: "A wall" },
        texts: { roof: "Tiles, gutters, chimneys." },
        previews: { roof: "We come **the same day**." },
      },
      insured: { label: "It is insured" },
      insurer: { label: "Insurer" },
      when: { label: "When?", choices: { soon: "Soon", later: "Later" } },
      name: { label: "Your name" },
      email: { label: "Email" },
      phone: { label: "Phone" },
    },
    steps: [
      { title: "The damage", label: "Damage" },
      { title: "Who pays", label: "Insurer" },
      { title: "The day", label: "Day", text: "We call before we come." },
      { title: "About you", label: "You" },
    ],
    consent: { privacy: "I have read [what you keep](page:privacy)." },
    success: { title: "We are on our way.", text: "Almost." },
  },
};
/** A form on one page that is filled in, too. */
const NEWS = {
  "form.yaml": {
    fields: {
      topic: { type: "choice", choices: ["roof", "walls"], list: true, from_query: "about" },
      since: { type: "date", from_query: "since" },
      email: { type: "email", required: true },
      name: { type: "text", required: true },
    },
    draft: true,
    captcha: false,
  },
  "en.yaml": {
    title: "News",
    fields: {
      topic: { label: "About", choices: { roof: "Roofs", walls: "Walls" } },
      since: { label: "Since" },
      email: { label: "Email" },
      name: { label: "Name" },
    },
  },
};
const PATH = "/contact/";

const browser = await openBrowser();
let folder;
let server;
const leads = () => join(folder.path, "leads.sqlite3");
const url = (query = "") => server.origin + PATH + query;

before(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, "acme");
  assert.equal((await sitegen("new", root, "--sample", "--no-blog")).code, 0);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  for (const [name, files, key] of /** @type {const} */ ([
    ["repair", FORM, "contact"],
    ["news", NEWS, "about"],
  ])) {
    const form = join(root, "content/forms", name);
    mkdirSync(form, { recursive: true });
    for (const [file, value] of Object.entries(files)) writeFileSync(join(form, file), `${JSON.stringify(value, null, 2)}\n`);
    const page = join(root, `content/pages/${key}/en.yaml`);
    writeFileSync(page, `${readFileSync(page, "utf8").trimEnd()}\n  - {kind: form, form: ${name}, band: white}\n`);
  }
  const { code, stderr } = await sitegen("build", "--strict", "--root", root);
  assert.equal(code, 0, stderr);
  process.env.LEADS_STORE = leads();
  server = await serve("--no-watch", "--leads-from-environment", "--root", root);
});
after(async () => {
  await browser.close();
  await server?.stop();
  await folder?.remove();
});

const find = (page) => page.locator("form[data-form=repair]");
const next = (page) => find(page).getByRole("button", { name: "Continue" });
const back = (page) => find(page).getByRole("button", { name: "Back" });
const submit = (page) => find(page).locator("button[type=submit]");
const at = (page, title) => find(page).getByRole("group", { name: title }).waitFor();
const hasFocus = (page, text) => page.waitForFunction((text) => document.activeElement?.textContent === text, text);
const current = (page) => find(page).locator("[aria-current=step]").textContent();
const hydrated = (page) => page.locator(".form-steps[data-steps=shown]").waitFor({ state: "attached" });
/** The state of the history, by which tests tell one entry from another. */
const entries = (page) => page.evaluate(() => history.length);

/** A promise, and what resolves it. */
const gate = () => {
  let resolve = () => {};
  const promise = new Promise((done) => (resolve = () => done(undefined)));
  return { promise, resolve };
};

/** Fills in the first three steps. */
async function toLast(page) {
  await find(page).getByLabel("A wall").check();
  await next(page).click();
  await find(page).getByLabel("Soon").check();
  await next(page).click();
  await at(page, "About you");
}

describe("a form in steps", () => {
  it("is on one page without JavaScript, and comes back whole with its errors", () =>
    visit(browser, url(), { script: false }, async (page) => {
      const form = find(page);
      for (const title of ["The damage", "Who pays", "The day", "About you"])
        assert.ok(await form.getByRole("group", { name: title }).isVisible(), title);
      assert.equal(await next(page).count(), 0);
      assert.equal(await form.locator(".form-steps__progress").isVisible(), false);
      await form.getByLabel("The roof").check();
      await form.getByLabel("It is insured").check();
      await form.getByLabel("Later").check();
      await form.getByLabel("Your name").fill("Ana");
      await form.getByRole("checkbox", { name: "what you keep" }).check();
      await submit(page).click();
      await page.waitForURL((url) => url.pathname === "/api/forms/repair");
      const wrong = form.locator("[data-error]:not([hidden])");
      const named = await wrong.evaluateAll((messages) => messages.map((message) => message.getAttribute("data-error")));
      assert.deepEqual(named, ["", "insurer", "email"]);
      // The title says so first, and each error in the list leads to its field.
      assert.equal(await wrong.nth(0).getByRole("link").count(), 2);
      assert.ok((await page.title()).startsWith(`${await wrong.nth(1).innerText()} – `), await page.title());
      await wrong.nth(0).getByRole("link").nth(0).click();
      assert.equal(await page.evaluate(() => document.querySelector(":target")?.getAttribute("name")), "insurer");
      assert.ok(await form.getByLabel("The roof").isChecked());
      assert.ok(await form.getByLabel("Later").isChecked());
      await form.getByLabel("Insurer").fill("Safe & Sound");
      await form.getByLabel("Phone").fill("+34 600 123 456");
      await submit(page).click();
      await form.getByText("We are on our way.").waitFor();
    }));

  it("shows all steps if its script does not load, and in the answer to what it sends then", () =>
    visit(browser, url(), { prepare: (page) => page.route(/form-steps-.*\.js/, (route) => route.abort()) }, async (page) => {
      const form = find(page);
      await form.getByLabel("It is insured").check();
      await page.locator("sitegen-island[name=form-steps][failed]").waitFor({ state: "attached" });
      assert.ok(await form.getByLabel("Your name").isVisible());
      await form.evaluate((/** @type {HTMLFormElement} */ element) => element.submit());
      await page.waitForURL((url) => url.pathname === "/api/forms/repair");
      assert.ok(await form.getByLabel("Your name").isVisible(), "there is no script on this page that leads through steps");
      assert.ok(await submit(page).isVisible());
      assert.equal(await next(page).count(), 0);
    }));

  it("leads through its steps by keyboard, without barriers", () =>
    visit(browser, url(), {}, async (page, { complaints }) => {
      const form = find(page);
      const free = async (step) => assert.deepEqual([await findBarriers(page), complaints], [[], []], step);
      const before = await entries(page);
      await page.evaluate(AXE);
      assert.ok(await next(page).isVisible(), "before the form wakes");
      assert.equal(await submit(page).isVisible(), false);
      assert.equal(await form.getByLabel("Your name").isVisible(), false);
      await hydrated(page);
      await free("the first step");
      // What is missing is said at its place, and takes the focus.
      await next(page).press("Enter");
      await form.getByRole("alert").filter({ hasText: "What is broken?" }).waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "topic");
      await free("an error");
      await page.keyboard.press("Space");
      await form.getByText("the same day").waitFor();
      assert.equal(await form.getByRole("alert").isVisible(), false, "the message goes when its field is right");
      // Enter in a field leads on, and does not send.
      await form.getByLabel("It is insured").press("Enter");
      await at(page, "The day");
      await hasFocus(page, "The day");
      assert.equal(await current(page), "Day");
      assert.equal(await form.locator(".form-steps__bar").count(), 3, "a step without anything to show is passed over");
      assert.equal(await form.getByRole("group", { name: "The day" }).locator(".form-steps__count").textContent(), "Step 2 of 3");
      await free("the second step");
      await back(page).press("Enter");
      await hasFocus(page, "The damage");
      await form.getByLabel("It is insured").press("Space");
      await next(page).press("Enter");
      await hasFocus(page, "Who pays");
      assert.equal(await form.locator(".form-steps__bar").count(), 4);
      await form.getByLabel("Insurer").fill("Safe & Sound");
      await page.keyboard.press("Enter");
      await hasFocus(page, "The day");
      await form.getByLabel("Soon").press("Space");
      await page.keyboard.press("Enter");
      await hasFocus(page, "About you");
      assert.equal(await entries(page), before + 3, "each step is one entry");
      await form.getByLabel("Your name").fill("Eva");
      await page.keyboard.press("Enter");
      const summary = form.locator(".form__summary");
      await summary.filter({ hasText: "Email" }).waitFor();
      assert.ok((await summary.textContent()).includes("captcha"), "the captcha is named as well");
      await form.getByLabel("Email").fill("eva@example.com");
      await form.getByRole("checkbox", { name: "what you keep" }).check();
      await submit(page).press("Enter");
      await form.locator(".form__error[data-error=_captcha]", { hasText: "Please solve the captcha." }).waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "form-repair-_captcha");
      await free("the last step");
      await solveCaptcha(page);
      await openForLong(page);
      await submit(page).press("Enter");
      await hasFocus(page, "We are on our way.");
      await page.waitForFunction(() => history.state?.["form-repair"] === 1);
      assert.equal(await page.evaluate(() => sessionStorage.length), 0, "nothing of it stays in the tab");
      assert.deepEqual(complaints, []);
    }));

  it("follows the history of the browser, as far as the answers lead", () =>
    visit(browser, url(), { prepare: () => {} }, async (page) => {
      await hydrated(page);
      await toLast(page);
      await page.goBack();
      await hasFocus(page, "The day");
      assert.ok(await find(page).getByLabel("Soon").isChecked());
      await page.goBack();
      await hasFocus(page, "The damage");
      await page.goForward();
      await page.goForward();
      await at(page, "About you");
      await back(page).click();
      await back(page).click();
      await at(page, "The damage");
      // Now an answer is missing that the next step asks for.
      await find(page).getByLabel("It is insured").check();
      await page.evaluate(() => history.go(2));
      await at(page, "Who pays");
      await page.waitForFunction(() => history.state["form-repair"] === 2);
      await page.reload();
      await hydrated(page);
      await at(page, "Who pays");
      await page.goBack();
      await at(page, "The damage");
      assert.ok(await find(page).getByLabel("A wall").isChecked());
    }));

  it("checks a step that is left before its script is there", () => {
    const { promise, resolve } = gate();
    const hold = (page) =>
      page.route(/\/send-\w+\.js$/, async (route) => {
        await promise;
        await route.continue();
      });
    return visit(browser, url(), { prepare: hold }, async (page) => {
      const asked = page.waitForRequest(/\/send-\w+\.js$/);
      await next(page).click();
      await asked;
      await find(page).locator("xpath=ancestor::sitegen-island[@hydrated]").waitFor();
      await next(page).click();
      resolve();
      await hydrated(page);
      await find(page).getByRole("alert").filter({ hasText: "What is broken?" }).waitFor();
      assert.equal(await current(page), "Damage");
    });
  });

  it("checks what the browser can if its script cannot be loaded", () =>
    visit(browser, url(), { prepare: (page) => page.route(/\/send-\w+\.js$/, (route) => route.abort()) }, async (page) => {
      await hydrated(page);
      await next(page).click();
      assert.equal(await current(page), "Damage");
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "topic");
      await find(page).getByLabel("A wall").check();
      await next(page).click();
      await at(page, "The day");
    }));

  it("keeps a draft, and takes a link before it", () =>
    visit(browser, url(), {}, async (page) => {
      await hydrated(page);
      await toLast(page);
      await find(page).getByLabel("Your name").fill("Ana");
      await page.goto(`${server.origin}/`);
      await page.goto(url());
      await hydrated(page);
      await at(page, "About you");
      assert.equal(await find(page).getByLabel("Your name").inputValue(), "Ana");
      await page.goto(url("?topic=roof&name=Eva"));
      await hydrated(page);
      await back(page).click();
      await back(page).click();
      assert.ok(await find(page).getByLabel("The roof").isChecked());
      await find(page).getByText("the same day").waitFor();
      await page.goto(url("?topic=cellar"));
      await hydrated(page);
      assert.equal(await find(page).getByLabel("Your name").inputValue(), "Ana", "a parameter that no field names");
    }));

  it("leads to the step of what the server refuses", () =>
    visit(browser, url(), { prepare: () => {} }, async (page) => {
      const answer = { success: false, error: "No.", code: "invalid_choice", errors: { topic: "Sold out.", name: "Too short." } };
      await page.route(/\/api\/forms\//, (route) => route.fulfill({ status: 422, json: answer }));
      await hydrated(page);
      await toLast(page);
      const form = find(page);
      await form.getByLabel("Your name").fill("A");
      await form.getByLabel("Email").fill("ana@example.com");
      await form.getByRole("checkbox", { name: "what you keep" }).check();
      await solveCaptcha(page);
      await submit(page).click();
      await form.getByText("Sold out.").waitFor();
      await at(page, "The damage");
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "topic");
      assert.ok(await form.getByLabel("A wall").isChecked());
    }));

  it("is filled in on one page as well", () =>
    visit(
      browser,
      `${server.origin}/about/?about=roof&about=walls&since=2027-01-31&about=cellar`,
      {},
      async (page, { complaints }) => {
        const form = page.locator("form[data-form=news]");
        await page.locator("sitegen-island[name=form][hydrated]").waitFor();
        await form.getByRole("checkbox", { name: "Walls", checked: true }).waitFor();
        assert.ok(await form.getByLabel("Roofs").isChecked());
        assert.equal(await form.getByLabel("Since").inputValue(), "2027-01-31");
        assert.equal(await page.evaluate(() => scrollY), 0, "nobody is led to a form that was not asked for");
        await form.getByLabel("Roofs").uncheck();
        await form.getByLabel("Email").fill("ana@example.com");
        await page.goto(`${server.origin}/about/`);
        await form.getByRole("checkbox", { name: "Walls", checked: true }).waitFor();
        assert.equal(await form.getByLabel("Roofs").isChecked(), false);
        assert.equal(await form.getByLabel("Email").inputValue(), "ana@example.com");
        assert.deepEqual(complaints, []);
      },
    ));

  it("lists what is wrong on one page as well, with a link to each field", () =>
    visit(browser, `${server.origin}/about/`, { viewport: PHONE }, async (page, { complaints }) => {
      const form = page.locator("form[data-form=news]");
      const summary = form.locator(".form__summary");
      await page.locator("sitegen-island[name=form][hydrated]").waitFor();
      await form.locator("[type=submit]").click();
      await summary.getByRole("link", { name: "Name" }).waitFor();
      assert.deepEqual(await summary.getByRole("link").allTextContents(), ["Email", "Name"]);
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "email");
      assert.equal(await summary.evaluate((list) => getComputedStyle(list).borderInlineStartWidth), "8px");
      // The focus may have put the list behind the header, which the check would take for part of it.
      await summary.evaluate((list) => list.scrollIntoView({ block: "center", behavior: "instant" }));
      await page.evaluate(AXE);
      assert.deepEqual(await findBarriers(page), []);
      await summary.getByRole("link", { name: "Name" }).click();
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "name");
      await form.getByLabel("Name").fill("Ana");
      assert.equal(await summary.getByRole("link").count(), 2, "nothing moves while the others are corrected");
      await form.getByLabel("Email").fill("ana@example.com");
      await summary.waitFor({ state: "hidden" });
      assert.deepEqual([new URL(page.url()).hash, complaints], ["", []]);
    }));

  it("fits into a phone", () =>
    visit(browser, url(), { viewport: PHONE }, async (page) => {
      await hydrated(page);
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok((await width()) <= PHONE.width);
      await toLast(page);
      assert.ok((await width()) <= PHONE.width);
    }));

  it("stores what was answered, and nothing of a step that was passed over", async () => {
    const stored = (await storedIn(leads())).map(({ form, status }) => [form.answers, status]);
    assert.deepEqual(
      stored.filter(([, status]) => status === "verified"),
      [
        [
          { topic: "roof", insured: true, insurer: "Safe & Sound", when: "soon", name: "Eva", email: "eva@example.com" },
          "verified",
        ],
      ],
    );
    assert.deepEqual(
      stored.filter(([, status]) => status === "quarantined").map(([{ name, phone }]) => [name, phone]),
      [["Ana", "+34 600 123 456"]],
    );
  });
});

describe("a form in steps in Firefox", () => {
  it("leads to its end and back", async () => {
    const firefox = await openFirefox();
    try {
      const page = await firefox.newPage();
      page.setDefaultTimeout(TIMEOUT);
      await page.goto(url("?topic=walls"));
      await page.waitForSelector(".form-steps[data-steps=shown]");
      // Without a pointer: while the form scrolls to the next step, Firefox may press beside what has moved.
      const press = (selector) => page.$eval(selector, (own) => /** @type {any} */ (own).click());
      const title = (text) => page.waitForFunction((text) => document.activeElement?.textContent === text, {}, text);
      assert.equal(await page.$eval("[name=topic]:checked", (input) => /** @type {any} */ (input).value), "walls");
      await press(".form-steps__next");
      await title("The day");
      await press("[name=when][value=later]");
      await press(".form-steps__next");
      await title("About you");
      await page.evaluate(() => history.back());
      await title("The day");
      await page.reload();
      await page.waitForSelector(".form-steps[data-steps=shown]");
      assert.equal(await page.$eval("[aria-current=step]", (item) => item.textContent), "Day");
      assert.equal(await page.$eval("[name=when]:checked", (input) => /** @type {any} */ (input).value), "later");
    } finally {
      await firefox.close();
    }
  });
});
