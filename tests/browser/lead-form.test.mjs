// Browser tests of the lead form with the API of `sitegen serve` and its mock captcha: all steps in both languages,
// each service and fragment, errors, reloads, history navigation, keyboard, and no JavaScript.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import axe from "axe-core";
import { shiftsOf, watchShifts } from "./checks.mjs";
import {
  API,
  all,
  arrives,
  button,
  card,
  choose,
  contact,
  FORMS,
  field,
  hasFocus,
  hydrated,
  reaches,
  solve,
  startForms,
  step,
  toSubmit,
  words,
} from "./lead-form.mjs";
import { DESKTOP, gate, openBrowser, PHONE, settings, stopTime, TABLET, visit } from "./site.mjs";

const site = await startForms();
const { stored } = site;
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/**
 * Opens the form of a language and waits until it is hydrated. `answer` mocks the API.
 * @param {string} code @param {(page: any, own: any, seen: any) => Promise<any>} look
 * @param {{ hash?: string, answer?: (route: any) => any, viewport?: { width: number, height: number }, prepare?: (page: any) => any }} options
 */
const open = (code, look, { hash = "", answer, ...options } = {}) =>
  visit(
    browser,
    site.origin + FORMS[code] + hash,
    answer ? { ...options, prepare: (page) => page.route(API, answer) } : options,
    async (page, rest) => {
      await hydrated(page);
      await look(page, words[code], rest);
    },
  );

/** Waits until the page has not been scrolled for ten frames. @param {any} page */
const atRest = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let [same, last] = [0, scrollY]; same < 10; last = scrollY) {
      await frame();
      same = scrollY === last ? same + 1 : 0;
    }
  });

/** A tab with a history of its own: browsers keep 50 entries. */
const NEW_TAB = { prepare: () => {} };

