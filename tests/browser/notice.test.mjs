// A notice above the header, on a phone: the menu opens below the header and leaves the button that closes it in sight.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { openBrowser, PHONE, serveCopy, TIMEOUT } from "./site.mjs";

const browser = await openBrowser();
after(() => browser.close());

it("the menu is below the header where a notice is above it", async () => {
  const copy = await serveCopy("--editor", "none");
  after(copy.stop);
  await mkdir(join(copy.root, "content/notices"), { recursive: true });
  await writeFile(
    join(copy.root, "content/notices/closed.yaml"),
    "text: {en: Closed on 6 January., es: Cerrado el 6 de enero.}\n",
  );
  const page = await browser.newPage({ viewport: PHONE, reducedMotion: "reduce" });
  page.setDefaultTimeout(TIMEOUT);
  const notice = page.locator(".notice");
  // Once the notice is built, an open page reloads itself.
  await page.goto(`${copy.origin}/`);
  await notice.waitFor();
  const button = page.locator(".header__toggle");
  await button.click();
  const menu = page.locator(".header__nav:popover-open");
  await menu.waitFor();
  const [header, opened] = [await page.locator(".header").boundingBox(), await menu.boundingBox()];
  assert.ok(header && opened && Math.abs(opened.y - (header.y + header.height)) <= 1, JSON.stringify([header, opened]));
  await button.click();
  await menu.waitFor({ state: "hidden" });
  await page.close();
});
