// A notice above the header, on a phone: the menu opens below the header and leaves the button that closes it in sight.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { copySite, openBrowser, PHONE, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

const browser = await openBrowser();
after(() => browser.close());

it("the menu is below the header where a notice is above it", async () => {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  await copySite(root);
  await mkdir(join(root, "content/notices"), { recursive: true });
  await writeFile(join(root, "content/notices/closed.yaml"), "text: {en: Closed on 6 January., es: Cerrado el 6 de enero.}\n");
  const built = await sitegen("build", "--root", root);
  assert.equal(built.code, 0, built.stderr);
  const server = await serve("--no-watch", "--root", root);
  after(async () => {
    await server.stop();
    await folder.remove();
  });
  await visit(browser, `${server.origin}/`, { viewport: PHONE }, async (page) => {
    await page.locator(".notice").waitFor();
    const button = page.locator(".header__toggle");
    await button.click();
    const menu = page.locator(".header__nav:popover-open");
    await menu.waitFor();
    const [header, opened] = [await page.locator(".header").boundingBox(), await menu.boundingBox()];
    assert.ok(header && opened && Math.abs(opened.y - (header.y + header.height)) <= 1, JSON.stringify([header, opened]));
    await button.click();
    await menu.waitFor({ state: "hidden" });
  });
});
