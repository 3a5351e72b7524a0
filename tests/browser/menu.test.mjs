// Browser tests of the menu on phones: it opens and closes by pointer and keyboard, with and without JavaScript, and
// never covers the whole viewport.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openBrowser, PHONE, settings, startSite, visit } from "./site.mjs";

const site = await startSite();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

// The names in the specification. They are not read from content/, so that accidental changes are detected.
const BUTTON = { en: "menu", es: "menú" };

for (const script of [true, false]) {
  describe(`the menu on phones, ${script ? "with" : "without"} JavaScript`, () => {
    for (const [locale, label] of Object.entries(BUTTON)) {
      const home = site.pages.find((route) => route.key === "home" && route.locale === locale);
      const entries = settings.header.menu.map((entry) => entry.label[locale]);

      const onPhone = (look) =>
        visit(browser, site.origin + home.path, { viewport: PHONE, script }, async (page) => {
          const button = page.getByRole("button", { name: new RegExp(`^${label}$`, "i") });
          assert.equal(await button.count(), 1, `one button named ${label}`);
          const menu = page.locator(`[id="${await button.getAttribute("popovertarget")}"]`);
          await menu.waitFor({ state: "hidden" });
          await look(page, { button, menu });
        });

      const withMenuOpen = (look) =>
        onPhone(async (page, parts) => {
          await click(page, await parts.button.boundingBox());
          await parts.menu.waitFor({ state: "visible" });
          await look(page, parts);
        });

      it(`opens by its button, named ${label}, and leaves part of the viewport uncovered`, () =>
        withMenuOpen(async (_page, { menu }) => {
          const { x, y, width, height } = await menu.boundingBox();
          assert.ok(x >= 0 && x + width <= PHONE.width + 1, "as wide as the window at most");
          assert.ok(y + height <= PHONE.height + 1, "all of it lies in the window");
          assert.ok(width * height < PHONE.width * PHONE.height * 0.9, `${width} × ${height} px cover the window`);
          for (const entry of entries) {
            assert.equal(await menu.getByRole("link", { name: entry, exact: true }).count(), 1, entry);
          }
        }));

      it(`closes by Escape (${label})`, () =>
        withMenuOpen(async (page, { menu }) => {
          await page.keyboard.press("Escape");
          await menu.waitFor({ state: "hidden" });
        }));

      it(`closes on a second click on its button (${label})`, () =>
        withMenuOpen(async (page, { button, menu }) => {
          await click(page, await button.boundingBox());
          await menu.waitFor({ state: "hidden" });
        }));

      it(`leaves as it came, where motion is welcome (${label})`, () =>
        withMenuOpen(async (page, { menu }) => {
          await page.emulateMedia({ reducedMotion: "no-preference" });
          const properties = await menu.evaluate((popover) => {
            popover.hidePopover();
            return popover.getAnimations().map((each) => /** @type {CSSTransition} */ (each).transitionProperty);
          });
          assert.deepEqual(properties.sort(), ["display", "opacity", "overlay", "translate"]);
          await menu.waitFor({ state: "hidden" });
          await page.emulateMedia({ reducedMotion: "reduce" });
        }));

      it(`closes on a click outside (${label})`, () =>
        withMenuOpen(async (page, { menu }) => {
          const { x, y, width, height } = await menu.boundingBox();
          const corners = [4, PHONE.width - 4].flatMap((left) => [4, PHONE.height - 4].map((top) => [left, top]));
          const outside = corners.find(([left, top]) => left < x || left > x + width || top < y || top > y + height);
          assert.ok(outside, "a corner of the window is free");
          await page.mouse.click(outside[0], outside[1]);
          await menu.waitFor({ state: "hidden" });
          assert.equal(new URL(page.url()).pathname, home.path, "the click did not follow a link");
        }));

      it(`is used with the keyboard alone (${label})`, () =>
        onPhone(async (page, { button, menu }) => {
          const hasFocus = (locator) => locator.evaluate((element) => element === document.activeElement);
          for (let stop = 0; stop < 5 && !(await hasFocus(button)); stop += 1) await page.keyboard.press("Tab");
          await page.keyboard.press("Enter");
          await menu.waitFor({ state: "visible" });
          await page.keyboard.press("Tab");
          assert.ok(await hasFocus(menu.getByRole("link").first()), "the next stop is the first entry");
          await page.keyboard.press("Escape");
          await menu.waitFor({ state: "hidden" });
          assert.ok(await hasFocus(button), "the focus is back on the button");
          if (!script) return;
          await page.keyboard.press("Enter");
          await menu.waitFor({ state: "visible" });
          await page.keyboard.press("Shift+Tab");
          await menu.waitFor({ state: "hidden" });
          assert.ok(!(await hasFocus(button)), "the focus has left the button backwards, and the menu is closed");
        }));
    }
  });
}

/** Clicks at the center of a box. `locator.click` waits for animation frames, which do not run without JavaScript. */
const click = (page, { x, y, width, height }) => page.mouse.click(x + width / 2, y + height / 2);
