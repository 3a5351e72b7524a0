// Browser tests of live reload in `sitegen serve`: a saved file updates the open page, and an error is shown with its
// location. The tests use a copy of the site, and wait for results instead of fixed delays.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { asAuthor, content, copySite, openBrowser, serve, TIMEOUT, temporaryFolder, words } from "./site.mjs";

const FILE = "content/pages/about/en.yaml";
const PAGE = content("pages/about/en.yaml").path;

const browser = await openBrowser();
after(() => browser.close());

/** Copies the site, serves it with file watching, and opens the edited page in the browser. */
async function edit({ broken = false } = {}, work) {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  await copySite(root);
  const file = join(root, FILE);
  const good = await readFile(file, "utf8");
  const save = (text) => writeFile(file, text);
  if (broken) await save(breakQuote(good));
  const server = await serve("--root", root, "--out", join(root, "dist"));
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT);
  try {
    await asAuthor(page.context(), server);
    await page.goto(server.origin + PAGE);
    await work({ page, root, good, save });
  } finally {
    await page.close();
    await server.stop();
    await folder.remove();
  }
}

/** Title of the edited page. */
const TITLE = words("pages/about/en.yaml", "hero").title;

/** Appends a line with an unclosed quote. */
const breakQuote = (text) => text.replace(/\n*$/, '\nsubtitle: "never closed\n');

/** A location in the edited file, formatted as `path:line:column`. */
const PLACE = new RegExp(`${FILE.replaceAll(".", "\\.")}:(\\d+):(\\d+)`);
const place = (page) => page.getByText(PLACE).first();

/** Waits for the location of an error on the last line of `broken`, or at the end of the file. */
async function showsPlace(page, broken) {
  await place(page).waitFor();
  const [, line, column] = PLACE.exec(await place(page).innerText()).map(Number);
  const last = broken.trimEnd().split("\n").length;
  assert.ok(line === last || line === last + 1, `line ${line}, the quote opens on line ${last}`);
  assert.ok(column >= 1);
}

const showsTitle = (page, text) =>
  page.waitForFunction((wanted) => document.querySelector("h1")?.textContent.includes(wanted), text);

it("the page updates after a file is saved", () =>
  edit({}, async ({ page, good, save }) => {
    await showsTitle(page, TITLE);
    await save(good.replace(TITLE, "Edited while somebody looks on"));
    await showsTitle(page, "Edited while somebody looks on");
    await save(good);
    await showsTitle(page, TITLE);
  }));

it("an error is shown with its location until it is fixed", () =>
  edit({}, async ({ page, good, save }) => {
    await save(breakQuote(good));
    await showsPlace(page, breakQuote(good));
    await save(good);
    await place(page).waitFor({ state: "detached" });
    await showsTitle(page, TITLE);
  }));

it("a site with an error at startup is served, and updates when the error is fixed", () =>
  edit({ broken: true }, async ({ page, good, save }) => {
    await showsPlace(page, breakQuote(good));
    await save(good);
    await place(page).waitFor({ state: "detached" });
    await showsTitle(page, TITLE);
  }));

it("errors from separate saves are shown together", () =>
  edit({}, async ({ page, root, good, save }) => {
    const other = join(root, "content/pages/home/en.yaml");
    await writeFile(other, (await readFile(other, "utf8")).replace(/^title:/m, "titel:"));
    await page.getByText("content/pages/home/en.yaml").first().waitFor();
    await save(breakQuote(good));
    await place(page).waitFor();
    await page.getByText("content/pages/home/en.yaml").first().waitFor();
  }));
