// The search of the whole site: the collections of examples/dental-clinics in the theme, in five languages, searched in Chromium
// and in Firefox, from the dialog of the header and on the page of the search.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { AXE, askEverything, findBarriers, mainText } from "./checks.mjs";
import { CLINIC, HOSTS, LANGUAGES, PEOPLE, prepare, WAY } from "./horizon.mjs";
import { openBrowser, openFirefox, ready, serve, sitegen, TIMEOUT, temporaryFolder, visit } from "./site.mjs";

const folder = await temporaryFolder();
const root = join(folder.path, "site");
const browser = await openBrowser();
let server;
before(async () => {
  await prepare(root);
  const { code, stderr } = await sitegen("build", "--root", root);
  assert.equal(code, 0, stderr);
  server = await serve("--no-watch", "--root", root);
});
after(async () => {
  await server?.stop();
  await browser.close();
  await folder.remove();
});

const results = "[data-search-results] .site-search__title a";
/** Waits until so many results are shown. */
const shows = (page, count) =>
  page.waitForFunction(({ at, all }) => document.querySelectorAll(at).length === all, { at: results, all: count });
const home = (code) => (code === "en" ? "/" : `/${code}/`);
const hrefs = (page) => page.locator(results).evaluateAll((links) => links.map((link) => link.pathname));

