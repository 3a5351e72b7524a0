// Browser tests of the choice of a captcha: the proof of work of the site's own API, in the lead form and with the keyboard, and
// the widgets of hCaptcha and Turnstile, in place of which the preview has its own.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import { all, button, choose, contact, FORMS, hydrated, solve, storedIn, words } from "./lead-form.mjs";
import { openBrowser, openForLong, ROOT, serve, sitegen, temporaryFolder, visit } from "./site.mjs";

const browser = await openBrowser();
after(() => browser.close());

/** Serves the site with a captcha of this provider, until `look` is done. */
async function served(provider, look) {
  const folder = await temporaryFolder();
  const out = `${folder.path}/dist`;
  const leads = `${folder.path}/leads.sqlite3`;
  Object.assign(process.env, { LEADS_STORE: leads, LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" });
  const options = ["--root", ROOT, "--out", out, "--set", `leads.captcha.provider=${provider}`];
  const built = await sitegen("build", ...options);
  assert.equal(built.code, 0, built.stderr);
  const server = await serve("--no-watch", "--leads-from-environment", ...options);
  try {
    return await look(server.origin, () => storedIn(leads));
  } finally {
    await server.stop();
    await folder.remove();
  }
}

const send = async (page, own) => {
  await openForLong(page);
  await button(page, own.submit).click();
  await page.getByText(own.form.steps.success.title).first().waitFor();
};

/** Opens the last step of the form. */
const atLastStep = (origin, code, look) =>
  visit(browser, origin + FORMS[code], {}, async (page, seen) => {
    await hydrated(page);
    await choose(page, words[code], all[0]);
    await contact(page, words[code]);
    await look(page, words[code], seen);
  });

describe("a captcha", () => {
  it("can be a proof of work, which asks no other site", () =>
    served("altcha", async (origin, stored) => {
      for (const code of ["en", "es"]) {
        await atLastStep(origin, code, async (page, own, { complaints }) => {
          const box = page.getByLabel(own.captcha_title).getByRole("checkbox");
          await box.focus();
          await page.keyboard.press("Space");
          await page.locator(".form-steps__submit:not([aria-disabled=true])", { hasText: own.submit }).waitFor();
          assert.ok(await box.isChecked());
          await page.evaluate(AXE);
          assert.deepEqual(await findBarriers(page), []);
          await send(page, own);
          assert.deepEqual(complaints, []);
        });
      }
      assert.deepEqual(
        (await stored()).map(({ status }) => status),
        ["verified", "verified"],
      );
    }));

  for (const provider of ["hcaptcha", "turnstile"]) {
    it(`can be ${provider}`, () =>
      served(provider, async (origin, stored) => {
        for (const code of ["en", "es"]) {
          await atLastStep(origin, code, async (page, own, { complaints }) => {
            await solve(page, own);
            await send(page, own);
            assert.deepEqual(complaints, []);
          });
        }
        assert.equal((await stored()).filter(({ status }) => status === "verified").length, 2);
      }));
  }

  it("can be left out", () =>
    served("none", async (origin, stored) => {
      await atLastStep(origin, "en", async (page, own, { complaints }) => {
        assert.equal(await page.getByText(own.captcha_title).count(), 0);
        await send(page, own);
        assert.deepEqual(complaints, []);
      });
      assert.deepEqual(
        (await stored()).map(({ status }) => status),
        ["unverified"],
      );
    }));
});
