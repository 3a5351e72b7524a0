// Browser tests of the search and the lead form with the API as a separate program on another origin: the built URL of
// the API, the Content Security Policy, CORS, and verification of captchas by a mock provider.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import { all, button, choose, contact, FORMS, hydrated, storedIn, words } from "./lead-form.mjs";
import { openBrowser, ROOT, serve, serveApi, sitegen, temporaryFolder, visit } from "./site.mjs";

const WIDGET = "https://www.google.com";
const folder = await temporaryFolder();
const out = `${folder.path}/dist`;
const leads = `${folder.path}/leads.sqlite3`;
// If a secret is set, the preview does not use its mock captcha, and pages load the provider's script.
Object.assign(process.env, { CAPTCHA_SECRET: "s3cret", LEADS_STORE: "off" });

/** Requests to the provider: the secret and the token, URL-encoded. */
const asked = [];
const provider = createServer((request, response) => {
  let body = "";
  request
    .on("data", (part) => (body += part))
    .on("end", () => {
      const isFirst = !asked.includes(body);
      asked.push(body);
      response.end(
        JSON.stringify({ success: isFirst && body.startsWith("secret=s3cret&response=solved"), hostname: "127.0.0.1" }),
      );
    });
});
/** A mock of the provider's script, with the functions that the form uses. */
const SCRIPT = `window.grecaptcha = {
  render: (place, { callback }) => {
    const box = place.appendChild(document.createElement("input"));
    box.type = "checkbox";
    box.ariaLabel = "captcha";
    box.onchange = () => callback("solved" + crypto.getRandomValues(new Uint32Array(4)).join(""));
    return 0;
  },
  reset: () => {},
};
window[new URL(document.currentScript.src).searchParams.get("onload")]();`;

