// Languages on hosts of their own, in a browser that knows the hosts by name: nginx has the configuration of `sitegen hosts`.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { buildSite, runNginx } from "../hosts/hosts.mjs";
import { openBrowser, visit } from "./site.mjs";

const MAIN = "http://small.example";
const SPANISH = "http://xn--pequeo-0wa.example";

/** A port that is free now. */
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    server.close(() => resolve(port));
  });
});
const site = await buildSite("", { es: "http://pequeño.example/" });
const server = `listen 127.0.0.1:${port};
    server_name small.example xn--pequeo-0wa.example;
    root ${site.root};
    include ${site.deploy}/nginx.conf;`;
const nginx = await runNginx(join(site.path, "nginx"), server, { hostname: "127.0.0.1", port });
const rules = [MAIN, SPANISH].map((origin) => `MAP ${new URL(origin).host} 127.0.0.1:${port}`).join(", ");
// Without TLS the browser ignores a header of the policy, and complains.
const browser = await openBrowser(
  `--host-resolver-rules=${rules}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  `--unsafely-treat-insecure-origin-as-secure=${MAIN},${SPANISH}`,
);
after(async () => {
  await browser.close();
  await nginx.stop();
  await site.remove();
});

/** Visits an address; both hosts are the site's. */
const at = (address, look) => visit(browser, address, { hosts: [MAIN, SPANISH] }, look);
/** The canonical address of the page that is open. */
const canonical = (page) => page.locator("link[rel=canonical]").getAttribute("href");

describe("languages on hosts of their own", () => {
  it("are changed by the switch of languages, forth and back", async () => {
    await at(`${MAIN}/about/`, async (page, { complaints }) => {
      assert.equal(await canonical(page), page.url());
      await page.locator("a[lang=es]").first().click();
      await page.waitForURL(`${SPANISH}/es/nosotros/`);
      assert.equal(await page.locator("html").getAttribute("lang"), "es");
      assert.equal(await canonical(page), page.url());
      await page.locator("a[lang=en]").first().click();
      await page.waitForURL(`${MAIN}/about/`);
      assert.deepEqual(complaints, []);
    });
  });

  for (const [from, to] of [
    [`${SPANISH}/`, `${SPANISH}/es/`],
    [`${MAIN}/es/nosotros/?a=1`, `${SPANISH}/es/nosotros/?a=1`],
    [`${SPANISH}/about/`, `${MAIN}/about/`],
  ]) {
    it(`are where a visitor of ${from} is led`, () =>
      at(from, async (page, { response, complaints }) => {
        assert.deepEqual([page.url(), response.status()], [to, 200]);
        assert.deepEqual(complaints, []);
      }));
  }

  it("are left by the links of the switch alone", async () => {
    for (const start of [`${MAIN}/`, `${SPANISH}/es/`]) {
      const { origin } = new URL(start);
      await at(start, async (page, { complaints }) => {
        const links = await page.locator("a[href]").evaluateAll((all) => all.map(({ href, lang }) => ({ href, lang })));
        assert.ok(links.some(({ lang }) => lang === "") && links.some(({ lang }) => lang !== ""), JSON.stringify(links));
        for (const { href, lang } of links) assert.equal(new URL(href).origin === origin, lang === "", href);
        assert.deepEqual(complaints, []);
      });
    }
  });
});
