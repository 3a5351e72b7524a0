// A day of an editor in the site of the brief, in forms alone: a dentist with a portrait in two languages, an event, a price, a
// notice for a week, the menu, and a job that is withdrawn. What the preview has built afterwards is what a build makes. The
// forms of this program are used in Chromium and in Firefox, with the keyboard alone; those of Decap in Chromium.

import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse, stringify } from "yaml";
import { CODES, prepare } from "./horizon.mjs";
import {
  asAuthor,
  copyForms,
  DESKTOP,
  openBrowser,
  openFirefox,
  ROOT,
  serve,
  sitegen,
  TIMEOUT,
  takes,
  temporaryFolder,
} from "./site.mjs";

// The cache of npm has all that is fetched.
process.env.npm_config_offline = "true";

const HORIZON = join(ROOT, "examples/dental-clinics");
const JOB = "content/jobs/dentist-berlin.yaml";
const browser = await openBrowser();
/** @type {{ path: string, remove: () => Promise<void> }} */
let folder;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {string} */
let root;
const read = (path) => readFileSync(join(root, path), "utf8");

before(async () => {
  folder = await temporaryFolder();
  root = join(folder.path, "site");
  await prepare(root);
  await copyForms(root);
  for (const name of ["jobs", "events"]) {
    cpSync(join(HORIZON, "content", name), join(root, "content", name), { recursive: true });
    cpSync(join(HORIZON, "templates/collections", name), join(root, "templates/collections", name), { recursive: true });
  }
  for (const code of CODES) {
    const [file, own] = [join(root, `content/locales/${code}.yaml`), join(HORIZON, `content/locales/${code}.yaml`)];
    const written = parse(readFileSync(file, "utf8"));
    written.messages.apply_until = parse(readFileSync(own, "utf8")).messages.apply_until;
    writeFileSync(file, stringify(written));
  }
  const settings = read("content/site.yaml");
  writeFileSync(join(root, "content/site.yaml"), settings.replace("  menu:\n", "  menu:\n    # What we do comes first.\n"));
  server = await serve("--root", root, "--editor", "none");
});
after(async () => {
  await browser.close();
  await server?.stop();
  await folder?.remove();
});

/** Waits until a page of the preview answers with a status, and with a text. It is asked for now and after each build. */
async function page(path, status, text = "") {
  const gone = AbortSignal.timeout(TIMEOUT);
  const builds = await fetch(`${server.origin}/_sitegen/live`, { signal: gone });
  let last = "";
  try {
    for await (const _ of builds.body) {
      const response = await fetch(server.origin + path, { redirect: "manual" });
      last = `${response.status}`;
      if (response.status === status && (await response.text()).includes(text)) return;
    }
  } catch (error) {
    throw new Error(`${path}: ${last} without ${text}\n${server.said().slice(-2000)}`, { cause: error });
  }
}