for (const code of Object.keys(FORMS)) {
  describe(`the form, ${code}`, { concurrency: 2 }, () => {
    it("can be completed in all steps", () =>
      open(code, async (page, own, { complaints }) => {
        await choose(
          page,
          own,
          all.find(({ id }) => id === "workflow-automation"),
        );
        assert.equal(new URL(page.url()).hash, "#operations-automation");
        assert.equal(await field(page, own.position).count(), 0, "no position without a company");
        await field(page, own.name).fill("  Ana Pérez ");
        await field(page, own.company).fill("Molino S.A.");
        await field(page, own.position).fill("CTO");
        await field(page, own.email).fill(`ana.${code}@example.com`);
        await field(page, own.phone).fill("+57 602 555 0100");
        await button(page, own.continue_action).click();
        assert.equal(await step(page), own.form.steps.project.title);
        assert.equal(await field(page, own.app_name).count(), 0, "no details without an application");
        const icons = page.locator(".form-steps__cards .form__card--chosen > .icon");
        assert.deepEqual(await Promise.all((await icons.all()).map((icon) => icon.isVisible())), [true, true], "what was chosen");
        await page.getByLabel(own.has_app_yes, { exact: true }).check();
        await field(page, own.app_name.replace("?", "\\?")).fill("Aspas");
        await page.getByLabel(own.app_type).selectOption("platform");
        await page.getByLabel(own.app_description).fill("Gira.\nDespacio.");
        const words = field(page, own.your_request.replace("?", "\\?"));
        const { height } = await words.boundingBox();
        await words.fill("Llamen.\n".repeat(8));
        assert.ok((await words.boundingBox()).height > height, "the field grows with a long answer");
        await words.fill(" Llamen después de las seis. ");
        await solve(page, own);
        const request = page.waitForRequest(API);
        await button(page, own.submit).click();
        const sent = JSON.parse((await request).postData());
        assert.deepEqual(Object.keys(sent).sort(), [
          "appDescription",
          "appName",
          "appType",
          "company",
          "email",
          "message",
          "name",
          "phone",
          "projectType",
          "recaptchaToken",
        ]);
        assert.ok(sent.message.endsWith("\n\nLlamen después de las seis."), sent.message);
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
        assert.equal(await button(page, own.submit_another_request).count(), 1);
        assert.deepEqual(complaints, []);
      }));

    it("offers each service below its choice", () =>
      open(code, async (page, own) => {
        assert.ok(all.length > 5);
        for (const { id, choice, hashes, has_details_page } of all) {
          const text = own.form.services[id];
          await card(page, own.form.choices[choice].title).click();
          await reaches(page, own.form.steps.service);
          await card(page, text.title).click();
          await page.getByText(own.we_recommend.replace("{service}", text.title)).waitFor();
          await page.getByText(text.description).waitFor();
          assert.equal(await page.getByRole("link", { name: own.view_more_details }).count(), has_details_page ? 1 : 0, id);
          assert.equal(new URL(page.url()).hash, hashes ? `#${hashes[0]}` : "", id);
          await button(page, own.back).click();
          await reaches(page, own.form.steps.choice);
        }
      }));

    for (const service of all) {
      for (const hash of service.hashes ?? []) {
        it(`opens at #${hash} with ${service.id}, and nothing moves when the form wakes`, () => {
          const script = gate();
          const hold = (page) =>
            page.route(/\/hydrate-island-\w+\.js$/, async (route) => {
              await script.opened;
              await route.continue();
            });
          const viewport = code === "en" ? DESKTOP : TABLET;
          return visit(browser, `${site.origin}${FORMS[code]}#${hash}`, { viewport, prepare: hold }, async (page) => {
            const own = words[code];
            await watchShifts(page);
            script.open();
            await hydrated(page);
            await page.getByText(own.we_recommend.replace("{service}", own.form.services[service.id].title)).waitFor();
            assert.equal(await step(page), own.form.steps.service.title);
            const { sum, moved } = await shiftsOf(page);
            assert.ok(sum < 0.001, `the page moved by ${sum}: ${moved}`);
          });
        });
      }
    }

    it("shows missing values at their fields and in a summary", () =>
      open(code, async (page, own) => {
        await choose(page, own, all[0]);
        for (const label of [own.name, own.company, own.email, own.phone]) await field(page, label).focus();
        assert.equal(
          await page.locator(".form__field .form__error:not([hidden])").count(),
          0,
          "nothing is wrong before the visitor continues",
        );
        await button(page, own.continue_action).click();
        const summary = page.locator(".form__summary");
        assert.deepEqual(await summary.getByRole("link").allTextContents(), [own.enter_name, own.enter_contact]);
        assert.ok(await summary.evaluate((element) => element === document.activeElement));
        await summary.getByRole("link", { name: own.enter_name }).click();
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "name");
        assert.equal(await field(page, own.name).getAttribute("aria-invalid"), "true");
        await field(page, own.phone).fill("602 555 0100");
        assert.equal(await page.getByText(own.enter_contact).count(), 1, "only the summary keeps it, until the next attempt");
        await field(page, own.phone).fill("");
        await field(page, own.name).fill("Ana");
        await field(page, own.email).fill("no address");
        await button(page, own.continue_action).click();
        assert.deepEqual(await summary.getByRole("link").allTextContents(), [own.enter_valid_email]);
        await field(page, own.email).fill("");
        await field(page, own.phone).fill("602 555 0100");
        await button(page, own.continue_action).click();
        assert.equal(await step(page), own.form.steps.project.title);
      }));

    // What is said of which answer: react/islands/form-steps/form-steps.test.tsx.
    it("shows the error of the server in a panel that moves nothing", () => {
      const error = "La razón / the reason";
      const answer = { status: 422, json: { success: false, error, code: "too_long", field: "name" } };
      return open(
        code,
        async (page, own) => {
          await toSubmit(page, own);
          const place = () => document.querySelector(".form-steps__submit").getBoundingClientRect().top + scrollY;
          const before = await page.evaluate(place);
          await button(page, own.submit).click();
          await page.getByRole("alert").getByText(error).waitFor();
          assert.equal(await page.getByRole("heading", { name: own.submission_failed }).count(), 1);
          assert.ok(await button(page, own.submit).isDisabled(), "nothing is sent while an error shows");
          assert.ok(await hasFocus(page), "after an error");
          assert.equal(await page.evaluate(place), before, "the panel moves no button");
          await button(page, own.try_again).click();
          assert.equal(await page.getByRole("alert").count(), 0);
          assert.equal(await page.evaluate(() => document.activeElement?.textContent), own.submit);
        },
        { answer: (route) => route.fulfill(answer) },
      );
    });
  });
}

