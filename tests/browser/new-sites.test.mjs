// Visits pages of sites that `sitegen new` creates, with all checks of checks.mjs: one of a few pages, one language with a section, an island and
// a frame of its own, three languages of which Spanish is the first, a language that is written from right to left, and a
// site below a path, without blog, case studies and lead form. Sends leads to the first one.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AXE, askEverything, findBarriers, mainText } from "./checks.mjs";
import { storedIn } from "./lead-form.mjs";
import { openBrowser, openForLong, ROOT, SIDE_BY_SIDE, serve, sitegen, solveCaptcha, temporaryFolder, visit } from "./site.mjs";

const MAP = "https://map.example";

const browser = await openBrowser();
after(() => browser.close());

/** The files of a form, in JSON, which is YAML as well. */
const FORM = {
  "form.yaml": {
    fields: {
      name: { type: "text", required: true, autocomplete: "name" },
      email: { type: "email" },
      phone: { type: "phone" },
      day: { type: "date", min: "today" },
      reason: { type: "choice", choices: ["talk", "other"] },
      what: { type: "text", lines: 3, required: true, shown_when: { reason: "other" } },
    },
    require_one_of: [["email", "phone"]],
    consent: ["privacy"],
  },
  "en.yaml": {
    title: "Come and see us",
    fields: {
      name: { label: "Your name" },
      email: { label: "Email" },
      phone: { label: "Phone", hint: "With the country code." },
      day: { label: "Day" },
      reason: { label: "What for", choices: { talk: "A first talk", other: "Something else" } },
      what: { label: "Tell us" },
    },
    consent: { privacy: "I have read [what you keep](page:privacy)." },
    success: { title: "See you soon.", text: "We confirm the day." },
  },
};

/** Adds a form, and a kind of section with an island, to the contact page. */
async function addParts(root) {
  const folder = join(root, "content/forms/visit");
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(FORM)) writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  const run = async (...args) => assert.equal((await sitegen(...args, "--root", root)).code, 0, args.join(" "));
  await run("new", "section", "price_estimate");
  await run("new", "island", "seats");
  const edit = (path, change) => writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));
  const island = '{{ island("seats", {"label": section.title, "price": 12, "currency": "$"}, "visible") }}';
  edit("templates/sections/price_estimate/price_estimate.html", (text) => text.replace("</ul>", `</ul>\n${island}`));
  const section =
    "  - kind: price_estimate\n    title: What it costs\n    items: [{title: Each month, text: Per seat., to: page:home}]\n";
  const ours = "  - {kind: form, form: visit, band: white}\n";
  edit("content/pages/contact/en.yaml", (text) => `${text.trimEnd()}\n${ours}${section}`);
}

/** Adds a map of another site to the contact page, and a notice to every page. */
function addFrame(root, locale) {
  const edit = (path, change) => writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));
  edit("content/site.yaml", (text) => `embeds: [{name: map, frame: "${MAP}"}]\n${text}`);
  const section = `  - {kind: embed, title: Our street, frame: "${MAP}/street?a=1&b=2", shape: classic}\n`;
  edit(`content/pages/contact/${locale}.yaml`, (text) => `${text.trimEnd()}\n${section}`);
  mkdirSync(join(root, "content/notices"));
  writeFileSync(join(root, "content/notices/closed.yaml"), "text: We are closed on Friday.\nlook: loud\nuntil: 2126-01-01\n");
  writeFileSync(join(root, "content/notices/quiet.yaml"), "text: We have moved.\n");
  writeFileSync(join(root, "content/notices/past.yaml"), "text: We were closed.\nuntil: 2026-01-01\n");
}

