// Browser tests of what a visitor of a form has in sight: what a choice opens, where a link to a choice leads, why a button waits,
// the end of the form, and what is left of it if a part of its script cannot be loaded.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { AXE, findBarriers } from "./checks.mjs";
import {
  all,
  arrives,
  button,
  card,
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
import {
  DESKTOP,
  openBrowser,
  openForLong,
  PHONE,
  ROOT,
  ready,
  serve,
  settings,
  sitegen,
  TABLET,
  temporaryFolder,
  visit,
} from "./site.mjs";

const site = await startForms();
const browser = await openBrowser();
after(() => Promise.all([browser.close(), site.stop()]));

/** Waits until an element is in the viewport as a whole, below the header. */
const inSight = (locator) =>
  locator.evaluate(
    (element) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => {
          const { top, bottom } = element.getBoundingClientRect();
          reject(new Error(`${element.textContent} is at ${top} to ${bottom} of ${innerHeight}`));
        }, 5_000);
        const look = () => {
          const { top, bottom } = element.getBoundingClientRect();
          const header = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
          if (top < header || bottom > innerHeight) requestAnimationFrame(look);
          else {
            clearTimeout(limit);
            resolve(undefined);
          }
        };
        look();
      }),
  );

/** Runs in the page: the contrast of each bar of the steps that are open with the ground of the form. */
const contrastOfOpenSteps = () => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll(".form-steps__bar--open")].map((bar) => {
    const colors = [getComputedStyle(bar).borderBlockStartColor, getComputedStyle(bar.closest(".band")).backgroundColor];
    const [less, more] = colors.map(luminance).sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  });
};

describe("the steps of the form", () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"]))
    it(`that are open can be told from the ground, ${colorScheme}`, () =>
      visit(browser, site.origin + FORMS.en, { prepare: (page) => page.emulateMedia({ colorScheme }) }, async (page) => {
        const contrasts = await page.evaluate(contrastOfOpenSteps);
        assert.equal(contrasts.length, 3);
        for (const contrast of contrasts) assert.ok(contrast >= 3, `${contrast}:1`);
      }));

  for (const viewport of [PHONE, DESKTOP])
    for (const code of Object.keys(FORMS))
      it(`have words in one piece with text of twice the size, ${viewport.width} px, ${code}`, () =>
        visit(browser, site.origin + FORMS[code], { viewport }, async (page) => {
          const lines = await page.evaluate(() => {
            document.documentElement.style.fontSize = "200%";
            return [...document.querySelectorAll(".form-steps__bar")].map((bar) => {
              const range = document.createRange();
              range.selectNodeContents(bar);
              return range.getClientRects().length;
            });
          });
          assert.deepEqual(lines, [1, 1, 1, 1]);
        }));
});

