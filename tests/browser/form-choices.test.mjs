// Browser tests of forms whose choices depend on another answer or are made by a link, and that show what was answered before
// it is sent: without script, with script by keyboard, and in Firefox.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { storedIn } from "./lead-form.mjs";
import { openBrowser, openFirefox, openForLong, PHONE, ROOT, serve, sitegen, TIMEOUT, temporaryFolder, visit } from "./site.mjs";

/** What can be broken at each place. Damp is at both, and nothing is in the garden. */
const damage = { roof: ["tiles", "damp"], wall: ["crack", "damp"] };
/** The files of a form in steps, in JSON, which is YAML as well. */
const REPAIR = {
  "form.yaml": {
    fields: {
      place: { type: "choice", choices: ["roof", "wall", "garden"], required: true, look: "cards" },
      damage: {
        type: "choice",
        choices_by: { place: damage },
        required: true,
        look: "cards",
        anchors: { tiles: ["tiles", "broken-tiles"], crack: "crack" },
      },
      since: { type: "date" },
      insured: { type: "flag" },
      email: { type: "email", required: true },
    },
    steps: [["place"], ["damage", "since"], ["insured"], ["email"]],
    summary: true,
    drawing: true,
    draft: true,
    captcha: false,
  },
  "en.yaml": {
    title: "Ask for a repair",
    fields: {
      place: { label: "Where is it?", choices: { roof: "The roof", wall: "A wall", garden: "The garden" } },
      damage: {
        label: "What is it?",
        choices: { tiles: "Broken tiles", damp: "Damp", crack: "A crack" },
        previews: { tiles: "We come **the same day**." },
      },
      since: { label: "Since" },
      insured: { label: "It is insured" },
      email: { label: "Email" },
    },
    steps: [{ title: "The place" }, { title: "The damage" }, { title: "Who pays" }, { title: "About you" }],
    success: { title: "We are on our way.", again: "Ask for another repair" },
  },
};
/** A form on one page, with menus. */
const ORDER = {
  "form.yaml": {
    fields: {
      kind: { type: "choice", choices: ["tile", "brick"], required: true },
      color: {
        type: "choice",
        choices_by: { kind: { tile: ["red", "black"], brick: ["red", "grey"] } },
        anchors: { grey: "grey" },
      },
      email: { type: "email", required: true },
    },
    captcha: false,
  },
  "en.yaml": {
    title: "Order",
    fields: {
      kind: { label: "What?", choices: { tile: "Tiles", brick: "Bricks" } },
      color: { label: "Color", choices: { red: "Red", black: "Black", grey: "Grey" } },
      email: { label: "Email" },
    },
    success: { title: "Ordered.", again: "Order more" },
  },
};
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10" width="40" height="10"><path d="M0 5h40"/></svg>\n';
const PATH = "/contact/";

const browser = await openBrowser();
let folder;
let server;
const leads = () => join(folder.path, "leads.sqlite3");
const url = (rest = "") => server.origin + PATH + rest;

before(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, "acme");
  assert.equal((await sitegen("new", root, "--sample", "--no-blog")).code, 0);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, "content/images/brand"), { recursive: true });
  writeFileSync(join(root, "content/images/brand/success.svg"), DRAWING);
  for (const [name, files, key] of /** @type {const} */ ([
    ["repair", REPAIR, "contact"],
    ["order", ORDER, "about"],
  ])) {
    const form = join(root, "content/forms", name);
    mkdirSync(form, { recursive: true });
    for (const [file, value] of Object.entries(files)) writeFileSync(join(form, file), `${JSON.stringify(value, null, 2)}\n`);
    const page = join(root, `content/pages/${key}/en.yaml`);
    writeFileSync(page, `${readFileSync(page, "utf8").trimEnd()}\n  - {kind: form, form: ${name}, band: white}\n`);
  }
  // A link to the form that makes a choice is checked as every link is.
  const words = join(root, "content/forms/order/en.yaml");
  const linked = { ...ORDER["en.yaml"], lead: "[Broken tiles](page:contact#broken-tiles) are repaired, not sold." };
  writeFileSync(words, `${JSON.stringify(linked, null, 2)}\n`);
  const { code, stderr } = await sitegen("build", "--strict", "--root", root);
  assert.equal(code, 0, stderr);
  Object.assign(process.env, { LEADS_STORE: leads(), LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" });
  server = await serve("--no-watch", "--leads-from-environment", "--root", root);
});
after(async () => {
  await browser.close();
  await server?.stop();
  await folder?.remove();
});

