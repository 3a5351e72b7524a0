// `sitegen serve` as an editor uses it: a saved file shows itself in the open browser, a mistake shows its place.
// Works on a copy of the site; waits for what should happen, never for a length of time.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { ACTION_TIMEOUT, ROOT, content, openBrowser, serve, temporaryFolder } from "./site.mjs";

const FILE = "content/pages/about/en.yaml";
const PAGE = content("pages/about/en.yaml").path;

const browser = await openBrowser();
after(() => browser.close());

/** A copy of the site, served with watching and opened in the browser at the page under edit. */
async function edit({ broken = false } = {}, work) {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  // What a site is made of; what npm installed is big, and only read.
  for (const part of ["content", "templates", "react", "static", "package.json"]) {
    await cp(join(ROOT, part), join(root, part), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  // Photographs were encoded when the site under test was built; doing it again takes half a minute a test.
  const pictures = join(".sitegen", "pictures");
  if (existsSync(join(ROOT, pictures))) await cp(join(ROOT, pictures), join(root, pictures), { recursive: true });

  const file = join(root, FILE);
  const good = await readFile(file, "utf8");
  const save = (text) => writeFile(file, text);
  if (broken) await save(breakQuote(good));
  const server = await serve("--root", root, "--out", join(root, "dist"));
  const page = await browser.newPage();
  page.setDefaultTimeout(ACTION_TIMEOUT);
  try {
    await page.goto(server.origin + PAGE);
    await work({ page, root, good, save });
  } finally {
    await page.close();
    await server.stop();
    await folder.remove();
  }
}

/** The title of the page under edit. */
const TITLE = content("pages/about/en.yaml").sections.find((section) => section.kind === "hero").title;

/** The file with a quote on its last line that is never closed. */
const breakQuote = (text) => text.replace(/\n*$/, '\nsubtitle: "never closed\n');

/** How a place in the edited file is written: `path:line:column`. */
const PLACE = new RegExp(`${FILE.replaceAll(".", "\\.")}:(\\d+):(\\d+)`);
const place = (page) => page.getByText(PLACE).first();

/** Waits for the place of a mistake on the last line of `broken`; a parser may also name the end of the file. */
async function showsPlace(page, broken) {
  await place(page).waitFor();
  const [, line, column] = PLACE.exec(await place(page).innerText()).map(Number);
  const last = broken.trimEnd().split("\n").length;
  assert.ok(line === last || line === last + 1, `line ${line}, the quote opens on line ${last}`);
  assert.ok(column >= 1);
}

const showsTitle = (page, text) => page.waitForFunction((wanted) => document.querySelector("h1")?.textContent.includes(wanted), text);

it("a saved change shows itself without a hand on the browser", () =>
  edit({}, async ({ page, good, save }) => {
    await showsTitle(page, TITLE);
    await save(good.replace(TITLE, "Edited while somebody looks on"));
    await showsTitle(page, "Edited while somebody looks on");
    await save(good);
    await showsTitle(page, TITLE);
  }));

it("a mistake covers the page with its place, and goes when it is mended", () =>
  edit({}, async ({ page, good, save }) => {
    await save(breakQuote(good));
    await showsPlace(page, breakQuote(good));
    await save(good);
    await place(page).waitFor({ state: "detached" });
    await showsTitle(page, TITLE);
  }));

it("a site that is broken from the start is served all the same, and mends itself", () =>
  edit({ broken: true }, async ({ page, good, save }) => {
    await showsPlace(page, breakQuote(good));
    await save(good);
    await place(page).waitFor({ state: "detached" });
    await showsTitle(page, TITLE);
  }));

it("mistakes of one save and of another are shown together", () =>
  edit({}, async ({ page, root, good, save }) => {
    const other = join(root, "content/pages/home/en.yaml");
    await writeFile(other, (await readFile(other, "utf8")).replace(/^title:/m, "titel:"));
    await page.getByText("content/pages/home/en.yaml").first().waitFor();
    await save(breakQuote(good));
    await place(page).waitFor();
    await page.getByText("content/pages/home/en.yaml").first().waitFor();
  }));
