// The banner that asks for consent, and the service that counts visits: a stand-in for the service counts the requests that
// reach it, before and after each choice, in a language from left to right and in one from right to left.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { openBrowser, ROOT, sitegen, TIMEOUT, temporaryFolder, visit } from "./site.mjs";

const TYPES = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".html": "text/html",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A preset of the site itself. What its script was told is in `window.told`. */
const PRESET = (consent) => `
title: Standin
fields: {host: {type: host, example: "https://stats.example.com"}, id: {type: id, example: a1}}
script: "{host}/count.js"
attributes: {data-id: "{id}"}
hosts: {connect: ["{host}"]}
consent: ${consent}
purposes: [statistics, advertising]
consent_mode: [analytics_storage]
cookies: [_standin*]
start: [{push: _standin, with: [[begin, "{id}"]]}]
lead: {call: standin.track, with: [Lead, {form: "{form}"}]}
search: {call: standin.track, with: [Nothing, {query: "{query}"}]}
`;

const SCRIPT = `window.told = []; window.standin = { track: (...values) => window.told.push(values) };
document.cookie = "_standin_id=1; path=/"; fetch(new URL("/hit", document.querySelector("script[data-id]").src));`;

const servers = [];
/** Starts a server on a free port. */
async function listen(answer) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { server, origin: `http://127.0.0.1:${port}` };
}

const folder = await temporaryFolder();
const browser = await openBrowser();
/** Requests to the service: the path of each. */
let requests = [];
const arrivals = new EventEmitter();
/** Signals of the answers that were sent to the form. */
let signals = [];
let isBlocked = false;
let service;
/** Sites with consent and without. */
const sites = {};

/** Serves the files of a built site, and takes the answers to its form. */
async function publish(name, consent) {
  const root = join(folder.path, name);
  const site = await listen((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    if (request.method === "POST") {
      signals.push(new URLSearchParams(String(request.headers["x-form-signals"])));
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end('{"success":true}');
      return;
    }
    try {
      const file = path.endsWith("/") ? `${path}index.html` : path;
      const bytes = readFileSync(join(root, "dist", file));
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  const created = await sitegen("new", root, "--sample", "--languages", "en,ar", "--no-blog", "--name", "Horizon");
  assert.equal(created.code, 0, created.stderr);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const write = (path, text) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("templates/visits/standin.yaml", PRESET(consent));
  write("content/forms/call/form.yaml", "fields: {name: {type: text, required: true}}\ncaptcha: false\n");
  write(
    "content/forms/call/en.yaml",
    "title: Call\nfields: {name: {label: Your name}}\nsuccess: {title: Done., text: Thanks.}\n",
  );
  const page =
    "path: /call/\ntitle: Call us\ndescription: We call back.\nsections:\n  - {kind: hero, title: Call us}\n  - {kind: form, form: call}\n";
  write("content/pages/call/en.yaml", page);
  const settings = readFileSync(join(root, "content/site.yaml"), "utf8");
  const visits = { preset: "standin", host: service.origin, id: "a1", privacy: "page:privacy" };
  write("content/site.yaml", `visits: ${JSON.stringify(visits)}\n${settings}`);
  const built = await sitegen("build", "--root", root, "--base-url", site.origin);
  assert.equal(built.code, 0, built.stderr);
  sites[name] = { ...site, root };
}

before(async () => {
  service = await listen((request, response) => {
    requests.push(String(request.url));
    arrivals.emit(String(request.url));
    if (isBlocked) request.socket.destroy();
    else response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" }).end(SCRIPT);
  });
  await Promise.all([publish("asks", "always"), publish("counts", "never")]);
});
after(async () => {
  await browser.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await folder.remove();
});
beforeEach(() => {
  [requests, signals, isBlocked] = [[], [], false];
});

const banner = "[data-consent-banner]";
/** Waits until the service was asked for a path. */
const reached = async (path) => {
  if (!requests.includes(path)) await once(arrivals, path, { signal: AbortSignal.timeout(TIMEOUT) });
};
const look = (path, act, options = {}) =>
  visit(browser, sites.asks.origin + path, { hosts: [service.origin], prepare: async () => undefined, ...options }, act);
const stored = (page) => page.evaluate(() => ({ ...localStorage, cookies: document.cookie }));
const focused = (page, selector) => page.evaluate((at) => document.activeElement?.matches(at) ?? false, selector);

describe("a site whose service needs consent", () => {
  for (const path of ["/", "/ar/"]) {
    it(`asks at ${path}, with the keyboard alone, and loads nothing before a yes`, async () => {
      await look(path, async (page, { complaints }) => {
        await page.locator(banner).waitFor();
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
        assert.deepEqual(await stored(page), { cookies: "" });
        // The banner takes no focus, follows the link to the content, and lets the visitor go on.
        assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
        await page.keyboard.press("Tab");
        assert.ok(await focused(page, ".skip-link"));
        await page.keyboard.press("Tab");
        assert.ok(await focused(page, `${banner} a`));
        await page.keyboard.press("Tab");
        assert.ok(await focused(page, "[data-consent-no]"));
        await page.keyboard.press("Tab");
        assert.ok(await focused(page, "[data-consent-yes]"));
        const looks = await page.locator(`${banner} button`).evaluateAll((buttons) =>
          buttons.map((button) => {
            const { color, backgroundColor, fontSize, fontWeight, borderColor } = getComputedStyle(button);
            const { width, height } = button.getBoundingClientRect();
            return { color, backgroundColor, fontSize, fontWeight, borderColor, width, height, name: button.className };
          }),
        );
        assert.equal(looks.length, 2);
        // The focus is on one of them.
        assert.deepEqual({ ...looks[0], borderColor: "" }, { ...looks[1], borderColor: "" });
        assert.deepEqual(requests, []);
        await page.keyboard.press("Enter");
        await reached("/hit");
        assert.equal(await page.locator(banner).isVisible(), false);
        const choice = JSON.parse((await stored(page))["sitegen.consent"]);
        assert.equal(choice.choice, "granted");
        assert.match(choice.version, /^[0-9a-f]{8}$/);
        const layer = await page.evaluate(() => /** @type {any} */ (globalThis).dataLayer.map((entry) => [...entry]));
        assert.deepEqual(
          layer.map(([command, what]) => `${command} ${what}`),
          ["consent default", "consent update"],
        );
        assert.equal(layer[0][2].ad_storage, "denied");
        assert.deepEqual(layer[1][2], { analytics_storage: "granted" });
        assert.deepEqual(complaints, []);
      });
    });
  }

  it("remembers a no, and asks nothing again", async () => {
    await look("/", async (page, { complaints }) => {
      await page.locator("[data-consent-no]").click();
      await page.reload();
      await page.locator("[data-consent-change]").waitFor();
      assert.equal(await page.locator(banner).isVisible(), false);
      assert.deepEqual(requests, []);
      assert.equal((await stored(page)).cookies, "");
      assert.deepEqual(complaints, []);
    });
  });

  it("lets visitors change their mind at the end of the page, and removes what the service stored", async () => {
    await look("/", async (page) => {
      await page.locator("[data-consent-yes]").click();
      await reached("/hit");
      assert.match((await stored(page)).cookies, /_standin_id/);
      await page.locator("[data-consent-change]").focus();
      await page.keyboard.press("Enter");
      assert.ok(await focused(page, banner), "the banner has the focus");
      await page.keyboard.press("Escape");
      assert.ok(await focused(page, "[data-consent-change]"), "the focus is back");
      await page.keyboard.press("Enter");
      requests = [];
      await Promise.all([page.waitForEvent("load"), page.locator("[data-consent-no]").click()]);
      await page.locator("[data-consent-change]").waitFor();
      assert.equal((await stored(page)).cookies, "");
      assert.equal(await page.evaluate(() => typeof (/** @type {any} */ (globalThis).standin)), "undefined");
      assert.deepEqual(requests, []);
    });
  });

  it("asks again when the choice is old or about something else", async () => {
    for (const change of [{ date: "2020-01-01T00:00:00.000Z" }, { version: "00000000" }, { date: "soon" }]) {
      await look("/", async (page) => {
        await page.locator("[data-consent-yes]").click();
        await reached("/hit");
        await page.evaluate((change) => {
          const choice = JSON.parse(localStorage["sitegen.consent"]);
          localStorage["sitegen.consent"] = JSON.stringify({ ...choice, ...change });
        }, change);
        requests = [];
        await page.reload();
        await page.locator(banner).waitFor();
        assert.deepEqual(requests, []);
      });
    }
  });

  it("sends the proof of the choice with a form, and tells the service of the lead", async () => {
    await look("/call/", async (page) => {
      await page.locator("[data-consent-yes]").click();
      await reached("/hit");
      const name = page.getByLabel("Your name");
      await name.fill("Ana");
      await page.locator("form.form button[type=submit]").click();
      await page.getByText("Done.").waitFor();
      assert.match(String(signals[0]?.get("consent")), /^[0-9a-f]{8}\.granted\.20\d\d-/);
      await page.waitForFunction(() => /** @type {any} */ (globalThis).told.length === 1);
      assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).told), [["Lead", { form: "call" }]]);
    });
  });

  it("has no banner and loads nothing without script", async () => {
    await look(
      "/",
      async (page) => {
        assert.equal(await page.locator(banner).isVisible(), false);
        assert.equal(await page.locator("[data-consent-change]").isVisible(), false);
        assert.deepEqual(requests, []);
      },
      { script: false, prepare: undefined },
    );
  });
});

