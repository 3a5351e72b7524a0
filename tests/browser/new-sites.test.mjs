// Visits pages of sites that `sitegen new` creates, with all checks of checks.mjs: one language with a section and an
// island of its own, three languages of which Spanish is the first, and a language that is written from right to left.

import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { askEverything, mainText } from "./checks.mjs";
import { openBrowser, ROOT, SIDE_BY_SIDE, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

const browser = await openBrowser();
after(() => browser.close());

/** Adds a kind of section with an island to the contact page. */
async function addParts(root) {
  const run = async (...args) => assert.equal((await sitegen(...args, "--root", root)).code, 0, args.join(" "));
  await run("new", "section", "price_estimate");
  await run("new", "island", "seats");
  const edit = (path, change) => writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));
  const island = '{{ island("seats", {"label": section.title, "price": 12, "currency": "$"}, "visible") }}';
  edit("templates/sections/price_estimate/price_estimate.html", (text) => text.replace("</ul>", `</ul>\n${island}`));
  const section =
    "  - kind: price_estimate\n    title: What it costs\n    items: [{title: Each month, text: Per seat., to: page:home}]\n";
  edit("content/pages/contact/en.yaml", (text) => `${text.trimEnd()}\n${section}`);
}

/** The sites: arguments of `sitegen new`, pages to visit, what is added, and the page with the added island. */
const SITES = [
  {
    name: "in English, with a section and an island of its own",
    args: ["--name", "Ångström & Søn"],
    paths: ["/", "/contact/", "/services/", "/no-such-page/"],
    prepare: addParts,
    island: "/contact/",
  },
  {
    name: "in Spanish, English and French",
    args: ["--languages", "es,en,fr", "--base-url", "https://acme.example"],
    paths: ["/", "/fr/", "/blog/", "/en/privacy/"],
  },
  { name: "in Arabic, without a blog", args: ["--languages", "ar", "--no-blog"], paths: ["/", "/contact/", "/services/"] },
];

for (const { name, args, paths, prepare, island } of SITES) {
  describe(`a new site ${name}`, { concurrency: SIDE_BY_SIDE }, () => {
    let folder;
    let server;
    before(async () => {
      folder = await temporaryFolder();
      const root = join(folder.path, "acme");
      assert.equal((await sitegen("new", root, ...args)).code, 0);
      symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
      await prepare?.(root);
      const { code, stderr } = await sitegen("build", "--strict", "--root", root);
      assert.equal(code, 0, stderr);
      server = await serve("--no-watch", "--root", root);
    });
    after(async () => {
      await server?.stop();
      await folder.remove();
    });

    for (const path of paths) {
      it(path, async () => {
        const url = server.origin + path;
        const plainText = await visit(browser, url, { script: false }, mainText);
        await visit(browser, url, {}, async (page, { complaints }) => {
          const expected = path.includes("no-such") ? /status of 404/ : undefined;
          assert.deepEqual(await askEverything(page, { complaints, plainText, expected }), []);
        });
      });
    }

    if (island) {
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
