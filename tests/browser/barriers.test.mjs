// Browser tests of accessibility for kinds of pages where it is dark and with the colors of the system, on a phone, a tablet and
// a wide window, and on a tablet where it is light. What is light at the other widths, and each part, is in visit.test.mjs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { DESKTOP, openBrowser, PHONE, ready, SIDE_BY_SIDE, startSite, TABLET, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const first = (pattern) => site.pages.find(({ path }) => pattern.test(path));
const KEYS = [
  "home",
  "org-chart",
  "maintenance-plans",
  "case-studies",
  "contact",
  "lead-form",
  "lead-thanks",
  "blog",
  "privacy",
  "style-guide-buttons",
  "style-guide-colors",
];
const pages = [
  ...KEYS.map((key) => site.pages.find((page) => page.key === key && page.locale === "en")),
  first(/^\/blog\/[^/]+\/$/),
  first(/^\/blog\/author\//),
  first(/^\/case-studies\/[^/]+\/$/),
  first(/^\/es\/$/),
  site.errorPages[0],
].map(({ path }) => path);

// The browser tells the colors of the style sheets in place of those of the system.
const FORCED = { "color-contrast": { enabled: false } };
const LOOKS = /** @type {const} */ ([
  { name: "dark", media: { colorScheme: "dark" }, windows: [DESKTOP, TABLET, PHONE] },
  { name: "in the colors of the system", media: { forcedColors: "active" }, windows: [DESKTOP, TABLET, PHONE], rules: FORCED },
  { name: "light", media: { colorScheme: "light" }, windows: [TABLET] },
]);

describe("without barriers", { concurrency: SIDE_BY_SIDE }, () => {
  for (const path of pages)
    it(path, async () => {
      for (const { name, media, windows, ...more } of LOOKS)
        await visit(
          browser,
          site.origin + path,
          { prepare: (page) => page.emulateMedia({ ...media, reducedMotion: "reduce" }) },
          async (page) => {
            await page.evaluate(AXE);
            for (const viewport of windows) {
              await page.setViewportSize(viewport);
              await ready(page);
              assert.deepEqual(await findBarriers(page, "rules" in more ? more.rules : {}), [], `${name}, ${viewport.width} px`);
            }
          },
        );
    });
});
