// Takes screenshots for visual review: `node tests/browser/screenshots.mjs FOLDER PATH…` writes
// FOLDER/<path>-<width>.png at widths of 390, 768 and 1440 pixels, of all pages if no path is given. It needs the
// release binary.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DESKTOP, openBrowser, PHONE, startSite, TABLET, visit } from "./site.mjs";

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node tests/browser/screenshots.mjs FOLDER [PATH…]");
  process.exit(2);
}

const site = await startSite();
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  for (const path of wanted.length > 0 ? wanted : site.pages.map((route) => route.path)) {
    const name = path.replaceAll("/", "-").replace(/^-|-$/g, "") || "home";
    for (const viewport of [PHONE, TABLET, DESKTOP]) {
      const file = join(folder, `${name}-${viewport.width}.png`);
      await visit(browser, site.origin + path, { viewport }, (page) => page.screenshot({ path: file, fullPage: true }));
      console.log(file);
    }
  }
} finally {
  await browser.close();
  await site.stop();
}