for (const code of Object.keys(FORMS)) {
  for (const viewport of [PHONE, DESKTOP]) {
    describe(`a choice at ${viewport.width} px, ${code}`, () => {
      it("opens directly below its card, with what leads on, in sight, and the card stays where it was pressed", () =>
        visit(browser, site.origin + FORMS[code], { viewport }, async (page) => {
          const own = words[code];
          await hydrated(page);
          await card(page, own.form.choices.help.title).click();
          await arrives(page, own.form.steps.service);
          for (const { id, choice } of [...all, ...all].filter(({ choice }) => choice === "help")) {
            const { title } = own.form.services[id];
            await card(page, title).click();
            const opened = page.locator(".form__preview");
            await opened.getByText(own.we_recommend.replace("{service}", title)).waitFor();
            assert.equal(await opened.count(), 1, choice);
            await inSight(card(page, title));
            await inSight(button(page, own.continue_action));
            const boxes = await Promise.all([card(page, title), opened].map((one) => one.boundingBox()));
            assert.ok(Math.abs(boxes[0].y + boxes[0].height - boxes[1].y) < 8, "directly below");
            const row = await Promise.all([own.back, own.continue_action].map((name) => button(page, name).boundingBox()));
            assert.ok(row[0].y === row[1].y && row[0].x < row[1].x, "the buttons are in one row");
          }
        }));

      for (const { id, hashes } of all.filter(({ hashes }) => hashes)) {
        it(`#${hashes[0]} shows the choice and what leads on, with the focus on the heading`, () =>
          visit(browser, `${site.origin}${FORMS[code]}#${hashes[0]}`, { viewport }, async (page) => {
            const own = words[code];
            await hydrated(page);
            await inSight(card(page, own.form.services[id].title));
            await inSight(button(page, own.continue_action));
            // The heading of the step, or where there is no room for it that of what the choice has opened.
            const focused = page.locator(":focus");
            const recommended = own.we_recommend.replace("{service}", own.form.services[id].title);
            assert.ok([own.form.steps.service.title, recommended].includes(await focused.textContent()));
            await inSight(focused);
          }));
      }
    });
  }

  describe(`the end of the form, ${code}`, () => {
    it("keeps the focus, names the page and is announced, also after a link to a choice", () =>
      visit(browser, `${site.origin}${FORMS[code]}#seo-services`, {}, async (page, { complaints }) => {
        const own = words[code];
        const before = await page.title();
        await hydrated(page);
        await button(page, own.continue_action).click();
        await contact(page, own, { email: `end.${code}@example.com` });
        await solve(page, own);
        await openForLong(page);
        await button(page, own.submit).click();
        const title = page.getByRole("heading", { name: own.form.steps.success.title });
        await title.waitFor();
        await page.waitForFunction(() => history.state?.["form-lead"] === 1);
        // The browser takes the focus away after that, when it has looked at the fragment of the entry.
        await page.waitForFunction(() => location.hash === "");
        await ready(page);
        assert.ok(await title.evaluate((element) => element === document.activeElement));
        assert.ok(await title.evaluate((element) => element.closest("[role=status]") !== null));
        assert.ok((await page.title()).startsWith(own.form.steps.success.title.replace(/\.$/, "")), await page.title());
        assert.ok((await page.title()).endsWith(settings.product.name));
        // The link back comes first, and is the loud one.
        const ends = page.locator(".form__done .button");
        assert.deepEqual(await ends.evaluateAll((all) => all.map((one) => one.className.includes("primary"))), [true, false]);
        const grounds = await ends.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
        assert.deepEqual(grounds, ["rgb(240, 255, 100)", "rgba(0, 0, 0, 0)"]);
        assert.equal(await ends.last().textContent(), own.submit_another_request);
        await page.evaluate(AXE);
        assert.deepEqual(await findBarriers(page), []);
        await ends.last().click();
        await arrives(page, own.form.steps.choice);
        assert.equal(await page.title(), before);
        assert.deepEqual(complaints, []);
      }));

    it("has as much room between the captcha and the note below it as between two fields", () =>
      visit(browser, site.origin + FORMS[code], { viewport: PHONE }, async (page) => {
        const own = words[code];
        await hydrated(page);
        await choose(page, own, all[0]);
        await contact(page, own);
        await page.locator(".form__widget input").waitFor();
        const [widget, note] = await Promise.all(
          [".form__widget", ".form-steps__step:not([hidden]) .form-steps__note"].map((one) => page.locator(one).boundingBox()),
        );
        const gap = note.y - widget.y - widget.height;
        assert.ok(gap >= 16 && gap <= 24, `${gap} px`);
      }));

    it("says why the button waits", () =>
      visit(browser, site.origin + FORMS[code], {}, async (page) => {
        const own = words[code];
        await hydrated(page);
        await choose(page, own, all[0]);
        await contact(page, own);
        await arrives(page, own.form.steps.project);
        const submit = page.locator(".form-steps__submit");
        const reason = () =>
          submit.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby"))?.textContent);
        assert.equal(await reason(), own.lead_error_captcha_required);
        const top = () => submit.evaluate((element) => element.getBoundingClientRect().top + scrollY);
        const before = await top();
        await solve(page, own);
        assert.equal(await submit.getAttribute("aria-describedby"), null);
        assert.equal(await top(), before, "the button stays where it is");
      }));

    it("says above email and phone that one of them is enough", () =>
      visit(browser, site.origin + FORMS[code], { viewport: PHONE }, async (page) => {
        const own = words[code];
        await hydrated(page);
        await choose(page, own, all[0]);
        const [, , { note }] = [own.form.steps.choice, own.form.steps.service, own.form.steps.contact];
        const group = page.getByRole("group", { name: note.replace("\\*", "*") });
        const [said, email, phone] = await Promise.all(
          [group.getByText(note.replace("\\*", "*")), group.getByLabel(own.email), group.getByLabel(own.phone)].map((one) =>
            one.boundingBox(),
          ),
        );
        assert.ok(said.y < email.y && email.y < phone.y);
        // What is said is what is wrong now.
        await field(page, own.name).fill("Ana");
        await button(page, own.continue_action).click();
        const error = page.locator("[data-error=email]");
        await error.filter({ hasText: own.enter_contact }).waitFor();
        await field(page, own.email).fill("ana@");
        await error.filter({ hasText: own.enter_valid_email }).waitFor();
        await field(page, own.email).fill("ana@example.com");
        await error.waitFor({ state: "hidden" });
      }));
  });
}

