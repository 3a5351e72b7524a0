// Helpers for tests of the lead form: its paths and texts, and functions that complete each step.

import { content, locales, named, ROOT, serve, settings, sitegen, temporaryFolder } from "./site.mjs";

/** Paths of the form by language. */
export const FORMS = { en: named("/get-{product.slug}/"), es: named("/es/obtener-{product.slug}/") };
export const API = "**/api/leads";

/** All services, each with the choice that it belongs to. */
export const all = content("lead-form/services.yaml").choices.flatMap((choice) =>
  choice.services.map((service) => ({ ...service, choice: choice.id })),
);

/** Interface texts by language. Those of the form are in `form`. */
export const words = Object.fromEntries(
  settings.locales.map((code) => [code, { ...locales[code].messages, form: content(`lead-form/${code}.yaml`) }]),
);

/** Whether an element has the focus, and not the page as a whole. */
export const hasFocus = (page) => page.evaluate(() => document.activeElement !== document.body);

/** Serves the site without rate limits for leads. `stored()` returns all leads, newest first. */
export async function startForms() {
  const folder = await temporaryFolder();
  const out = `${folder.path}/dist`;
  const leads = `${folder.path}/leads.sqlite3`;
  Object.assign(process.env, { LEADS_STORE: leads, LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" });
  const built = await sitegen("build", "--root", ROOT, "--out", out);
  if (built.code !== 0) throw new Error(`sitegen build: status ${built.code}\n${built.stderr}`);
  const server = await serve("--no-watch", "--leads-from-environment", "--root", ROOT, "--out", out);
  return {
    origin: server.origin,
    stored: () => storedIn(leads),
    stop: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}

/** The leads in a store, newest first. */
export const storedIn = async (leads) =>
  JSON.parse((await sitegen("leads", "list", "--format", "json", "--root", ROOT, "--store", leads)).stdout || "[]");

/** Waits until the form is hydrated. */
export const hydrated = (page) => page.locator(".lead-form[data-hydrated]").waitFor();
export const step = (page) => page.locator(".lead-form__title").textContent();
export const card = (page, title) =>
  page.locator(".lead-form__step:not(.lead-form__step--done) .lead-card", { has: page.getByText(title, { exact: true }) });
/** Waits until a step is the current one. */
export const arrives = (page, { title }) => page.locator(".lead-form__title", { hasText: title }).waitFor();
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const field = (page, label) => page.locator(".lead-form__step").getByLabel(new RegExp(`^${label}`));

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
  await page.locator(".lead-form__widget input").check();
  await page.locator(".lead-form__step button[type=submit]:not([aria-disabled=true])", { hasText: own.submit }).waitFor();
};
export const toSubmit = async (page, own, service = all[0], who = {}) => {
  await choose(page, own, service);
  await contact(page, own, who);
  await solve(page, own);
};