/** Opens a form of Decap, fills it in with `change`, and publishes it, once the form has taken the text that comes last. */
async function inForm(hash, last, change) {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
  context.setDefaultTimeout(TIMEOUT);
  await asAuthor(context, server);
  const form = await context.newPage();
  const errors = [];
  form.on("pageerror", (error) => errors.push(error.message));
  await form.goto(`${server.origin}/admin/#/collections/${hash}`);
  const login = form.getByRole("button", { name: "Login" });
  await login.or(form.getByText("Writing in")).first().waitFor();
  if (await login.isVisible()) await login.click();
  await form.getByText("Writing in").waitFor();
  await Promise.all([takes(form, last), change(form)]);
  await form.getByRole("button", { name: "Publish", exact: true }).click();
  await form.getByRole("menuitem", { name: "Publish now" }).or(form.getByText("Publish now")).first().click();
  await form.getByText("Entry saved").first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
}
/** The field of a key, the first one of several. */
const field = (form, key, at = 0) => form.locator(`[id^="${key}-field-"]`).nth(at);
/** Chooses an entry by its name. */
async function choose(form, key, name) {
  await form
    .getByLabel(new RegExp(`^${key}\\b`, "i"))
    .first()
    .click();
  await form.keyboard.type(name);
  await form.locator('[id*="-option-"]').filter({ hasText: name }).first().waitFor();
  await form.keyboard.press("Enter");
}
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("a day of an editor", () => {
  it("adds a dentist with a portrait, in two languages", async () => {
    await inForm("entries-team/new", /"alt":\s*"Eva Lind"/, async (form) => {
      await field(form, "name").fill("Dr. Eva Lind");
      await field(form, "en").fill("Dentist");
      await field(form, "es").fill("Odontóloga");
      await choose(form, "Clinics", "Horizon Madrid");
      await form.getByRole("button", { name: "Choose or upload an image" }).click();
      await form.locator("input[type=file]").first().setInputFiles(join(ROOT, "docs/new-site.jpg"));
      const choose_ = form.getByRole("button", { name: "Choose selected" });
      await choose_.click();
      await choose_.waitFor({ state: "hidden" });
      await form.getByLabel("What it shows").fill("Eva Lind");
    });
    const [name] = readdirSync(join(root, "content/team")).filter((file) => file.includes("lind"));
    const entry = parse(read(`content/team/${name}`));
    assert.deepEqual(entry.role, { en: "Dentist", es: "Odontóloga" });
    assert.deepEqual([entry.clinics, entry.portrait], [["madrid"], { src: "uploads/new-site.jpg", alt: "Eva Lind" }]);
    const slug = name.replace(".yaml", "");
    await page(`/team/${slug}/`, 200, "Dr. Eva Lind");
    await page(`/es/equipo/${slug}/`, 200, "Odontóloga");
  });

  it("plans an event", async () => {
    await inForm("entries-events/new", /"madrid"/, async (form) => {
      for (const [at, words] of [["Night of teeth", "Come late."]].entries()) {
        await field(form, "en", at).fill(words[0]);
        await field(form, "en", at + 1).fill(words[1]);
      }
      await field(form, "date").fill("2035-06-01T19:00");
      await choose(form, "Clinic", "Horizon Madrid");
    });
    const event = parse(read("content/events/night-of-teeth.yaml"));
    assert.deepEqual([event.title.en, event.date, event.clinic], ["Night of teeth", "2035-06-01T19:00", "madrid"]);
  });

  it("corrects a price, and nothing else in the file", async () => {
    const old = read("content/treatments/crowns.yaml");
    await inForm("entries-treatments/entries/crowns", /520 EUR/, (form) => field(form, "price").fill("520 EUR"));
    assert.equal(read("content/treatments/crowns.yaml"), old.replace("480 EUR", "520 EUR"));
    await page("/treatments/crowns/", 200, "520");
  });

  it("puts up a notice for a week", async () => {
    await inForm("entries-notices/new", new RegExp(day(7)), async (form) => {
      await field(form, "en").fill("We move on Friday.");
      await field(form, "from").fill(day(0));
      await field(form, "until").fill(day(7));
    });
    const [name] = readdirSync(join(root, "content/notices")).filter((file) =>
      read(`content/notices/${file}`).includes("Friday"),
    );
    const notice = parse(read(`content/notices/${name}`));
    assert.deepEqual([notice.from, notice.until], [day(0), day(7)]);
    await page("/", 200, "We move on Friday.");
  });

  it("moves an entry of the menu with the keyboard alone", async () => {
    const old = read("content/site.yaml");
    const context = await browser.newContext({ viewport: DESKTOP });
    await asAuthor(context, server);
    const form = await context.newPage();
    form.setDefaultTimeout(TIMEOUT);
    await form.goto(`${server.origin}/admin/menu/`);
    await form.locator("#header-entries li").first().waitFor();
    await movesDown({
      press: (key) => form.keyboard.press(key),
      focused: () =>
        form.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent),
      told: (text) => form.locator("#status").filter({ hasText: text }).waitFor(),
    });
    await context.close();
    checkMenu(old);
  });

  it("withdraws a job with the keyboard alone, in Firefox, and moves the menu back there", async () => {
    const firefox = await openFirefox();
    try {
      const form = await firefox.newPage();
      form.setDefaultTimeout(TIMEOUT);
      await form.goto(server.address);
      const focused = () =>
        form.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
      const press = (key) => form.keyboard.press(key);
      await form.goto(`${server.origin}/admin/content/?q=dentist-berlin&language=en`);
      await form.waitForSelector("#rows button");
      await tabTo({ press, focused }, /^More: /);
      await press("Enter");
      await form.waitForSelector("#actions[open]");
      await tabTo({ press, focused }, /^Withdraw$/);
      await press("Enter");
      await form.waitForFunction(() => document.querySelector("#status")?.textContent?.includes("jobs/dentist-berlin"));
      const old = read("content/site.yaml");
      await form.goto(`${server.origin}/admin/menu/`);
      await form.waitForSelector("#header-entries li");
      await movesDown({
        press,
        focused,
        told: (text) =>
          form.waitForFunction((wanted) => document.querySelector("#status")?.textContent?.includes(wanted), {}, text),
      });
      checkMenu(old);
    } finally {
      await firefox.close();
    }
    assert.match(read(JOB), new RegExp(`^closes: ${day(-1)}$`, "m"));
    await page("/jobs/dentist-berlin/", 301);
  });

  it("leaves what a build makes", async () => {
    // A copy without the caches of the preview.
    const clean = join(folder.path, "clean");
    for (const part of ["content", "templates", "static", "package.json"].filter((part) => existsSync(join(root, part)))) {
      cpSync(join(root, part), join(clean, part), { recursive: true, force: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(clean, "node_modules"));
    const out = join(clean, "dist");
    const built = await sitegen("build", "--root", clean);
    assert.equal(built.code, 0, built.stderr);
    const files = (below) =>
      readdirSync(below, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(below.length))
        .filter((path) => path.endsWith(".html") || path.endsWith(".xml"))
        .sort();
    const dist = join(root, "dist");
    assert.deepEqual(files(dist), files(out));
    for (const path of files(out)) assert.equal(readFileSync(dist + path, "utf8"), readFileSync(out + path, "utf8"), path);
  });
});

/** Presses Tab until a control with this name has the focus. */
async function tabTo({ press, focused }, name) {
  for (let stop = 0; stop < 200; stop += 1) {
    if (name.test(((await focused()) ?? "").trim())) return;
    await press("Tab");
  }
  assert.fail(`no control ${name} is reached with Tab`);
}

/** Moves the first entry of the menu down, and saves. The focus stays on its button. */
async function movesDown({ press, focused, told }) {
  await tabTo({ press, focused }, /^Move .* down$/);
  const name = await focused();
  await press("Enter");
  await told("is now number 2");
  assert.equal(await focused(), name);
  await tabTo({ press, focused }, /^Save$/);
  await press("Enter");
  await told("Saved.");
}

/** The first two entries have changed places, with their lines and comments. */
function checkMenu(old) {
  const [before, now] = [old, read("content/site.yaml")];
  const [was, is] = [before, now].map((text) => parse(text).header.menu.map((entry) => entry.to));
  assert.deepEqual(is, [was[1], was[0], ...was.slice(2)]);
  assert.deepEqual(now.split("\n").toSorted(), before.split("\n").toSorted());
  assert.ok(now.includes("    # What we do comes first.\n"));
}
