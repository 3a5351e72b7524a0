// Browser tests of the lead form with a slow network and CPU: no input is lost, and no lead is sent twice.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { API, all, button, card, choose, contact, FORMS, field, hydrated, solve, startForms, step, words } from "./lead-form.mjs";
import { openBrowser, PHONE, visit } from "./site.mjs";

const site = await startForms();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const BAD_LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const SLOWER = 4;
/** Time limit of each action under these conditions, in milliseconds. */
const STEP_TIMEOUT = 120_000;

/**
 * Opens the form of a language with a slow network, and does not wait for hydration. `connect` changes the network.
 * @param {string} code
 * @param {(page: any, own: any, seen: { connect: (line: object) => Promise<any>, complaints: string[] }) =>
 *   Promise<any>} look
 * @param {(page: any) => Promise<any>} [prepare]
 */
const open = (code, look, prepare = async () => {}) => {
  let connect;
  const slow = async (page) => {
    page.setDefaultTimeout(STEP_TIMEOUT);
    const session = await page.context().newCDPSession(page);
    connect = (line) => session.send("Network.emulateNetworkConditions", { ...BAD_LINE, ...line });
    await session.send("Network.enable");
    await connect({});
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await prepare(page);
  };
  return visit(
    browser,
    site.origin + FORMS[code],
    { viewport: PHONE, wait: "domcontentloaded", prepare: slow },
    (page, { complaints }) => look(page, words[code], { connect, complaints }),
  );
};

/** A promise with the function that resolves it. */
const gate = () => {
  /** @type {(value?: unknown) => void} */
  let release = () => {};
  const opened = new Promise((resolve) => (release = resolve));
  return { opened, release };
};
/** Delays the form's script until the gate opens. */
const held = (opened) => (page) =>
  page.route(/\/hydrate-island-\w+\.js$/, async (route) => {
    await opened;
    await route.continue();
  });
const thanked = (page, own) => page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
const sentBy = async (email) => (await site.stored()).filter((lead) => lead.email === email).length;

for (const code of Object.keys(FORMS)) {
  describe(`the form on a slow network, ${code}`, { concurrency: 2 }, () => {
    it("handles a click from before hydration", () => {
      const { opened, release } = gate();
      return open(
        code,
        async (page, own, { complaints }) => {
          await card(page, own.form.choices.advice.title).click();
          assert.equal(await page.locator(".form-steps[data-steps=shown]").count(), 0);
          release();
          await hydrated(page);
          await page.locator(".form-steps__title:visible", { hasText: own.form.steps.service.title }).waitFor();
          assert.deepEqual(complaints, []);
        },
        held(opened),
      );
    });

    it("keeps input into the plain form from before hydration", () => {
      const { opened, release } = gate();
      return open(
        code,
        async (page, own) => {
          // Browsers without the media query `scripting` show the plain form until hydration.
          const plain = page.locator("form[data-lead-form]");
          const display = (value) =>
            plain.evaluate((form, value) => {
              for (const part of form.querySelectorAll(".form-steps__step, [data-waits]")) part.style.display = value;
            }, value);
          await display("grid");
          await plain.locator("[name=name]").fill("Ana Pérez");
          await plain.locator("[name=phone]").fill("602 555 0100");
          await plain.locator("[name=appDescription]").fill("Gira.\nDespacio.");
          assert.equal(await page.locator(".form-steps[data-steps=shown]").count(), 0);
          await display("");
          release();
          await hydrated(page);
          await choose(page, own, all[0]);
          assert.equal(await field(page, own.name).inputValue(), "Ana Pérez");
          assert.equal(await field(page, own.phone).inputValue(), "602 555 0100");
          await button(page, own.continue_action).click();
          assert.ok(await page.getByLabel(own.has_app_yes, { exact: true }).isChecked());
          assert.equal(await page.getByLabel(own.app_description).inputValue(), "Gira.\nDespacio.");
        },
        held(opened),
      );
    });

    it("shows that it is submitting, and sends one lead after a double click", () => {
      const { opened, release } = gate();
      const email = `double.${code}@example.com`;
      let requests = 0;
      return open(
        code,
        async (page, own) => {
          await choose(page, own, all[0]);
          await contact(page, own, { email });
          await solve(page, own);
          await button(page, own.submit).dblclick();
          assert.ok(await button(page, own.submitting).isDisabled());
          assert.equal(await step(page), own.form.steps.project.title);
          release();
          await thanked(page, own);
          assert.deepEqual([requests, await sentBy(email)], [1, 1]);
        },
        (page) =>
          page.route(API, async (route) => {
            requests += 1;
            await opened;
            await route.continue();
          }),
      );
    });

    it("shows a message while offline, and sends one lead when online again", () => {
      const email = `offline.${code}@example.com`;
      return open(code, async (page, own, { connect, complaints }) => {
        await choose(page, own, all[0]);
        await contact(page, own, { email });
        await solve(page, own);
        await connect({ offline: true });
        await button(page, own.submit).click();
        await page.getByRole("alert").getByText(own.offline).waitFor();
        assert.ok(await button(page, own.submit).isDisabled());
        await connect({});
        await button(page, own.try_again).click();
        await button(page, own.submit).click();
        await thanked(page, own);
        assert.equal(await sentBy(email), 1);
        assert.deepEqual(complaints, []);
      });
    });

    it("retries a lead whose response was lost, without a duplicate", () => {
      const email = `lost.${code}@example.com`;
      let requests = 0;
      return open(
        code,
        async (page, own) => {
          await choose(page, own, all[0]);
          await contact(page, own, { email });
          await solve(page, own);
          await button(page, own.submit).click();
          await page.getByRole("alert").getByText(own.network_error).waitFor();
          assert.equal(await sentBy(email), 1, "the lead had arrived");
          await button(page, own.try_again).click();
          await button(page, own.submit).click();
          await thanked(page, own);
          assert.deepEqual([requests, await sentBy(email)], [2, 1]);
        },
        (page) =>
          page.route(API, async (route) => {
            requests += 1;
            if (requests > 1) return route.continue();
            await route.fetch();
            return route.abort("connectionreset");
          }),
      );
    });
  });
}
