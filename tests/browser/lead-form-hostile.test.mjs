// Browser tests of the lead form with input and responses that nobody wishes for: very long texts, emoji, names that are
// written from right to left, markup, servers that do not answer, and visitors who leave while it is sent. What a form says of
// nonsense that a server answers is in react/islands/form-steps/form-steps.test.tsx.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  API,
  all,
  arrives,
  button,
  choose,
  contact,
  FORMS,
  field,
  hydrated,
  solve,
  startForms,
  toSubmit,
  words,
} from "./lead-form.mjs";
import { gate, openBrowser, visit } from "./site.mjs";

const site = await startForms();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

const own = words.en;
const { project, success } = own.form.steps;

/** Opens the form at the narrowest width that it has to fit. */
const open = (look, prepare = undefined) =>
  visit(browser, site.origin + FORMS.en, { prepare, viewport: { width: 320, height: 640 } }, async (page, seen) => {
    await hydrated(page);
    await look(page, seen);
  });

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const errors = (page) => page.locator(".form__field .form__error:not([hidden])").allTextContents();
const summary = (page) => page.locator(".form__summary a").allTextContents();
const labeled = (page, label) => field(page, label.replace("?", "\\?"));
const again = async (page) => {
  await button(page, own.try_again).click();
  await button(page, own.submit).click();
};
const leadsOf = async (email) => (await site.stored()).filter((lead) => lead.email === email);

describe("the form takes", { concurrency: 2 }, () => {
  it("10,000 letters in each field: it says what is too long, and everything still fits", () =>
    open(async (page, { complaints }) => {
      const long = "x".repeat(10_000);
      await choose(page, own, all[0]);
      await field(page, own.company).fill(long);
      for (const label of [own.name, own.position, own.phone]) await field(page, label).fill(long);
      await field(page, own.email).fill(`${long}@example.com`);
      await button(page, own.continue_action).click();
      await page.locator(".form__summary").waitFor();
      const limits = own.too_long.split("{max}");
      const isLimit = (text) => text.startsWith(limits[0]) && text.endsWith(limits[1]);
      assert.deepEqual((await errors(page)).map(isLimit), [true, true, true, true, true]);
      assert.equal((await summary(page)).length, 5);
      assert.equal(await overflow(page), 0);
      for (const label of [own.company, own.phone]) await field(page, label).fill("");
      await contact(page, own, { email: "long@example.com" });
      await page.getByLabel(own.has_app_yes, { exact: true }).check();
      for (const label of [own.app_name, own.app_description, own.your_request]) await labeled(page, label).fill(long);
      await solve(page, own);
      await button(page, own.submit).click();
      await page.locator(".form__summary").waitFor();
      assert.ok((await errors(page)).every(isLimit) && (await errors(page)).length >= 2, (await errors(page)).join());
      assert.equal(await overflow(page), 0);
      for (const label of [own.app_name, own.app_description]) await labeled(page, label).fill("");
      await labeled(page, own.your_request).fill("y".repeat(1000));
      await button(page, own.submit).click();
      await arrives(page, success);
      assert.deepEqual(complaints, []);
    }));

  for (const [kind, name, company] of [
    ["emoji", "Zoë 👩‍👩‍👧‍👦 🌉", "🏗️ & Søn"],
    ["a name that is written from right to left", "محمد بن عبد الله", "شركة الجسور"],
    ["markup", '<img src=x onerror="document.title=1">', "</textarea><script>document.title=1</script>"],
  ]) {
    it(`${kind}, and stores it as it is`, () =>
      open(async (page, { complaints }) => {
        const email = `hostile.${kind.length}@example.com`;
        await choose(page, own, all[0]);
        await field(page, own.company).fill(company);
        await field(page, own.position).fill(name);
        await contact(page, own, { name, email });
        await arrives(page, project);
        assert.deepEqual(await page.locator(".form-steps__answer dd").allTextContents(), [name, email]);
        await labeled(page, own.your_request).fill(`${name}\n\n${company}`);
        await solve(page, own);
        await button(page, own.submit).click();
        await arrives(page, success);
        const [lead] = await leadsOf(email);
        assert.deepEqual([lead.name, lead.company], [name, company]);
        assert.ok(lead.message.endsWith(`\n\n${name}\n\n${company}`), lead.message);
        const [title] = (await page.title()).split(" · ");
        assert.deepEqual([title, await overflow(page), complaints], [success.title.replace(/\.$/, ""), 0, []]);
      }));
  }

  it("no response at all for an error, and the next attempt as the same lead", () => {
    const email = "silent@example.com";
    const keys = [];
    const late = gate();
    return open(
      async (page) => {
        await toSubmit(page, own, all[0], { email });
        await Promise.all([page.waitForRequest(API), button(page, own.submit).click()]);
        // The time limit of a request.
        await page.clock.fastForward(30_000);
        await page.getByRole("alert").getByText(own.network_error).waitFor();
        late.open();
        await again(page);
        await arrives(page, success);
        assert.deepEqual([keys.length, new Set(keys).size, (await leadsOf(email)).length], [2, 1, 1]);
      },
      async (page) => {
        await page.clock.install();
        await page.route(API, async (route) => {
          keys.push(route.request().headers()["idempotency-key"]);
          if (keys.length === 1) await late.opened;
          await route.continue().catch(() => {});
        });
      },
    );
  });

  // The lead has arrived when the visitor goes, and its answer finds nobody.
  for (const [way, leave] of /** @type {[string, (page: any) => Promise<any>][]} */ ([
    ["leave for another page", (page) => page.goto(`${site.origin}/privacy/`).then(() => page.goBack())],
    ["reload", (page) => page.reload()],
  ])) {
    it(`visitors who ${way} while it is sent: what they typed is there, and sent again it is the same lead`, () => {
      const email = `${way.length}.gone@example.com`;
      let requests = 0;
      const [arrived, left] = [gate(), gate()];
      return open(
        async (page, { complaints }) => {
          await toSubmit(page, own, all[0], { email });
          await button(page, own.submit).click();
          await arrived.opened;
          await leave(page);
          left.open();
          await hydrated(page);
          await arrives(page, project);
          assert.equal(await page.getByRole("alert").count(), 0);
          await page.evaluate(() => history.back());
          await arrives(page, own.form.steps.contact);
          assert.equal(await field(page, own.email).inputValue(), email);
          await button(page, own.continue_action).click();
          await solve(page, own);
          await button(page, own.submit).click();
          await arrives(page, success);
          assert.deepEqual([requests, (await leadsOf(email)).length], [2, 1]);
          assert.deepEqual(
            complaints.filter((complaint) => !complaint.includes("/api/leads")),
            [],
          );
        },
        (page) =>
          page.route(API, async (route) => {
            requests += 1;
            if (requests > 1) return route.continue();
            const response = await route.fetch();
            arrived.open();
            await left.opened;
            return route.fulfill({ response }).catch(() => {});
          }),
      );
    });
  }
});