const find = (page, name = "repair") => page.locator(`form[data-form=${name}]`);
const next = (page) => find(page).getByRole("button", { name: "Continue" });
const submit = (page, name = "repair") => find(page, name).locator("button[type=submit]");
const at = (page, title) => find(page).getByRole("group", { name: title }).waitFor();
const hydrated = (page) => page.locator(".form-steps[data-steps=shown]").waitFor({ state: "attached" });
const card = (page, name) => find(page).getByRole("radio", { name, exact: true });
/** The names of the choices of a field that can be seen. */
const offered = (page, field) =>
  find(page)
    .locator(`[name=${field}]`)
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute("value")));
const summary = (page) => find(page).locator(".form-steps__answer").allTextContents();

describe("choices that another answer offers", () => {
  it("stand below that answer without JavaScript, and are refused with another one", () =>
    visit(browser, url(), { script: false }, async (page) => {
      const form = find(page);
      assert.deepEqual(await offered(page, "damage"), ["tiles", "damp", "crack"]);
      const roof = form.getByRole("group", { name: "The roof", exact: true });
      assert.ok(await roof.getByText("Broken tiles").isVisible());
      await card(page, "A wall").check();
      await card(page, "Broken tiles").check();
      await form.getByLabel("Email").fill("plain@example.com");
      await submit(page).click();
      await page.waitForURL((url) => url.pathname === "/api/forms/repair");
      assert.ok(await form.locator("[data-error=damage]").isVisible());
      assert.ok(await card(page, "Broken tiles").isChecked(), "what was chosen is kept");
      await card(page, "The garden").check();
      await submit(page).click();
      assert.ok(await form.locator("[data-error=damage]").isVisible(), "nothing is broken there");
      await card(page, "The roof").check();
      await submit(page).click();
      await form.getByText("We are on our way.").waitFor();
      assert.equal(await form.getByRole("button", { name: "Ask for another repair" }).count(), 0, "no script would do it");
    }));

  it("are offered step by step, by keyboard and without barriers, and stand above the last step", () =>
    visit(browser, url(), {}, async (page, { complaints }) => {
      const form = find(page);
      const free = async (step) => assert.deepEqual([await findBarriers(page), complaints], [[], []], step);
      await hydrated(page);
      await page.evaluate(AXE);
      await card(page, "A wall").press("Space");
      await next(page).press("Enter");
      await at(page, "The damage");
      assert.deepEqual(await offered(page, "damage"), ["damp", "crack"]);
      await next(page).press("Enter");
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "damage");
      await free("an error");
      await card(page, "Damp").press("Space");
      await form.getByLabel("Since").fill("2027-01-31");
      await next(page).press("Enter");
      await at(page, "Who pays");
      assert.deepEqual(await summary(page), ["Where is it?A wall", "What is it?Damp", "SinceJanuary 31, 2027"]);
      await free("a summary");
      // Another answer: what it also offers stays chosen, the rest is asked again.
      await form.getByRole("button", { name: "The place (done)" }).press("Enter");
      await page.waitForFunction(() => document.activeElement?.textContent === "The place");
      assert.deepEqual(await summary(page), []);
      await card(page, "The roof").press("Space");
      await next(page).press("Enter");
      await at(page, "The damage");
      assert.deepEqual(await offered(page, "damage"), ["tiles", "damp"]);
      await form.getByRole("radio", { name: "Broken tiles" }).press("Space");
      await form.getByText("the same day").waitFor();
      assert.equal(new URL(page.url()).hash, "#tiles", "the address names the choice");
      await page.keyboard.press("Enter");
      await at(page, "Who pays");
      await form.getByLabel("It is insured").press("Space");
      await next(page).press("Enter");
      await at(page, "About you");
      assert.deepEqual(await summary(page), [
        "Where is it?The roof",
        "What is it?Broken tiles",
        "SinceJanuary 31, 2027",
        "It is insured✓",
      ]);
      await free("the last step");
      await page.reload();
      await hydrated(page);
      await at(page, "About you");
      assert.equal((await summary(page)).length, 4, "the address does not lead back from where the visitor was");
      await form.getByLabel("Email").fill("eva@example.com");
      await openForLong(page);
      await submit(page).press("Enter");
      await page.waitForFunction(() => document.activeElement?.textContent === "We are on our way.");
      assert.equal(new URL(page.url()).hash, "", "the address names nothing that was sent");
      assert.ok(await form.locator(".form__art svg").isVisible());
      await page.evaluate(AXE);
      await free("the end");
      await form.getByRole("button", { name: "Ask for another repair" }).press("Enter");
      await page.waitForFunction(() => document.activeElement?.textContent === "The place");
      assert.equal(await form.locator(":checked").count(), 0);
      assert.equal(await page.evaluate(() => sessionStorage.length), 0);
      assert.deepEqual(complaints, []);
    }));

  it("pass over a step that asks nothing, and forget what is no longer offered", () =>
    visit(browser, url(), {}, async (page) => {
      await hydrated(page);
      await card(page, "The garden").check();
      await next(page).click();
      await at(page, "The damage");
      assert.equal(await find(page).locator("[name=damage]").count(), 0, "nothing is offered");
      await find(page).getByRole("button", { name: "Back" }).click();
      await card(page, "A wall").check();
      await next(page).click();
      await card(page, "A crack").check();
      assert.equal(new URL(page.url()).hash, "#crack");
      await find(page).getByRole("button", { name: "Back" }).click();
      await card(page, "The roof").check();
      assert.equal(new URL(page.url()).hash, "");
      await next(page).click();
      await at(page, "The damage");
      assert.equal(await find(page).locator("[name=damage]:checked").count(), 0);
    }));

  it("are menus on one page", () =>
    visit(browser, `${server.origin}/about/#grey`, {}, async (page, { complaints }) => {
      const form = find(page, "order");
      await page.locator("sitegen-island[name=form][hydrated]").waitFor();
      const colors = () => form.locator("[name=color] option").evaluateAll((all) => all.map((option) => option.textContent));
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector("[name=color]"))?.value === "grey");
      assert.deepEqual(await colors(), ["–", "Red", "Grey"]);
      assert.equal(await form.getByLabel("What?").inputValue(), "brick");
      await form.getByLabel("What?").selectOption("Tiles");
      assert.deepEqual(await colors(), ["–", "Red", "Black"]);
      assert.equal(await form.getByLabel("Color").inputValue(), "");
      await form.getByLabel("What?").selectOption("–");
      assert.equal(await form.getByLabel("Color").count(), 0);
      await page.evaluate(() => {
        location.hash = "#grey";
      });
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector("[name=color]"))?.value === "grey");
      await form.getByLabel("Email").fill("ana@example.com");
      await openForLong(page);
      await submit(page, "order").click();
      await form.getByRole("button", { name: "Order more" }).click();
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "kind");
      assert.equal(await form.getByLabel("Email").inputValue(), "");
      assert.deepEqual(complaints, []);
    }));
});

