// Helpers for tests of the lead form: its paths and texts, and functions that complete each step.

import { join } from "node:path";
import { buildSite, content, locales, named, ROOT, serveWith, settings, sitegen, temporaryFolder } from "./site.mjs";

/** Paths of the form by language. */
export const FORMS = { en: named("/get-{product.slug}/"), es: named("/es/obtener-{product.slug}/") };
export const API = "**/api/leads";

const form = content("forms/lead/form.yaml");

/** All services, each with the choice that it belongs to, its anchors, and whether the form links to its page. */
export const all = Object.entries(form.fields.service.choices_by.reason).flatMap(([choice, services]) =>
  services.map((id) => ({
    id,
    choice,
    hashes: form.fields.service.anchors[id],
    has_details_page: content("forms/lead/en.yaml").fields.service.previews[id].includes("](page:"),
  })),
);

/** The words of the form, by what the tests ask for. */
function wordsOf(code) {
  const { fields, steps, success, submit } = content(`forms/lead/${code}.yaml`);
  const { service, reason } = fields;
  const [choice, second, contact, project] = steps;
  const ids = all.map(({ id }) => id);
  const [, more] = /\[(.+)\]\(page:/.exec(service.previews[ids[0]]) ?? [];
  return {
    name: fields.name.label,
    company: fields.company.label,
    position: fields.position.label,
    email: fields.email.label.replace(" *", ""),
    phone: fields.phone.label,
    has_app_yes: fields.has_app.choices.yes,
    app_name: fields.app_name.label,
    app_type: fields.app_type.label,
    app_description: fields.app_description.label,
    your_request: fields.message.label,
    enter_name: fields.name.mistakes.required,
    enter_contact: fields.email.mistakes.one_required,
    enter_valid_email: fields.email.mistakes.invalid_email,
    we_recommend: service.chosen.replace("{choice}", "{service}"),
    view_more_details: more,
    submit,
    submit_another_request: success.again,
    form: {
      choices: Object.fromEntries(form.fields.reason.choices.map((id) => [id, { title: reason.choices[id] }])),
      services: Object.fromEntries(
        ids.map((id) => [id, { title: service.choices[id], description: service.previews[id].split("\n")[0] }]),
      ),
      steps: { choice, service: second, contact, project, success },
    },
  };
}

/** Interface texts by language. Those of the form are in `form`. */
export const words = Object.fromEntries(settings.locales.map((code) => [code, { ...locales[code].messages, ...wordsOf(code) }]));

/** Whether an element has the focus, and not the page as a whole. */
export const hasFocus = (page) => page.evaluate(() => document.activeElement !== document.body);

/** Serves the site without rate limits for leads. `stored()` returns all leads, newest first. */
export async function startForms() {
  const [folder, built] = await Promise.all([temporaryFolder(), buildSite()]);
  const leads = join(folder.path, "leads.sqlite3");
  const limits = { LEADS_STORE: leads, LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" };
  const server = await serveWith(limits, "--no-watch", "--leads-from-environment", "--root", ROOT, "--out", built.out);
  return {
    origin: server.origin,
    stored: () => storedIn(leads),
    stop: async () => {
      await server.stop();
      await Promise.all([folder.remove(), built.remove()]);
    },
  };
}

/** The leads in a store, newest first. */
export const storedIn = async (leads) =>
  JSON.parse((await sitegen("leads", "list", "--format", "json", "--root", ROOT, "--store", leads)).stdout || "[]");

const FORM = "form[data-lead-form]";
const TITLE = ".form-steps__title:visible, .form__done-title:visible";

/** Waits until the form is hydrated. */
export const hydrated = (page) => page.locator(`${FORM} .form-steps[data-steps=shown]`).waitFor();
export const step = (page) => page.locator(TITLE).textContent();
export const card = (page, title) =>
  page.locator(".form-steps__step:not([hidden]) .form__card", { has: page.getByText(title, { exact: true }) });
/** Waits until a step is the current one. */
export const arrives = (page, { title }) => page.locator(TITLE, { hasText: title }).waitFor();
/** Waits until the page has been scrolled to a step, so that a pointer finds what it aims at. */
export const reaches = (page, { title }) =>
  page.locator(".form-steps__title[data-reached]:visible", { hasText: title }).waitFor();
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const field = (page, label) => page.locator(".form-steps__step:not([hidden])").getByLabel(new RegExp(`^${label}`));

export const choose = async (page, own, { choice, id }) => {
  await card(page, own.form.choices[choice].title).click();
  await card(page, own.form.services[id].title).click();
  await button(page, own.continue_action).click();
};
export const contact = async (page, own, { name = "Ana Pérez", email = "ana@example.com" } = {}) => {
  await field(page, own.name).fill(name);
  await field(page, own.email).fill(email);
  await button(page, own.continue_action).click();
};
export const solve = async (page, own) => {
  await page.locator(".form__widget input").check();
  await page.locator(".form-steps__submit:not([aria-disabled=true])", { hasText: own.submit }).waitFor();
};
export const toSubmit = async (page, own, service = all[0], who = {}) => {
  await choose(page, own, service);
  await contact(page, own, who);
  await solve(page, own);
};
