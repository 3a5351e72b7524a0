// The lead form on a bad line and a slow phone: nothing that was typed is lost, and nothing is sent twice.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { API, FORMS, all, awake, button, card, choose, contact, field, solve, startForms, step, words } from "./lead-form.mjs";
import { PHONE, openBrowser, visit } from "./site.mjs";

const site = await startForms();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const BAD_LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const SLOWER = 4;
/** Longer than any step takes there, in milliseconds. */
const ACTION_TIMEOUT = 120_000;

/**
 * Opens the form of a language on a bad line, as soon as the script of every page listens; `connect` changes the line.
 * @param {string} code @param {(page: any, own: any, seen: { connect: (line: object) => Promise<any>, complaints: string[] }) => Promise<any>} look
 * @param {(page: any) => Promise<any>} [prepare]
 */
const open = (code, look, prepare = async () => {}) => {
  let connect;
  const slow = async (page) => {
    page.setDefaultTimeout(ACTION_TIMEOUT);
    const session = await page.context().newCDPSession(page);
    connect = (line) => session.send("Network.emulateNetworkConditions", { ...BAD_LINE, ...line });
    await session.send("Network.enable");
    await connect({});
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await prepare(page);
  };
  return visit(browser, site.origin + FORMS[code], { viewport: PHONE, wait: "domcontentloaded", prepare: slow }, (page, { complaints }) =>
    look(page, words[code], { connect, complaints }),
  );
};

/** A gate, and what opens it. */
const gate = () => {
  /** @type {(value?: unknown) => void} */
  let release = () => {};
  const opened = new Promise((resolve) => (release = resolve));
  return { opened, release };
};
/** Holds the form's script back until the gate opens. */
const held = (opened) => (page) => page.route(/\/mount-\w+\.js$/, async (route) => (await opened, route.continue()));
const thanked = (page, own) => page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
const sentBy = async (email) => (await site.stored()).filter((lead) => lead.email === email).length;

for (const code of Object.keys(FORMS)) {
  describe(`the form on a bad line, ${code}`, { concurrency: 2 }, () => {
    it("goes on with what was clicked before its script came", () => {
      const { opened, release } = gate();
      return open(code, async (page, own, { complaints }) => {
        await card(page, own.form.choices.advice.title).click();
        assert.equal(await page.locator(".lead-form[data-awake]").count(), 0);
        release();
        await awake(page);
        await page.locator(".lead-form__title", { hasText: own.form.steps.service.title }).waitFor();
        assert.deepEqual(complaints, []);
      }, held(opened));
    });

    it("keeps what was typed into the plain form before its script came", () => {
      const { opened, release } = gate();
      return open(code, async (page, own) => {
        // As in browsers that cannot tell a style sheet whether there is script: they show the plain form until it comes.
        const plain = page.locator(".lead-form__plain");
        await plain.evaluate((form) => (form.style.display = "block"));
        await plain.locator("[name=name]").fill("Ana Pérez");
        await plain.locator("[name=phone]").fill("602 555 0100");
        await plain.locator("[name=appDescription]").fill("Gira.\nDespacio.");
        assert.equal(await page.locator(".lead-form[data-awake]").count(), 0);
        release();
        await awake(page);
        await choose(page, own, all[0]);
        assert.equal(await field(page, own.name).inputValue(), "Ana Pérez");
        assert.equal(await field(page, own.phone).inputValue(), "602 555 0100");
        await button(page, own.continue_action).click();
        assert.ok(await page.getByLabel(own.has_app_yes, { exact: true }).isChecked());
        assert.equal(await page.getByLabel(own.app_description).inputValue(), "Gira.\nDespacio.");
      }, held(opened));
    });

    it("says that it sends, and makes one lead of a double click", () => {
      const { opened, release } = gate();
      const email = `double.${code}@example.com`;
      let requests = 0;
      return open(code, async (page, own) => {
        await choose(page, own, all[0]);
        await contact(page, own, { email });
        await solve(page, own);
        await button(page, own.submit).dblclick();
        assert.ok(await button(page, own.submitting).isDisabled());
        assert.equal(await step(page), own.form.steps.project.title);
        release();
        await thanked(page, own);
        assert.deepEqual([requests, await sentBy(email)], [1, 1]);
      }, (page) =>
        page.route(API, async (route) => {
          requests += 1;
          await opened;
          await route.continue();
        }));
    });

    it("says that the line is gone, and sends one lead when it is back", () => {
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

    it("sends a lead again whose answer was lost, and it is the same one", () => {
      const email = `lost.${code}@example.com`;
      let requests = 0;
      return open(code, async (page, own) => {
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
      }, (page) =>
        page.route(API, async (route) => {
          requests += 1;
          if (requests > 1) return route.continue();
          await route.fetch();
          return route.abort("connectionreset");
        }));
    });
  });
}