/** Removes case studies and lead form, with all that names them, and gives the page of services another address. */
async function removeParts(root) {
  const content = join(root, "content");
  const edit = (path, change) => writeFileSync(join(content, path), change(readFileSync(join(content, path), "utf8")));
  const pages = ["case-studies", "case-study-not-found", "lead-form", "lead-thanks"].map((key) => `pages/${key}`);
  for (const path of [
    "case-studies",
    "services",
    "technologies",
    "sectors",
    "clients",
    "images/case-studies",
    "forms/lead",
    ...pages,
  ]) {
    rmSync(join(content, path), { recursive: true });
  }
  const links = (text) => text.replace(/page:lead-form(#\w+)?/g, "page:contact").replaceAll("page:case-studies", "page:services");
  for (const key of readdirSync(join(content, "pages"))) edit(`pages/${key}/en.yaml`, links);
  edit("site.yaml", (text) => links(text).replace(/^leads:.*\n(?: .*\n)*/gm, ""));
  edit("pages/home/en.yaml", (text) => text.replace(/^ {2}- kind: portfolio\n(?: {4}.*\n|\n)*/m, ""));
  edit("pages/privacy/en.yaml", (text) => text.replaceAll(/\{leads\.\w+\}/g, "365"));
  edit("pages/services/en.yaml", (text) => text.replace(/^path: .*/m, "path: /bikes-and-repairs/"));
}

/**
 * The sites: arguments of `sitegen new`, pages to visit, what is changed, and the page with the added island. `base` is
 * the path of the site, `form` the page of the lead form. Warnings are errors, but for those about texts of the
 * sample, and about the fonts of sharing cards.
 */
const SITES = [
  {
    name: "of a few pages",
    args: ["--languages", "de,ar,zh-Hans", "--name", "Ångström & Søn"],
    paths: ["/", "/kontakt/", "/blog/", "/ar/", "/ar/blog/a-first-post/", "/zh-hans/", "/no-such-page/"],
  },
  {
    name: "in English, with a section and an island of its own",
    args: ["--sample", "--name", "Ångström & Søn"],
    paths: ["/", "/contact/", "/services/", "/no-such-page/"],
    prepare: async (root) => {
      await addParts(root);
      addFrame(root, "en");
    },
    island: "/contact/",
    form: "/get-a-quote/",
  },
  {
    name: "in Spanish, English and Portuguese",
    args: ["--sample", "--languages", "es,en,pt", "--base-url", "https://acme.example"],
    paths: ["/", "/pt/", "/blog/", "/en/privacy/"],
  },
  {
    name: "in Arabic, without a blog",
    args: ["--sample", "--languages", "ar", "--no-blog"],
    paths: ["/", "/contact/", "/services/"],
    prepare: (root) => addFrame(root, "ar"),
  },
  {
    name: "below a path, without blog, case studies and lead form",
    args: ["--sample", "--no-blog", "--name", "Velo", "--base-url", "https://acme.example/velo"],
    base: "/velo",
    paths: ["/", "/bikes-and-repairs/", "/contact/", "/no-such-page/"],
    prepare: removeParts,
  },
];

for (const { name, args, paths, prepare, island, form, base = "" } of SITES) {
  describe(`a new site ${name}`, { concurrency: SIDE_BY_SIDE }, () => {
    let folder;
    let server;
    const leads = () => join(folder.path, "leads.sqlite3");
    before(async () => {
      folder = await temporaryFolder();
      const root = join(folder.path, "acme");
      assert.equal((await sitegen("new", root, ...args)).code, 0);
      symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
      await prepare?.(root);
      const { code, stderr } = await sitegen("build", "--strict", "--root", root);
      assert.equal(code, 0, stderr);
      const found = stderr.split("\n").filter((line) => line.startsWith("warning["));
      assert.deepEqual(
        found.filter((line) => !/^warning\[(sample-text|card-letters)\]/.test(line)),
        [],
      );
      process.env.LEADS_STORE = leads();
      server = await serve("--no-watch", "--leads-from-environment", "--root", root);
    });
    after(async () => {
      await server?.stop();
      await folder.remove();
    });

    for (const path of paths) {
      it(path, async () => {
        const url = server.origin + base + path;
        const plainText = await visit(browser, url, { script: false }, mainText);
        await visit(browser, url, {}, async (page, { complaints }) => {
          const expected = path.includes("no-such") ? /status of 404/ : undefined;
          assert.deepEqual(await askEverything(page, { complaints, plainText, expected }), []);
        });
      });
    }

    if (form) {
      it("takes leads from the form without JavaScript and as JSON", async () => {
        await visit(browser, server.origin + form, { script: false }, async (page) => {
          await page.locator("form[data-lead-form] [name=name]").fill("Ana");
          await page.locator("form[data-lead-form] [name=email]").fill("plain@example.com");
          await page.locator("form[data-lead-form] button[type=submit]").click();
          await page.waitForURL((url) => url.pathname !== form && !url.pathname.startsWith("/api/"));
          assert.equal(await page.locator("h1").count(), 1, "the page that says thanks");
        });
        const post = async (path, body) => {
          const headers = { "content-type": "application/json" };
          const answer = await fetch(server.origin + path, { method: "POST", headers, body: JSON.stringify(body) });
          return [answer.status, await answer.json()];
        };
        const lead = { name: "Ana", email: "json@example.com", projectType: "A website" };
        const [status, { token }] = await post("/api/captcha/token", {});
        assert.equal(status, 200);
        assert.equal((await post("/api/leads", lead))[0], 422, "a lead without a captcha");
        const [taken, answer] = await post("/api/leads", { ...lead, recaptchaToken: token });
        assert.deepEqual([taken, answer.success], [200, true], JSON.stringify(answer));
        const stored = (await storedIn(leads())).filter((lead) => !lead.form).map(({ email }) => email);
        assert.deepEqual(stored.sort(), ["json@example.com", "plain@example.com"]);
      });
    }

    if (island) {
      it("loads the frame of another site after a click, and shows a notice", async () => {
        const asked = [];
        const prepare = (page) =>
          page.route(`${MAP}/**`, (route) => {
            asked.push(route.request().url());
            return route.fulfill({ contentType: "text/html", body: "<title>Map</title><p>A map" });
          });
        const other = (route) => route.fulfill({ contentType: "text/html", body: "" });
        await visit(browser, server.origin + island, { prepare }, async (page, { complaints }) => {
          const notices = await page.getByRole("complementary", { name: "Notice" }).textContent();
          assert.match(notices, /^\s*We are closed on Friday\.\s*We have moved\.\s*$/);
          const show = page.getByRole("button", { name: "Show: Our street" });
          await show.scrollIntoViewIfNeeded();
          assert.deepEqual(asked, [], "nothing is requested before the click");
          await show.focus();
          await page.keyboard.press("Enter");
          const frame = page.locator("iframe.embed-frame__frame");
          await frame.waitFor();
          await page.frameLocator("iframe.embed-frame__frame").getByText("A map").waitFor();
          assert.deepEqual(asked, [`${MAP}/street?a=1&b=2`]);
          assert.equal(await frame.evaluate((element) => element === document.activeElement), true);
          assert.equal(await frame.getAttribute("title"), "Our street");
          assert.deepEqual(
            complaints.filter((complaint) => !complaint.startsWith(`third-party request: ${MAP}/`)),
            [],
          );
          // The policy allows this host and no other one.
          await page.route("https://other.example/**", other);
          const refused = page.waitForEvent("console", (message) => message.text().includes("frame-src"));
          await frame.evaluate((element) => {
            element.removeAttribute("sandbox");
            element.setAttribute("src", "https://other.example/");
          });
          await refused;
        });
        await visit(browser, server.origin + island, { script: false }, async (page) => {
          assert.equal(await page.locator(".embed-frame__open").isVisible(), false);
          const link = page.getByRole("link", { name: "Open map.example" });
          assert.equal(await link.getAttribute("href"), `${MAP}/street?a=1&b=2`);
        });
      });

      const answers = async () =>
        (await storedIn(leads())).filter((lead) => lead.form).map(({ form, status }) => [form.answers, status]);
      it("takes answers to its form without JavaScript and with it", async () => {
        await visit(browser, server.origin + island, { script: false }, async (page) => {
          const form = page.locator("form[data-form=visit]");
          await form.getByLabel("Your name").fill("Ana");
          await form.getByLabel("What for").selectOption("other");
          await form.getByRole("checkbox").check();
          await form.getByRole("button").click();
          await page.waitForURL((url) => url.pathname === "/api/forms/visit");
          // The page comes back at the form, with what was typed and a message for each wrong field.
          assert.equal(new URL(page.url()).hash, "#form-visit");
          assert.equal(await form.getByLabel("Your name").inputValue(), "Ana");
          assert.ok(await form.getByRole("checkbox").isChecked());
          const wrong = await form
            .locator("[aria-invalid=true]")
            .evaluateAll((fields) => fields.map((field) => field.getAttribute("name")));
          assert.deepEqual(wrong, ["email", "what"]);
          await form.getByLabel("Email").fill("ana@example.com");
          await form.getByLabel("Tell us").fill("The\nbridge");
          await form.getByRole("button").click();
          await form.getByText("See you soon.").waitFor();
          assert.ok(!(await form.getByLabel("Your name").isVisible()));
        });
        await visit(browser, server.origin + island, {}, async (page, { complaints }) => {
          const form = page.locator("form[data-form=visit]");
          // With the keyboard alone: the first field wakes the island, and Enter sends.
          await form.getByLabel("Your name").focus();
          await page.keyboard.type("Eva");
          await page.locator("sitegen-island[name=form][hydrated]").waitFor();
          await form.getByLabel("Tell us").waitFor({ state: "detached" });
          await page.keyboard.press("Enter");
          await form.getByRole("alert").filter({ hasText: "Email" }).waitFor();
          await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "email");
          const named = await form.getByLabel("Email").evaluate((field) => {
            const ids = field.getAttribute("aria-describedby")?.split(" ") ?? [];
            return ids.map((id) => document.getElementById(id)?.textContent).join(" ");
          });
          assert.notEqual(named.trim(), "", "the message is named by the field");
          await page.evaluate(AXE);
          assert.deepEqual([...(await findBarriers(page)), ...complaints], []);
          await form.getByLabel("Email").focus();
          await page.keyboard.type("eva@example.com");
          await form.getByLabel("What for").selectOption("other");
          await form.getByLabel("Tell us").fill("A ferry");
          await form.getByLabel("what you keep").focus();
          await page.keyboard.press("Space");
          await form.getByRole("button").focus();
          await page.keyboard.press("Enter");
          await form.locator(".form__error[data-error=_captcha]", { hasText: "Please solve the captcha." }).waitFor();
          await solveCaptcha(page);
          await openForLong(page);
          await form.getByRole("button").click();
          await form.getByText("See you soon.").waitFor();
          await page.waitForFunction(() => document.activeElement?.textContent === "See you soon.");
        });
        assert.deepEqual(await answers(), [
          [{ name: "Eva", email: "eva@example.com", reason: "other", what: "A ferry" }, "verified"],
          [{ name: "Ana", email: "ana@example.com", reason: "other", what: "The\nbridge" }, "quarantined"],
        ]);
      });

      it("has an island that works", () =>
        visit(browser, server.origin + island, {}, async (page) => {
          const seats = page.locator("sitegen-island[name=seats]");
          await seats.scrollIntoViewIfNeeded();
          await page.waitForFunction((element) => element.hasAttribute("hydrated"), await seats.elementHandle());
          await seats.locator("input").fill("3");
          assert.equal(await seats.locator("output").textContent(), "$ 36");
        }));
    }
  });
}