describe("the search of a site in Chromium", () => {
  for (const [code, { path, label, letter, query, found }] of Object.entries(LANGUAGES)) {
    it(`finds a page in ${code} from the header, with the keyboard alone`, async () => {
      await visit(browser, server.origin + home(code), {}, async (page, { complaints }) => {
        await page.keyboard.press("/");
        const field = page.getByRole("textbox", { name: label });
        await field.waitFor();
        assert.equal(await field.evaluate((element) => element === document.activeElement), true);
        await page.keyboard.type(letter);
        await page.locator(results).first().waitFor();
        await field.fill(query);
        await page.locator(`li:first-child > .site-search__title a[href="${found}"]`).waitFor();
        assert.match(await page.locator("dialog [data-search-status]").textContent(), /\d|نتيج/);
        assert.ok((await page.locator("dialog mark").count()) > 0, "the words are marked");
        // Every letter of the query is in one script, so nothing of another language is found.
        assert.ok(
          (await hrefs(page)).every((href) =>
            code === "en" ? !/^\/(es|de|ar|zh-hans)\//.test(href) : href.startsWith(`/${code}/`),
          ),
        );
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
        await page.keyboard.press("ArrowDown");
        assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).pathname), found);
        await page.keyboard.press("ArrowUp");
        assert.equal(await field.evaluate((element) => element === document.activeElement), true);
        await page.keyboard.press("Escape");
        assert.equal(await page.locator("dialog[open]").count(), 0);
        await page.keyboard.press("Control+k");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await page.waitForURL(server.origin + found);
        assert.deepEqual(complaints, []);
      });
    });

    it(`has a page in ${code} without barriers`, async () => {
      const url = server.origin + path;
      const plainText = await visit(browser, url, { script: false }, mainText);
      await visit(browser, url, {}, async (page, { complaints }) => {
        assert.deepEqual(await askEverything(page, { complaints, plainText }), []);
      });
      await visit(browser, `${url}?q=${encodeURIComponent(query)}`, {}, async (page) => {
        await page.locator(`${results}[href="${found}"]`).waitFor();
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
      });
    });
  }

  it("keeps the query in the address, narrows it by kind, and comes back to it", async () => {
    const { path, label } = LANGUAGES.en;
    await visit(browser, server.origin + path, {}, async (page) => {
      await page.getByRole("textbox", { name: label }).fill("madrid");
      await page.locator(`${results}[href^="/team/"]`).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/find/?q=madrid");
      await page.getByRole("radio", { name: "Clinics" }).check();
      await page.waitForURL("**/find/?q=madrid&kind=clinics");
      await page.waitForFunction((selector) => {
        const links = [...document.querySelectorAll(selector)];
        return links.length > 0 && links.every((link) => /** @type {any} */ (link).pathname.startsWith("/clinics/"));
      }, results);
      const [first] = await hrefs(page);
      await page.locator(results).first().click();
      await page.waitForURL(server.origin + first);
      await page.goBack();
      await page.locator(`${results}[href="${first}"]`).waitFor();
      assert.equal(new URL(page.url()).search, "?q=madrid&kind=clinics");
    });
  });

  for (const [code, { path }] of Object.entries(LANGUAGES)) {
    it(`narrows a search by clinic in ${code}, and counts what is left`, async () => {
      const [label, clinic, role] = CLINIC[code];
      // Arabic has words for one result and for two.
      const found = async (page) => Number(/\d+/.exec(await page.locator("[data-search-status]").textContent())?.[0]);
      await visit(browser, `${server.origin}${path}?q=${encodeURIComponent(role)}`, {}, async (page, { complaints }) => {
        const select = page.getByRole("combobox", { name: label });
        const option = select.locator(`option[value="${clinic}"]`);
        await option.waitFor({ state: "attached" });
        const count = Number(/\((\d+)\)$/.exec(await option.textContent())[1]);
        // The number comes with the results, and filters may be there before them.
        await page.locator("[data-search-status]").filter({ hasText: /\d/ }).waitFor({ state: "attached" });
        const before = await found(page);
        assert.ok(count > 0 && count <= 6 && count < before, `${count} of ${before}`);
        // With the keyboard alone.
        await select.focus();
        const steps = await option.evaluate((element) => /** @type {HTMLOptionElement} */ (element).index);
        for (let step = 0; step < steps; step += 1) await page.keyboard.press("ArrowDown");
        await page.waitForURL((url) => url.searchParams.get("clinic") === clinic);
        await shows(page, count);
        // The number comes after the results.
        await page.waitForFunction((wanted) => {
          const said = /\d+/.exec(document.querySelector("[data-search-status]").textContent);
          return said === null || Number(said[0]) === wanted;
        }, count);
        // The others can still be chosen, with the number of results that they would have.
        await select.locator("option").nth(2).waitFor({ state: "attached" });
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
        const chosen = await hrefs(page);
        await page.reload();
        await shows(page, count);
        assert.deepEqual(await hrefs(page), chosen);
        assert.equal(await select.inputValue(), clinic);
        await select.selectOption("");
        await shows(page, Math.min(before, 6));
        assert.equal(await found(page), before);
        assert.equal(new URL(page.url()).searchParams.has("clinic"), false);
        assert.deepEqual(complaints, []);
      });
    });
  }

  it("takes a value that no page has, or markup, as no result", async () => {
    for (const clinic of ["Atlantis", '"><img src=x onerror=alert(1)>']) {
      const url = `${server.origin}${LANGUAGES.en.path}?q=implants&clinic=${encodeURIComponent(clinic)}`;
      await visit(browser, url, {}, async (page, { complaints }) => {
        await page.waitForFunction((at) => document.querySelector(at).textContent !== "", "[data-search-status]");
        assert.deepEqual(await hrefs(page), []);
        assert.ok(await page.locator(".art-missing:not(.art-missing--loose)").isVisible());
        await page.getByRole("textbox", { name: LANGUAGES.en.label }).fill("");
        await page.waitForFunction(() => document.querySelector(".art-missing") === null);
        await page.getByRole("textbox", { name: LANGUAGES.en.label }).fill("implants");
        const select = page.getByRole("combobox", { name: "Clinic" });
        await select.locator("option").nth(2).waitFor({ state: "attached" });
        assert.equal(await select.inputValue(), clinic);
        assert.equal(await page.locator("[data-search-form] img").count(), 0);
        assert.deepEqual(complaints, []);
      });
    }
  });

  it("loads no more than 100 kB for a first result, and nothing before a visitor reaches for it", async () => {
    await visit(browser, server.origin, {}, async (page) => {
      const asked = new Set();
      page.context().on("request", (request) => asked.add(new URL(request.url()).pathname));
      await page.locator("[data-search]").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: LANGUAGES.en.label }).fill(LANGUAGES.en.letter);
      await page.locator(results).first().waitFor();
      assert.ok(asked.has("/pagefind/pagefind-worker.js") && asked.size > 8, [...asked].join(" "));
      // As hosts send them: the files of Pagefind's index are compressed already.
      const sizes = [...asked].map((path) => {
        const bytes = readFileSync(join(root, "dist", path.endsWith("/") ? `${path}index.html` : path));
        return { path, size: Math.min(bytes.length, brotliCompressSync(bytes).length) };
      });
      const total = sizes.reduce((sum, { size }) => sum + size, 0);
      assert.ok(total <= 100_000, `${total} bytes: ${JSON.stringify(sizes)}`);
    });
    await visit(browser, server.origin, {}, async (page) => {
      await ready(page);
      const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.deepEqual(
        loaded.filter((name) => name.includes("/pagefind/") || name.includes("dialog")),
        [],
      );
    });
  });

  it("takes a slash as a letter in a field", async () => {
    await visit(browser, server.origin + LANGUAGES.en.path, {}, async (page) => {
      const field = page.getByRole("textbox", { name: LANGUAGES.en.label });
      await field.focus();
      await page.keyboard.type("a/b");
      assert.equal(await field.inputValue(), "a/b");
    });
  });

  it("answers queries of 10,000 letters, in two scripts, and of markup", async () => {
    const { path } = LANGUAGES.en;
    for (const query of ["implants ".repeat(1200), "implants 种植牙 زراعة", "<img src=x onerror=alert(1)><b>implants"]) {
      await visit(browser, `${server.origin}${path}?q=${encodeURIComponent(query)}`, {}, async (page, { complaints }) => {
        await page.waitForFunction(() => document.querySelector("[data-search-status]").textContent !== "");
        assert.equal(await page.locator("[data-search-form] img, [data-search-form] b").count(), 0);
        assert.deepEqual(complaints, []);
      });
    }
  });

  it("leads to another search, or to the pages, without JavaScript", async () => {
    await visit(browser, server.origin + LANGUAGES.en.path, { script: false }, async (page) => {
      const form = page.locator("[data-search-form] form");
      assert.equal(await form.getAttribute("action"), "https://find.example/");
      assert.equal(await form.locator("[name=sites]").getAttribute("value"), "horizon.example");
      assert.equal(await page.locator(".site-search__kinds").isVisible(), false);
      await page.locator("[data-search-pages]").getByRole("link", { name: "Services" }).waitFor();
    });
    await visit(browser, server.origin + home("en"), { script: false }, async (page) => {
      await page.getByRole("link", { name: "Search", exact: true }).click();
      await page.waitForURL(`**${LANGUAGES.en.path}`);
    });
  });

  it("says so if the index is damaged or missing", async () => {
    const { path, label } = LANGUAGES.en;
    for (const damage of [(route) => route.abort(), (route) => route.fulfill({ status: 404, body: "" })]) {
      for (const part of [
        "**/pagefind/index/*",
        "**/pagefind/*.pf_meta",
        "**/pagefind/wasm.*",
        "**/pagefind/pagefind-worker.js",
      ]) {
        const prepare = (page) => page.context().route(part, damage);
        await visit(browser, server.origin + path, { prepare }, async (page) => {
          await page.getByRole("textbox", { name: label }).fill("implants");
          await page.locator("[data-search-status]").getByRole("link", { name: "All pages" }).waitFor();
          assert.ok(await page.locator(".art-missing--loose").isVisible());
        });
      }
    }
  });
});

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };

