// Compares the accessibility tree of each step of the lead form with files in snapshots/. UPDATE_SNAPSHOTS=1 updates
// them, for review as a diff.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { API, all, button, card, contact, FORMS, field, hydrated, solve, startForms, words } from "./lead-form.mjs";
import { openBrowser, settings, visit } from "./site.mjs";

const SNAPSHOTS = fileURLToPath(new URL("snapshots/lead-form/", import.meta.url));
const site = await startForms();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const seen = new Set();

/** Compares the accessibility tree of an element with its snapshot. */
async function compare(name, element) {
  const file = `${name}.yaml`;
  seen.add(file);
  const tree = await element.ariaSnapshot();
  // Snapshots do not contain the brand, so that they apply to any site.
  const found = `${tree.replaceAll(settings.company.name, "{company.name}").replaceAll(settings.product.name, "{product.name}")}\n`;
  if (process.env.UPDATE_SNAPSHOTS) {
    mkdirSync(SNAPSHOTS, { recursive: true });
    writeFileSync(SNAPSHOTS + file, found);
    return;
  }
  const known = existsSync(SNAPSHOTS + file) ? readFileSync(SNAPSHOTS + file, "utf8") : "";
  assert.equal(found, known, `${file}: UPDATE_SNAPSHOTS=1 writes it anew, to be reviewed as a diff`);
}

for (const code of Object.keys(FORMS)) {
  describe(`the accessibility tree of the form, ${code}`, () => {
    it("matches the snapshot of each step", () => {
      let requests = 0;
      const prepare = (page) =>
        page.route(API, (route) => {
          requests += 1;
          return requests > 1 ? route.continue() : route.abort();
        });
      return visit(browser, site.origin + FORMS[code], { prepare }, async (page) => {
        const own = words[code];
        const form = page.locator("form[data-lead-form]");
        const look = (number, name) => compare(`${code}-${number}-${name}`, form);
        const service = all.find(({ has_details_page }) => has_details_page);
        await hydrated(page);
        await look(1, "choice");
        await card(page, own.form.choices[service.choice].title).click();
        await look(2, "service");
        await card(page, own.form.services[service.id].title).click();
        await look(2, "service-preview");
        await button(page, own.continue_action).click();
        await look(3, "contact");
        await button(page, own.continue_action).click();
        await page.locator(".form__summary").waitFor();
        await look(3, "contact-wrong");
        await field(page, own.company).fill("Molino S.A.");
        await contact(page, own);
        await page.locator(".form__widget input").waitFor();
        await look(4, "project");
        await page.getByLabel(own.has_app_yes, { exact: true }).check();
        await solve(page, own);
        await look(4, "project-application");
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.submission_failed }).waitFor();
        await look(4, "project-failed");
        await button(page, own.try_again).click();
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
        await look(5, "success");
      });
    });

    it("matches the snapshot of the plain form without JavaScript", () =>
      visit(browser, site.origin + FORMS[code], { script: false }, (page) =>
        compare(`${code}-plain`, page.locator("form[data-lead-form]")),
      ));
  });
}

it("there are no unused snapshots", () => {
  assert.deepEqual(readdirSync(SNAPSHOTS).sort(), [...seen].sort());
});