describe("the form", { concurrency: 2 }, () => {
  it("sends a lead once after a double click, and retries it with the same key", async () => {
    const keys = [];
    await open(
      "en",
      async (page, own) => {
        await toSubmit(page, own);
        await button(page, own.submit).dblclick();
        await page.getByRole("heading", { name: own.submission_failed }).waitFor();
        assert.equal(keys.length, 1);
        await button(page, own.try_again).click();
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.submission_failed }).waitFor();
        assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
      },
      {
        answer: (route) => {
          keys.push(route.request().headers()["idempotency-key"]);
          return route.abort();
        },
      },
    );
  });

  it("shows that it is submitting, and cannot be submitted again in the meantime", async () => {
    const { opened, open: release } = gate();
    await open(
      "es",
      async (page, own) => {
        await toSubmit(page, own);
        await button(page, own.submit).click();
        assert.ok(await page.getByRole("button", { name: own.submitting }).isDisabled());
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), own.submitting, "the focus stays on Submit");
        await page.evaluate(() => history.back());
        await button(page, own.back).press("Enter");
        assert.equal(await step(page), own.form.steps.project.title, "nothing changes while it is sent");
        release();
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
      },
      { answer: (route) => opened.then(() => route.continue()) },
    );
  });

  it("keeps input after a reload in each step, and is empty after success", () =>
    open("en", async (page, own) => {
      const service = all.find(({ hashes }) => !hashes);
      await card(page, own.form.choices[service.choice].title).click();
      await page.reload();
      await hydrated(page);
      assert.equal(await step(page), own.form.steps.service.title);
      await card(page, own.form.services[service.id].title).click();
      await button(page, own.continue_action).click();
      await field(page, own.name).fill("Ana");
      await field(page, own.email).fill("ana@example.com");
      await page.reload();
      await hydrated(page);
      assert.equal(await step(page), own.form.steps.contact.title);
      assert.equal(await field(page, own.name).inputValue(), "Ana");
      await button(page, own.continue_action).click();
      await page.goto(`${site.origin}/`);
      await page.goto(site.origin + FORMS.en);
      await hydrated(page);
      assert.equal(await step(page), own.form.steps.project.title);
      assert.ok(!page.url().includes("ana"));
      await solve(page, own);
      await button(page, own.submit).click();
      await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
      await page.reload();
      await hydrated(page);
      assert.equal(await step(page), own.form.steps.choice.title);
    }));

  for (const isPressing of [false, true]) {
    it(`scrolls to the next step${isPressing ? " unless the visitor is already pressing something" : ""}`, () =>
      open(
        "en",
        async (page, own) => {
          await stopTime(page);
          await page.locator(".form-steps__buttons .form__card").first().click();
          await arrives(page, own.form.steps.service);
          const before = await page.evaluate(() => scrollY);
          if (isPressing) await page.locator("body").dispatchEvent("pointerdown");
          await page.clock.runFor(600);
          const place = await page.evaluate(() => scrollY);
          assert.equal(place !== before, !isPressing);
        },
        { prepare: (page) => page.clock.install() },
      ));
  }

  it("stands still while a visitor presses something", () =>
    open(
      "en",
      async (page, own) => {
        await page.evaluate(() => {
          Object.assign(globalThis, { scrolls: new Promise((done) => addEventListener("scroll", done, { once: true })) });
          addEventListener("pointerdown", () => Object.assign(globalThis, { pressedAt: scrollY }), true);
        });
        // Without a pointer, which would stop it already.
        await page
          .locator(".form-steps__buttons .form__card")
          .first()
          .evaluate((choice) => choice.click());
        await arrives(page, own.form.steps.service);
        await page.evaluate(() => globalThis.scrolls);
        await page.mouse.down();
        await atRest(page);
        const [pressed, now] = await page.evaluate(() => [globalThis.pressedAt, scrollY]);
        // A busy browser is some frames ahead of what the page knows.
        assert.ok(Math.abs(now - pressed) < 100, `pressed at ${pressed}, and scrolled to ${now}`);
      },
      { viewport: PHONE, prepare: (page) => page.emulateMedia({ reducedMotion: "no-preference" }) },
    ));

  it("selects the service in the fragment, and keeps contact details", () =>
    open("en", async (page, own) => {
      await choose(
        page,
        own,
        all.find(({ hashes }) => !hashes),
      );
      await field(page, own.name).fill("Ana");
      await page.goto("about:blank");
      await page.goto(`${site.origin}${FORMS.en}#seo-services`);
      await hydrated(page);
      await page.getByText(own.we_recommend.replace("{service}", own.form.services["seo-services"].title)).waitFor();
      await button(page, own.continue_action).click();
      assert.equal(await field(page, own.name).inputValue(), "Ana");
    }));

  it("keeps the drafts of two languages apart", () =>
    open("en", async (page, own) => {
      await choose(page, own, all[0]);
      await page.goto(site.origin + FORMS.es);
      await hydrated(page);
      assert.equal(await step(page), words.es.form.steps.choice.title);
    }));

  it("goes back one step by history navigation and by its own button", () =>
    open(
      "en",
      async (page, own) => {
        const { choice, service, contact: third, project } = own.form.steps;
        const entries = () => page.evaluate(() => history.length);
        const before = await entries();
        await choose(page, own, all[0]);
        await contact(page, own);
        await arrives(page, project);
        assert.equal(await entries(), before + 3, "each step is one entry");
        await page.goBack();
        await arrives(page, third);
        assert.equal(await field(page, own.name).inputValue(), "Ana Pérez");
        await page.goForward();
        for (const title of [project, third, service]) {
          await arrives(page, title);
          assert.ok(await hasFocus(page), title.title);
          await button(page, own.back).click();
        }
        await arrives(page, choice);
        assert.equal(await entries(), before + 3, "a step back adds none");
        await card(page, own.form.choices.advice.title).click();
        await arrives(page, service);
        assert.equal(await page.locator(".form__preview").count(), 0, "another choice forgets the service");
      },
      NEW_TAB,
    ));

  it("goes back one step after a reload, a detour and a restored draft", () =>
    open(
      "en",
      async (page, own) => {
        const { choice, service, contact: third, project } = own.form.steps;
        const again = () => page.reload().then(() => hydrated(page));
        await choose(page, own, all[0]);
        await contact(page, own);
        await arrives(page, project);
        await again();
        await page.goBack();
        await arrives(page, third);
        await again();
        await button(page, own.back).click();
        await arrives(page, service);
        await page.goForward();
        await arrives(page, third);
        await page.goto(`${site.origin}/privacy/`);
        await page.goBack();
        await hydrated(page);
        await arrives(page, third);
        await page.goBack();
        await arrives(page, service);
        await page.goForward();
        await arrives(page, third);
        await button(page, own.continue_action).click();
        await arrives(page, project);
        // The link of the header, not the history.
        await page.goto(site.origin + FORMS.en);
        await hydrated(page);
        for (const title of [project, third, service]) {
          await arrives(page, title);
          await page.goBack();
        }
        await arrives(page, choice);
        for (const title of [service, third, project]) {
          await page.goForward();
          await arrives(page, title);
        }
        // A fragment of the page itself is an entry, too.
        await page.evaluate(() => (location.hash = "#main"));
        await button(page, own.back).click();
        await arrives(page, third);
        // Both before the browser has navigated.
        await button(page, own.back).evaluate((back) => {
          back.click();
          back.click();
        });
        await arrives(page, choice);
      },
      NEW_TAB,
    ));

  it("does not pass the contact rule by history navigation, and keeps no captcha", () =>
    open(
      "en",
      async (page, own) => {
        const { contact: third, project, success } = own.form.steps;
        // Goes forward, and waits until the form has gone back.
        const there = () =>
          new Promise((resolve) => {
            let times = 0;
            addEventListener("popstate", () => {
              times += 1;
              if (times === 2) setTimeout(resolve);
            });
            history.forward();
          });
        await toSubmit(page, own);
        await button(page, own.back).click();
        await arrives(page, third);
        await field(page, own.email).fill("");
        await page.evaluate(there);
        assert.deepEqual([await page.evaluate(() => history.state["form-lead"]), await step(page)], [3, third.title]);
        await field(page, own.phone).fill("602 555 0100");
        await page.goForward();
        await arrives(page, project);
        assert.ok(await button(page, own.submit).isDisabled(), "the captcha is not solved");
        assert.equal(await page.locator(".form__widget input").isChecked(), false);
        // Who presses it all the same hears why nothing is sent, and is led to the captcha.
        await button(page, own.submit).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("alert").filter({ hasText: own.lead_error_captcha_required }).waitFor();
        const place = await page.evaluate(() => document.activeElement?.querySelector(".form__captcha") !== null);
        assert.ok(place, "the focus is at the captcha");
        await solve(page, own);
        await button(page, own.submit).click();
        await arrives(page, success);
        assert.ok(await hasFocus(page));
        await page.waitForFunction(() => history.state["form-lead"] === 1 && location.hash === "");
        await page.evaluate(there);
        assert.deepEqual(
          [await page.evaluate(() => history.state["form-lead"]), await step(page)],
          [1, success.title],
          "what is sent stays sent",
        );
        await page.goBack();
        assert.equal(page.url(), "about:blank", "Back leaves the page");
      },
      NEW_TAB,
    ));

  it("shows other ways to contact the company if the captcha is blocked", () =>
    visit(
      browser,
      site.origin + FORMS.en,
      { prepare: (page) => page.route("**/api/captcha/**", (route) => route.abort()) },
      async (page) => {
        await hydrated(page);
        await choose(page, words.en, all[0]);
        await contact(page, words.en);
        await page.getByText(words.en.captcha_blocked).waitFor();
        assert.equal(await page.getByRole("link", { name: settings.company.email }).last().isVisible(), true);
        assert.ok(await button(page, words.en.submit).isDisabled());
      },
    ));

  it("can be completed with only the keyboard", () =>
    open("en", async (page, own) => {
      const press = async (name) => {
        await page.getByRole("button", { name }).first().focus();
        await page.keyboard.press("Enter");
      };
      await press(own.form.choices.help.title);
      assert.equal(
        await page.evaluate(() => document.activeElement.textContent),
        own.form.steps.service.title,
        "the heading takes the focus",
      );
      await press(own.form.services["maintenance-plans"].title);
      await press(own.continue_action);
      await page.keyboard.press("Tab");
      await page.keyboard.type("Ana");
      await field(page, own.email).focus();
      await page.keyboard.type("ana@example.com");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: own.form.steps.project.title }).waitFor();
      await page.locator(".form__widget input").focus();
      await page.keyboard.press("Space");
      await page.locator(".form-steps__submit:not([aria-disabled=true])").waitFor();
      await page.locator(".form-steps__submit").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
    }));

  it("is accessible in each step, and fits at a width of 320 pixels and at double text size", () =>
    open(
      "es",
      async (page, own) => {
        const look = async (where) => {
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          assert.deepEqual(
            violations.map(({ id, nodes }) => [id, nodes[0].html]),
            [],
            where,
          );
          const cut = await page.evaluate(() => {
            if (document.documentElement.scrollWidth <= innerWidth) return [];
            const all = [...document.querySelectorAll("main *")];
            return all
              .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
              .map((element) => element.className || element.tagName);
          });
          assert.deepEqual(cut, [], `${where}: nothing is cut off`);
        };
        await page.evaluate(axe.source);
        await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
        await look("choice");
        await card(page, own.form.choices.help.title).click();
        await card(page, own.form.services["seo-services"].title).click();
        await look("service");
        await button(page, own.continue_action).click();
        await button(page, own.continue_action).click();
        await look("contact with errors");
        await contact(page, own);
        await page.getByLabel(own.has_app_yes, { exact: true }).check();
        await solve(page, own);
        await look("project");
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
        await look("success");
      },
      { viewport: { width: 320, height: 640 } },
    ));

  for (const code of Object.keys(FORMS)) {
    it(`is one plain form without JavaScript, ${code}`, () =>
      visit(browser, site.origin + FORMS[code], { script: false }, async (page) => {
        const form = page.locator("form[data-lead-form]");
        assert.ok(await form.isVisible());
        assert.equal(await page.locator(".form-steps__progress").isVisible(), false);
        await form.locator("[name=name]").fill("Ana");
        await form.locator("[name=appDescription]").fill("Gira.");
        await form.locator("button[type=submit]").click();
        assert.equal(
          await page.locator("form[data-lead-form] [name=appDescription]").inputValue(),
          "Gira.",
          "what was typed is kept",
        );
        const wrong = page.locator("form[data-lead-form] [data-error]:visible");
        assert.ok((await wrong.allTextContents()).join("").length > 0, "it says what is wrong");
        await page.locator("form[data-lead-form] [name=email]").fill(`plain.${code}@example.com`);
        await page.locator("form[data-lead-form] button[type=submit]").click();
        await page
          .getByRole("heading", {
            level: 1,
            name: code === "es" ? "Gracias. Recibimos tu solicitud." : "Thank you. We’ve received your request.",
          })
          .waitFor();
      }));
  }
});

// Runs after all tests above.
it("all leads are stored, with the submitted values", async () => {
  const list = await stored();
  const of = (email) => list.filter((lead) => lead.email === email);
  for (const code of Object.keys(FORMS)) {
    const [lead] = of(`ana.${code}@example.com`);
    assert.deepEqual(
      [lead.name, lead.company, lead.phone, lead.appName, lead.appType, lead.appDescription],
      ["Ana Pérez", "Molino S.A.", "+57 602 555 0100", "Aspas", "platform", "Gira.\nDespacio."],
    );
    assert.equal(lead.projectType, words[code].form.services["workflow-automation"].title);
    assert.ok(lead.message.includes("CTO"));
    assert.equal(of(`plain.${code}@example.com`).length, 1);
  }
});