let site;
let api;
const browser = await openBrowser();
before(async () => {
  await new Promise((done) => provider.listen(0, "127.0.0.1", () => done(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (provider.address());
  api = await serveApi({
    SITE_ARTIFACT: `${folder.path}/search`,
    SITE_LOOK_EVERY: "0",
    LEADS_SITE: `${folder.path}/leads.json`,
    LEADS_STORE: leads,
    LEADS_PER_MINUTE: "0",
    LEADS_PER_MINUTE_TOTAL: "0",
    CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/siteverify`,
  });
  const build = ["--root", ROOT, "--out", out, "--set", `api_url=${api.origin}`];
  site = await serve("--no-watch", "--leads-from-environment", ...build);
  // The origin of the pages is known only after the server has started.
  const built = await sitegen("build", ...build, "--base-url", site.origin);
  assert.equal(built.code, 0, built.stderr);
});
after(async () => {
  await Promise.all([browser.close(), site?.stop(), api?.stop()]);
  provider.close();
  await folder.remove();
});

/** Mocks the captcha's provider. All other requests go to their hosts. */
const provide = async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Fetch.enable", { patterns: [{ urlPattern: `${WIDGET}/*` }] });
  session.on("Fetch.requestPaused", ({ requestId }) =>
    session.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: "content-type", value: "text/javascript" }],
      body: Buffer.from(SCRIPT).toString("base64"),
    }),
  );
};

/** @param {string} path @param {(page: any, seen: any) => Promise<any>} look @param {object} [options] */
const open = (path, look, options = {}) => visit(browser, site.origin + path, { hosts: [api.origin, WIDGET], ...options }, look);

const LISTS = {
  en: { path: "/blog/", plain: "slow", accented: "SLÓW" },
  es: { path: "/es/blog/", plain: "migracion", accented: "migración" },
};
const titles = (page) => page.locator(".post-card__title").allTextContents();
const settled = (page) => page.locator(".blog-explorer__posts[aria-busy=false]").waitFor();

for (const [code, { path, plain, accented }] of Object.entries(LISTS)) {
  const own = words[code];

  describe(`an API on another origin, ${code}`, () => {
    it("searches while typing, shows all posts after the search is cleared, and loads the next page", () =>
      open(path, async (page, { complaints }) => {
        await page.locator("sitegen-island[name=blog-explorer][hydrated]").waitFor({ state: "attached" });
        const before = await titles(page);
        const field = page.getByRole("textbox", { name: own.search_articles_label });
        const answers = [];
        page.on("response", (response) => response.url().includes("/api/") && answers.push(response));
        const search = async (text) => {
          const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get("search") === text);
          await field.fill(text);
          assert.equal((await answered).status(), 200);
          await page.getByRole("heading", { level: 1, name: own.search_results }).waitFor();
          await settled(page);
          return titles(page);
        };
        const found = await search(plain);
        assert.ok(found.length > 0, "something is found");
        assert.deepEqual((await search(accented)).sort(), found.sort());
        await button(page, own.clear).click();
        await page.waitForFunction((title) => document.querySelector(".post-card__title")?.textContent === title, before[0]);
        await settled(page);
        await button(page, own.load_more_articles).scrollIntoViewIfNeeded();
        await page.waitForFunction((count) => document.querySelectorAll(".post-card").length > count, before.length);
        const more = await titles(page);
        assert.deepEqual(more.slice(0, before.length), before);
        assert.equal(new Set(more).size, more.length, "no post stands there twice");
        for (const answer of answers) assert.equal(new URL(answer.url()).origin, api.origin);
        assert.equal(await answers[0].headerValue("access-control-allow-origin"), site.origin);
        assert.deepEqual(complaints, []);
      }));

    it("accepts and stores a lead", () =>
      open(
        FORMS[code],
        async (page, { complaints }) => {
          await hydrated(page);
          await choose(page, own, all[0]);
          await contact(page, own, { email: `ana.${code}@example.com` });
          await page.getByRole("checkbox", { name: "captcha" }).check();
          // A form that is completed this quickly would count as spam.
          await page.clock.fastForward(60_000);
          const sent = page.waitForRequest(`${api.origin}/api/leads`);
          await button(page, own.submit).click();
          assert.equal((await sent).headers()["content-type"], "application/json");
          await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
          assert.deepEqual(complaints, []);
          const [lead] = (await storedIn(leads)).filter(({ email }) => email === `ana.${code}@example.com`);
          assert.deepEqual(
            [lead.name, lead.status, lead.locale, lead.projectType],
            ["Ana Pérez", "verified", code, own.form.services[all[0].id].title],
          );
          assert.ok(lead.message.includes(lead.projectType));
        },
        { prepare: (page) => page.clock.install().then(() => provide(page)) },
      ));

    it("accepts a lead without JavaScript, and shows errors in the design of the site", () =>
      // The console is not checked, because browsers report fonts from another origin without CORS headers.
      open(
        FORMS[code],
        async (page) => {
          const plainForm = page.locator("form[data-lead-form]");
          const look = () =>
            plainForm.locator("button[type=submit]").evaluate((element) => getComputedStyle(element).backgroundColor);
          const before = await look();
          await plainForm.locator("[name=name]").fill("Ana");
          await plainForm.locator("button[type=submit]").click();
          await page.locator("form[data-lead-form] [data-error]:visible").first().waitFor();
          assert.equal(new URL(page.url()).origin, api.origin, "the API answers with the form");
          assert.equal(await plainForm.locator("[name=name]").inputValue(), "Ana");
          assert.equal(await look(), before, "it has the styles of the site");
          const summary = plainForm.locator("[data-error='']");
          assert.ok((await page.title()).startsWith(`${await summary.innerText()} – `), await page.title());
          await summary.getByRole("link").click();
          assert.equal(await page.locator("[aria-invalid=true]:target").count(), 1, "the error leads to its field");
          const links = await page
            .locator("header a")
            .evaluateAll((all) => all.map((a) => new URL(/** @type {HTMLAnchorElement} */ (a).href).origin));
          assert.ok(links.includes(site.origin) && !links.includes(api.origin), "its links lead to the site");
          await plainForm.locator("[name=phone]").fill(`602 555 01${code === "es" ? 11 : 10}`);
          await plainForm.locator("button[type=submit]").click();
          await page
            .getByRole("heading", {
              level: 1,
              name: code === "es" ? "Gracias. Recibimos tu solicitud." : "Thank you. We’ve received your request.",
            })
            .waitFor();
          assert.equal(new URL(page.url()).origin, site.origin);
          assert.equal(
            (await storedIn(leads)).filter(({ status, locale }) => status === "quarantined" && locale === code).length,
            1,
          );
        },
        { script: false },
      ));
  });
}

it("the API verifies each captcha once, and logs no contents of leads", () => {
  assert.equal(asked.length, Object.keys(FORMS).length);
  const said = api.said();
  for (const word of ["Ana", "ana.", "602 555", "602%20555", "solved", LISTS.es.plain]) assert.ok(!said.includes(word), word);
  const requests = said
    .split("\n")
    .filter((line) => line.includes('"request"'))
    .map((line) => JSON.parse(line));
  assert.ok(
    requests.some(({ method, path }) => method === "OPTIONS" && path === "/api/leads"),
    "the browser asked whether it may",
  );
  assert.deepEqual(
    requests.filter(({ status }) => status >= 500),
    [],
  );
});
