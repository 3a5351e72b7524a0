// Takes screenshots for visual review: `node tests/browser/screenshots.mjs FOLDER PATH…` writes
// FOLDER/<path>-<width>.png at widths of 390, 768 and 1440 pixels, of all pages if no path is given. It needs the
// release binary. Options show pages as some visitors see them: --dark, --forced-colors, --print, --large-text (200 %), and
// --mirrored, with the other direction of text.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DESKTOP, openBrowser, PHONE, startSite, TABLET, visit } from "./site.mjs";

const toggle = /** @type {const} */ ({ type: "boolean", default: false });
const { values: as, positionals } = parseArgs({
  options: { dark: toggle, "forced-colors": toggle, print: toggle, "large-text": toggle, mirrored: toggle },
  allowPositionals: true,
});
const [folder, ...wanted] = positionals;
if (!folder) {
  console.error(
    "usage: node tests/browser/screenshots.mjs [--dark | --forced-colors | --print | --large-text | --mirrored] FOLDER [PATH…]",
  );
  process.exit(2);
}

/** Shows a page as the options ask. */
const prepare = async (page) => {
  await page.emulateMedia({
    reducedMotion: "reduce",
    colorScheme: as.dark ? "dark" : "light",
    forcedColors: as["forced-colors"] ? "active" : "none",
    media: as.print ? "print" : "screen",
  });
};
const change = (page) =>
  page.evaluate(
    ([isLarge, isMirrored]) => {
      if (isLarge) document.documentElement.style.fontSize = "200%";
      if (isMirrored) document.documentElement.dir = document.documentElement.dir === "rtl" ? "ltr" : "rtl";
    },
    /** @type {const} */ ([as["large-text"], as.mirrored]),
  );

const site = await startSite();
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  for (const path of wanted.length > 0 ? wanted : site.pages.map((route) => route.path)) {
    const name = path.replaceAll("/", "-").replace(/^-|-$/g, "") || "home";
    for (const viewport of [PHONE, TABLET, DESKTOP]) {
      const file = join(folder, `${name}-${viewport.width}.png`);
      await visit(browser, site.origin + path, { viewport, prepare }, async (page) => {
        await change(page);
        await page.screenshot({ path: file, fullPage: true });
      });
      console.log(file);
    }
  }
} finally {
  await browser.close();
  await site.stop();
}