describe("a site whose service needs no consent", () => {
  const open = (act) => {
    const options = { hosts: [service.origin], prepare: async () => undefined };
    return visit(browser, `${sites.counts.origin}/call/`, options, act);
  };

  it("counts at once, and carries no banner", async () => {
    await open(async (page, { complaints }) => {
      await reached("/hit");
      assert.equal(await page.locator(`${banner}, [data-consent-change]`).count(), 0);
      assert.equal(await page.evaluate(() => document.querySelector("script[data-id]")?.getAttribute("data-id")), "a1");
      assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis)._standin), [["begin", "a1"]]);
      assert.deepEqual(complaints, []);
    });
  });

  it("tells the service of a search without results, once, and not of who typed it", async () => {
    await open(async (page) => {
      await reached("/hit");
      await page.clock.install();
      const search = (query, count) =>
        page.evaluate((detail) => void document.dispatchEvent(new CustomEvent("sitegen:search", { detail })), { query, count });
      await search("r", 0);
      await search("root canal", 0);
      await page.clock.runFor(3000);
      await search("ana@example.com", 0);
      await page.clock.runFor(3000);
      await search("implants", 4);
      await page.clock.runFor(3000);
      assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).told), [["Nothing", { query: "root canal" }]]);
    });
  });

  it("works as before if the script of the service is blocked", async () => {
    isBlocked = true;
    await open(async (page, { complaints }) => {
      await reached("/count.js");
      await page.getByLabel("Your name").fill("Ana");
      await page.locator("form.form button[type=submit]").click();
      await page.getByText("Done.").waitFor();
      assert.equal(signals[0]?.has("consent"), false);
      // The browser's line about the network is all there is.
      assert.deepEqual(
        complaints.filter((line) => !/ERR_|net::|failed/i.test(line)),
        [],
      );
    });
  });
});
