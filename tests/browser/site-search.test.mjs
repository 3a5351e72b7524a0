// The search of the whole site: the collections of tests/sites/horizon in the theme, in five languages, searched in Chromium
// and in Firefox, from the dialog of the header and on the page of the search.

import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse, stringify } from "yaml";
import { AXE, askEverything, findBarriers, mainText } from "./checks.mjs";
import { openBrowser, openFirefox, ROOT, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

const HORIZON = join(ROOT, "tests/sites/horizon");

/** By language: the path of the search page, its words, and a query of one letter and of more with the page that it finds. */
const LANGUAGES = {
  en: {
    path: "/find/",
    title: "Find",
    label: "Search this site",
    letter: "i",
    query: "implants",
    found: "/treatments/implants/",
  },
  es: {
    path: "/es/buscar/",
    title: "Buscar",
    label: "Buscar en este sitio",
    letter: "i",
    query: "implantes",
    found: "/es/tratamientos/implants/",
  },
  de: {
    path: "/de/suche/",
    title: "Suche",
    label: "Diese Website durchsuchen",
    letter: "I",
    query: "Implantate",
    found: "/de/behandlungen/implants/",
  },
  ar: {
    path: "/ar/find/",
    title: "بحث",
    label: "ابحث في هذا الموقع",
    letter: "ز",
    query: "زراعة",
    found: "/ar/treatments/implants/",
  },
  "zh-hans": {
    path: "/zh-hans/find/",
    title: "搜索",
    label: "搜索本站",
    letter: "种",
    query: "种植牙",
    found: "/zh-hans/treatments/implants/",
  },
};
const CODES = Object.keys(LANGUAGES);
const KINDS = { treatments: "Treatments", team: "Team", clinics: "Clinics" };

/** Makes a new site that has the collections of the other one, and a search. */
async function prepare(root) {
  const created = await sitegen("new", root, "--languages", CODES.join(","), "--no-blog", "--name", "Horizon");
  assert.equal(created.code, 0, created.stderr);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  // The other site writes the code of Chinese in lower case.
  renameSync(join(root, "content/pages/home/zh-Hans.yaml"), join(root, "content/pages/home/zh-hans.yaml"));
  for (const name of Object.keys(KINDS)) {
    cpSync(join(HORIZON, "content", name), join(root, "content", name), { recursive: true });
    cpSync(join(HORIZON, "templates/collections", name), join(root, "templates/collections", name), { recursive: true });
  }
  const labels = Object.entries(KINDS).map(([name, label]) => ({
    name,
    label: Object.fromEntries(CODES.map((code) => [code, label])),
  }));
  const settings = join(root, "content/site.yaml");
  const search = { kinds: labels, fallback: "https://find.example/?sites=horizon.example" };
  writeFileSync(
    settings,
    `search: ${JSON.stringify(search)}\n${readFileSync(settings, "utf8").replaceAll("zh-Hans", "zh-hans")}`,
  );
  mkdirSync(join(root, "content/locales"), { recursive: true });
  mkdirSync(join(root, "content/pages/find"));
  for (const [code, { path, title, label }] of Object.entries(LANGUAGES)) {
    const words = parse(readFileSync(join(HORIZON, `content/locales/${code}.yaml`), "utf8")).messages;
    const file = join(root, `content/locales/${code}.yaml`);
    const written = readdirSync(join(root, "content/locales")).includes(`${code}.yaml`) ? parse(readFileSync(file, "utf8")) : {};
    const own = Object.fromEntries(["price_from", "done_by", "hours"].map((key) => [key, words[key]]));
    const messages = { ...written.messages, ...own, site_search_label: label };
    writeFileSync(file, stringify({ ...written, messages }));
    const page = { path, title, description: title, sections: [{ kind: "search", title }] };
    writeFileSync(join(root, `content/pages/find/${code}.yaml`), stringify(page));
  }
}

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
        });
      }
    }
  });
});

describe("the search of a site on a host without headers", () => {
  it("works, and no page can compile WebAssembly", async () => {
    const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
    const plain = createServer((request, response) => {
      const path = new URL(request.url, "http://a").pathname;
      const file = join(root, "dist", path.endsWith("/") ? `${path}index.html` : path);
      if (!existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
    });
    await once(plain.listen(0, "127.0.0.1"), "listening");
    try {
      const { path, query, found } = LANGUAGES.en;
      await visit(
        browser,
        `http://127.0.0.1:${/** @type {any} */ (plain.address()).port}${path}?q=${query}`,
        {},
        async (page) => {
          await page.locator(`${results}[href="${found}"]`).waitFor();
          const compile = () => {
            try {
              return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) && "allowed";
            } catch {
              return "refused";
            }
          };
          assert.equal(await page.evaluate(compile), "refused");
        },
      );
      await visit(browser, server.origin + path, {}, async (page) => {
        const refused = () =>
          WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
            () => false,
            () => true,
          );
        assert.equal(await page.evaluate(refused), true);
      });
    } finally {
      plain.closeAllConnections();
      plain.close();
    }
  });
});

describe("the search of a site in Firefox", () => {
  it("finds a page in each language", async () => {
    const firefox = await openFirefox();
    try {
      const page = await firefox.newPage();
      for (const [, { path, query, found }] of Object.entries(LANGUAGES)) {
        await page.goto(`${server.origin}${path}?q=${encodeURIComponent(query)}`);
        await page.waitForSelector(`${results}[href="${found}"]`);
      }
    } finally {
      await firefox.close();
    }
  });
});