/** Serves a folder with these headers on a free port. */
async function serveFolder(out, headers = {}) {
  const host = createServer((request, response) => {
    const path = new URL(request.url, "http://a").pathname;
    const file = join(out, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { ...headers, "content-type": type }).end(readFileSync(file));
  });
  await once(host.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${/** @type {any} */ (host.address()).port}`,
    stop: () => {
      host.closeAllConnections();
      host.close();
    },
  };
}

describe("the search within a list", () => {
  const items = "main .entries__item:not([hidden])";
  const query = "MARTA";
  for (const [code, [at, label]] of Object.entries(PEOPLE)) {
    it(`narrows the list in ${code}, and keeps the query in the address`, async () => {
      const url = server.origin + at;
      const all = await visit(browser, url, { script: false }, async (page) => {
        assert.equal(await page.getByRole("textbox", { name: label }).isVisible(), false);
        return page.locator(items).count();
      });
      await visit(browser, url, {}, async (page, { complaints }) => {
        await page.getByRole("textbox", { name: label }).fill(query);
        await page.waitForFunction(
          ({ selector, count }) => {
            const shown = document.querySelectorAll(selector).length;
            return shown > 0 && shown < count;
          },
          { selector: items, count: all },
        );
        const found = await page.locator(items).allTextContents();
        assert.ok(found.every((text) => text.toLowerCase().includes(query.toLowerCase())));
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
        await page.reload();
        await page.waitForFunction(({ selector, count }) => document.querySelectorAll(selector).length === count, {
          selector: items,
          count: found.length,
        });
        await page.getByRole("textbox", { name: label }).fill("zzz");
        await page.locator(".entries__search").getByText("zzz").first().waitFor();
        assert.equal(await page.locator(items).count(), 0);
        await page.keyboard.press("Escape");
        await page.waitForFunction(({ selector, count }) => document.querySelectorAll(selector).length === count, {
          selector: items,
          count: all,
        });
        assert.deepEqual(complaints, []);
      });
    });
  }
});

describe("the search of a site on a host without headers", () => {
  it("works, and no page can compile WebAssembly", async () => {
    const plain = await serveFolder(join(root, "dist"));
    try {
      const { path, query, found } = LANGUAGES.en;
      await visit(browser, `${plain.origin}${path}?q=${query}`, {}, async (page) => {
        await page.locator(`${results}[href="${found}"]`).waitFor();
        const compile = () => {
          try {
            return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) && "allowed";
          } catch {
            return "refused";
          }
        };
        assert.equal(await page.evaluate(compile), "refused");
      });
      await visit(browser, server.origin + path, {}, async (page) => {
        const refused = () =>
          WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
            () => false,
            () => true,
          );
        assert.equal(await page.evaluate(refused), true);
      });
    } finally {
      plain.stop();
    }
  });
});

/** What another host answers: the script of the service, which sends a visit, or a page for a frame. */
const answer = (url) => {
  const script = `window.plausible = () => {}; fetch("${HOSTS.plausible}/api/event", { method: "POST", body: "{}" });`;
  const isScript = url.endsWith(".js");
  return {
    status: 200,
    headers: { "access-control-allow-origin": "*" },
    contentType: isScript ? "text/javascript" : "text/html",
    body: isScript ? script : "<!doctype html><title>A frame</title>",
  };
};

/** Collects what the policy of a page blocks. */
const watchPolicy = () => {
  const seen = /** @type {any} */ (globalThis);
  seen.blocked = [];
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => seen.blocked.push(effectiveDirective));
};

/**
 * Opens a tab whose requests to other hosts are answered here: their addresses are in `asked`. The two libraries have the
 * same names for what the test does with a page.
 * @type {Record<string, () => Promise<{ page: any, asked: string[], close: () => Promise<void> }>>}
 */
const TABS = {
  Chromium: async () => {
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const asked = [];
    await context.route(/^(?:https|wss?):/, (route) => {
      asked.push(route.request().url());
      return route.fulfill(answer(route.request().url()));
    });
    const page = await context.newPage();
    await page.addInitScript(watchPolicy);
    return { page, asked, close: () => context.close() };
  },
  Firefox: async () => {
    const firefox = await openFirefox();
    const asked = [];
    const page = await firefox.newPage();
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const isForeign = /^(?:https|wss?):/.test(request.url());
      if (isForeign) asked.push(request.url());
      const answered = isForeign ? request.respond(answer(request.url())) : request.continue();
      // A request of a page that was left is answered by nobody.
      return answered.catch(() => undefined);
    });
    await page.evaluateOnNewDocument(watchPolicy);
    return { page, asked, close: () => firefox.close() };
  },
};

/** Tries to load each kind of thing from another host, and to run what is in the page. */
const tryEverything = async (other) => {
  const add = (name, values) => document.body.append(Object.assign(document.createElement(name), values));
  const ends = (attempt) =>
    Promise.resolve()
      .then(attempt)
      .catch(() => undefined);
  add("img", { src: `${other}/a.png` });
  add("script", { src: `${other}/a.js` });
  add("script", { textContent: "globalThis.ran = true" });
  add("link", { rel: "stylesheet", href: `${other}/a.css` });
  add("video", { src: `${other}/a.mp4` });
  add("iframe", { src: `${other}/` });
  add("object", { data: `${other}/a.swf` });
  add("style", { textContent: "body { color: red }" });
  await ends(() => fetch(`${other}/a`));
  await ends(() => new FontFace("a", `url(${other}/a.woff2)`).load());
  await ends(() => new WebSocket(other.replace("http", "ws")));
  await ends(() => new Worker(URL.createObjectURL(new Blob(["1"]))));
  await ends(() => navigator.sendBeacon(`${other}/b`));
  const form = Object.assign(document.createElement("form"), { action: `${other}/c`, method: "post" });
  document.body.append(form);
  await ends(() => form.submit());
};

/** The directives that refuse it. Firefox names those for elements by their element, too. */
const REFUSED = ["connect-src", "font-src", "form-action", "frame-src", "img-src", "media-src", "script-src", "style-src"];

/** Starts a host that no page names. It collects what it is asked for. */
async function startOther() {
  const asked = [];
  const other = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end();
  });
  other.on("upgrade", (request, socket) => {
    asked.push(request.url);
    socket.destroy();
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  return { asked, other, origin: `http://127.0.0.1:${/** @type {any} */ (other.address()).port}` };
}

describe("the policy of a site with a search, a map, a video and a service", () => {
  let host;
  let policy;
  let tracker;
  before(async () => {
    const out = join(folder.path, "published");
    const found = {};
    tracker = await startOther();
    host = await serveFolder(out, found);
    const set = ["--set", "host=netlify", "--base-url", host.origin];
    const { code, stderr } = await sitegen("build", "--root", root, "--out", out, ...set);
    assert.equal(code, 0, stderr);
    policy = /Content-Security-Policy: (.*)/.exec(readFileSync(join(out, "_headers"), "utf8"))[1];
    found["content-security-policy"] = policy;
  });
  after(() => {
    host?.stop();
    tracker?.other.close();
  });

  for (const [name, open] of Object.entries(TABS)) {
    it(`blocks nothing that the site uses, and allows nothing else, in ${name}`, async () => {
      const { page, asked, close } = await open();
      const blocked = () => page.evaluate(() => /** @type {any} */ (globalThis).blocked);
      const hosts = () => [...new Set(asked.map((url) => new URL(url).origin))].sort();
      const within = async (condition) => {
        for (const end = Date.now() + TIMEOUT; !condition(); ) {
          assert.ok(Date.now() < end, `asked for ${asked}`);
          await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 10)));
        }
      };
      try {
        for (const { path, query, found } of Object.values(LANGUAGES)) {
          await page.goto(`${host.origin}${path}?q=${encodeURIComponent(query)}`);
          await page.waitForSelector(`${results}[href="${found}"]`);
          assert.deepEqual(await blocked(), []);
        }
        await within(() => asked.includes(`${HOSTS.plausible}/api/event`));
        assert.deepEqual(hosts(), [HOSTS.plausible]);
        await page.goto(host.origin + WAY);
        // The first section is the heading of the page.
        for (const section of ["main section:nth-of-type(2)", "main section:nth-of-type(3)"]) {
          await page.click(`${section} .embed-frame__open`);
          await page.waitForSelector(`${section} iframe`);
        }
        const used = Object.values(HOSTS).sort();
        await within(() => hosts().length >= used.length);
        assert.deepEqual(hosts(), used);
        assert.deepEqual(await blocked(), []);
        // What the policies name is what was asked for: the header for all pages, the page for itself.
        const inPage = await page.$eval("meta[http-equiv=Content-Security-Policy]", (meta) => meta.getAttribute("content"));
        // The form of the search and the captcha of the site's other form are on other pages.
        const elsewhere = ["https://find.example", ...["google", "gstatic"].map((of) => `https://www.${of}.com/recaptcha/`)];
        const named = (text) => [...new Set(text.match(/\bhttps:[^\s;]+/g) ?? [])].sort();
        assert.deepEqual(named(policy), [...used, ...elsewhere].sort());
        assert.deepEqual(named(inPage), used);
        assert.ok(!/\*|unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/.test(policy + inPage), policy);
        await page.evaluate(tryEverything, tracker.origin);
        await page.waitForFunction(() => /** @type {any} */ (globalThis).blocked.includes("form-action"));
        const refused = [...new Set((await blocked()).map((directive) => directive.replace(/-(?:elem|attr)$/, "")))];
        assert.deepEqual(
          REFUSED.filter((directive) => !refused.includes(directive)),
          [],
        );
        assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).ran), undefined);
        assert.deepEqual(tracker.asked, []);
        assert.deepEqual(hosts(), used);
      } finally {
        await close();
      }
    });
  }
});