/** Lets the first request for a part of the script fail. @param {RegExp} part */
const failOnce = (part) => {
  let times = 0;
  return (page) =>
    page.route(part, (route) => {
      times += 1;
      return times === 1 ? route.abort() : route.continue();
    });
};

describe("a part of the script that does not load", () => {
  it("leaves the lead form as it is, and can be loaded again", () =>
    visit(browser, site.origin + FORMS.en, { prepare: failOnce(/\/later-\w+\.js$/) }, async (page) => {
      const own = words.en;
      await card(page, own.form.choices.create.title).click();
      const alert = page.getByRole("alert").filter({ hasText: own.network_error });
      await alert.waitFor();
      await page.evaluate(AXE);
      assert.deepEqual(await findBarriers(page), []);
      assert.ok(await card(page, own.form.choices.create.title).isVisible());
      await alert.getByRole("button", { name: own.try_again }).click();
      await hydrated(page);
      // The visitor had already gone on from the choice.
      await arrives(page, own.form.steps.service);
      assert.equal(await alert.count(), 0);
      await card(page, own.form.services["build-website"].title).click();
      await button(page, own.continue_action).click();
      await arrives(page, own.form.steps.contact);
    }));

  it("shows the form of a link to a choice", () =>
    visit(browser, `${site.origin}${FORMS.en}#seo-services`, { prepare: failOnce(/\/later-\w+\.js$/) }, async (page) => {
      const own = words.en;
      const alert = page.getByRole("alert").filter({ hasText: own.network_error });
      await alert.waitFor();
      await alert.getByRole("button", { name: own.try_again }).click();
      await hydrated(page);
      await arrives(page, own.form.steps.service);
      await inSight(button(page, own.continue_action));
    }));

  it("leaves the form without its draft, if that is what it keeps", () =>
    visit(
      browser,
      site.origin + FORMS.en,
      { prepare: (page) => page.route(/\/keep-\w+\.js$/, (route) => route.abort()) },
      async (page) => {
        const own = words.en;
        await card(page, own.form.choices.create.title).click();
        await hydrated(page);
        await arrives(page, own.form.steps.service);
        assert.equal(await page.locator("sitegen-island[failed]").count(), 0);
      },
    ));

  for (const part of [/\/send-\w+\.js$/, /\/call-\w+\.js$/]) {
    it(`sends what was entered with the next press (${part.source})`, () =>
      visit(browser, site.origin + FORMS.en, { prepare: (page) => page.route(part, (route) => route.abort()) }, async (page) => {
        const own = words.en;
        await hydrated(page);
        await toSubmit(page, own, all[0], { name: "Eva", email: "again@example.com" });
        await openForLong(page);
        await button(page, own.submit).click();
        await page.getByRole("alert").getByText(own.network_error).waitFor();
        await page.unrouteAll();
        await button(page, own.try_again).click();
        await button(page, own.submit).click();
        await page.getByRole("heading", { name: own.form.steps.success.title }).waitFor();
        assert.ok((await site.stored()).some(({ email }) => email === "again@example.com"));
      }));
  }

  it("of a captcha can be loaded again, and again", async () => {
    let times = 0;
    const prepare = (page) =>
      page.route(/\/api\/captcha\/api\.js/, (route) => {
        times += 1;
        return times <= 2 ? route.abort() : route.continue();
      });
    await visit(browser, site.origin + FORMS.en, { viewport: PHONE, prepare }, async (page) => {
      const own = words.en;
      await hydrated(page);
      await card(page, own.form.choices.create.title).click();
      await arrives(page, own.form.steps.service);
      await card(page, own.form.services["build-website"].title).click();
      await button(page, own.continue_action).click();
      await arrives(page, own.form.steps.contact);
      await page.getByLabel(/^Name/).fill("Eva");
      await page.getByLabel(/^Email/).fill("eva@example.com");
      await button(page, own.continue_action).click();
      await arrives(page, own.form.steps.project);
      for (const failed of [1, 2]) {
        await button(page, own.try_again).click();
        assert.ok(times >= failed);
        // The focus stays where the captcha is, though the button has gone.
        assert.equal(await page.evaluate(() => document.activeElement?.querySelector(".form__captcha") !== null), true);
      }
      await page.locator(".form__widget input").check();
      assert.equal(times, 3);
      assert.equal(await button(page, own.try_again).count(), 0);
    });
  });

  it("leaves a form on one page as it is, and its captcha can be loaded again", async () => {
    const folder = await temporaryFolder();
    const root = join(folder.path, "acme");
    assert.equal((await sitegen("new", root, "--sample", "--no-blog")).code, 0);
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const form = join(root, "content/forms/news");
    mkdirSync(form, { recursive: true });
    writeFileSync(
      join(form, "form.yaml"),
      '{"fields": {"email": {"type": "email", "required": true}, "text": {"type": "text", "lines": 3}}}\n',
    );
    const labels = { title: "News", fields: { email: { label: "Email" }, text: { label: "Text" } }, success: { title: "Done." } };
    writeFileSync(join(form, "en.yaml"), `${JSON.stringify(labels)}\n`);
    const about = join(root, "content/pages/about/en.yaml");
    writeFileSync(about, `${readFileSync(about, "utf8").trimEnd()}\n  - {kind: form, form: news, band: white}\n`);
    process.env.LEADS_STORE = join(folder.path, "leads.sqlite3");
    const server = await serve("--no-watch", "--leads-from-environment", "--root", root);
    try {
      for (const viewport of [PHONE, TABLET]) {
        await visit(
          browser,
          `${server.origin}/about/`,
          { viewport, prepare: failOnce(/\/form-captcha-\w+\.js$/) },
          async (page) => {
            const news = page.locator("form[data-form=news]");
            await news.getByLabel("Text").fill("Three words here.");
            await news.getByLabel("Email").fill("ana@example.com");
            const alert = page.getByRole("alert").filter({ hasText: words.en.network_error });
            await alert.waitFor();
            assert.equal(await news.getByLabel("Text").inputValue(), "Three words here.");
            await alert.getByRole("button", { name: words.en.try_again }).click();
            await news.locator(".form__widget input").check();
            await page.waitForFunction(() => /** @type {any} */ (globalThis).grecaptcha.getResponse() !== "");
            await openForLong(page);
            await news.locator("[type=submit]").click();
            await news.getByRole("heading", { name: "Done." }).waitFor();
          },
        );
      }
    } finally {
      await server.stop();
      await folder.remove();
    }
  });
});