describe("a link that makes a choice", () => {
  it("leads to its step, and Back from there to the one before", () =>
    visit(browser, url("#broken-tiles"), { prepare: () => {} }, async (page) => {
      await hydrated(page);
      await at(page, "The damage");
      assert.ok(await card(page, "Broken tiles").isChecked());
      await page.goBack();
      await at(page, "The place");
      assert.ok(await card(page, "The roof").isChecked());
      await page.goForward();
      await at(page, "The damage");
      // A link on the page itself.
      await page.evaluate(() => {
        location.hash = "#crack";
      });
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector("[name=damage]:checked"))?.value === "crack");
      await at(page, "The damage");
      assert.deepEqual(await offered(page, "damage"), ["damp", "crack"]);
      await page.goBack();
      await at(page, "The place");
      assert.ok(await card(page, "A wall").isChecked());
    }));

  it("leads to the form without JavaScript", () =>
    visit(browser, url("#broken-tiles"), { script: false }, async (page) => {
      const { y } = await find(page).boundingBox();
      assert.ok(y >= 0 && y < 300, `the form begins at ${y}`);
    }));
});

describe("a summary", () => {
  it("fits into a phone, whatever was entered", () =>
    visit(browser, url("#crack"), { viewport: PHONE }, async (page) => {
      await hydrated(page);
      await next(page).click();
      await at(page, "Who pays");
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width);
    }));
});

it("answers are stored as they were offered", async () => {
  const stored = (await storedIn(leads())).map(({ form }) => form.answers);
  const of = (email) => stored.filter((answers) => answers.email === email);
  assert.deepEqual(of("eva@example.com"), [
    { place: "roof", damage: "tiles", since: "2027-01-31", insured: true, email: "eva@example.com" },
  ]);
  assert.deepEqual(of("ana@example.com"), [{ kind: "brick", color: "grey", email: "ana@example.com" }]);
  assert.deepEqual(
    of("plain@example.com").map((answers) => [answers.place, answers.damage]),
    [["roof", "tiles"]],
  );
});

describe("choices that another answer offers, in Firefox", () => {
  it("are made by a link and sent", async () => {
    const firefox = await openFirefox();
    try {
      const page = await firefox.newPage();
      page.setDefaultTimeout(TIMEOUT);
      await page.goto(url("#crack"));
      await page.waitForSelector(".form-steps[data-steps=shown]");
      await page.waitForSelector("[name=damage][value=crack]:checked");
      assert.equal(await page.$eval("[name=place]:checked", (input) => /** @type {any} */ (input).value), "wall");
      // With the keyboard: the form may scroll to the step between the browser's look for the button and the press.
      await page.focus(".form-steps__next");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.textContent === "Who pays");
      assert.equal(await page.$eval(".form-steps__summary", (list) => list.querySelectorAll("li").length), 2);
    } finally {
      await firefox.close();
    }
  });
});
