// Opens and saves forms of a site in Chromium, opens and searches the list of a larger one, and makes a new one: milliseconds of
// each round, as a line of JSON.
//
//     node bench/harness/forms.mjs SITE LARGER-SITE NEW-FOLDER

import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { asAuthor, DESKTOP, openBrowser, ROOT, serve, sitegen, TIMEOUT } from "../../tests/browser/site.mjs";

const ROUNDS = 11;
const [site, larger, fresh] = process.argv.slice(2);
const browser = await openBrowser();
const times = { open: [], save: [], list: [], search: [], new: [] };

/** A page of the browser, as the author of a site. */
async function author(server) {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
  context.setDefaultTimeout(TIMEOUT);
  await asAuthor(context, server);
  return context.newPage();
}

/** Waits in the page until a condition holds, and returns the milliseconds since `began` there. */
const until = (page, began, condition, argument) =>
  page
    .waitForFunction(condition, argument, { polling: "raf" })
    .then(() => page.evaluate((start) => performance.now() - start, began));
const now = (page) => page.evaluate(() => performance.now());

/** The files of the English posts of a site, and the title of one. */
const postsOf = (root) => readdirSync(join(root, "content/blog/en")).filter((name) => name.endsWith(".md"));
const titleOf = (root, name) => {
  const [, title] = /^title: "?(.*?)"?$/m.exec(readFileSync(join(root, "content/blog/en", name), "utf8"));
  return title;
};

async function forms() {
  const server = await serve("--root", site, "--editor", "none");
  const page = await author(server);
  await page.goto(`${server.origin}/admin/#/collections/posts-en`);
  const login = page.getByRole("button", { name: "Login" });
  await login.or(page.locator('a[href*="/entries/"]')).first().waitFor();
  if (await login.isVisible()) await login.click();
  await page.locator('a[href*="/entries/"]').first().waitFor();
  const posts = postsOf(site);
  for (let round = 0; round <= ROUNDS; round += 1) {
    const name = posts[Math.floor((posts.length * round) / (ROUNDS + 1))];
    const slug = name.replace(/\.md$/, "");
    const title = titleOf(site, name);
    const began = await now(page);
    await page.evaluate((hash) => location.assign(hash), `#/collections/posts-en/entries/${slug}`);
    const isOpen = (expected) => document.querySelector('[id^="title-field-"]')?.value === expected;
    const opened = await until(page, began, isOpen, title);
    const field = page.locator('[id^="title-field-"]').first();
    await field.fill(`${title} ${round}`);
    await page.keyboard.press("Tab");
    // Decap takes what was typed last with a delay.
    await page.waitForTimeout(600);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const publish = page.getByText("Publish now").first();
    await publish.waitFor();
    const pressed = await now(page);
    await publish.click();
    const saved = await until(page, pressed, () => document.body.innerText.includes("Entry saved"));
    await page.waitForFunction(() => !document.body.innerText.includes("Entry saved"), undefined, { polling: 100 });
    const text = readFileSync(join(site, "content/blog/en", name), "utf8");
    if (!text.includes(`${title} ${round}`)) throw new Error(`${name} was not saved`);
    // The first round loads what the others have.
    if (round > 0) {
      times.open.push(opened);
      times.save.push(saved);
    }
    await page.evaluate(() => location.assign("#/collections/posts-en"));
    await page.locator('a[href*="/entries/"]').first().waitFor();
  }
  await server.stop();
}

async function list() {
  const server = await serve("--root", larger, "--editor", "none");
  const page = await author(server);
  const rows = () => document.querySelectorAll("#rows tr").length;
  const posts = postsOf(larger);
  for (let round = 0; round <= ROUNDS; round += 1) {
    await page.goto(`${server.origin}/admin/content/`);
    // From the start of the navigation.
    const opened = await until(page, 0, () => document.querySelectorAll("#rows tr").length > 0);
    const before = await page.locator("#rows").innerHTML();
    const began = await now(page);
    await page.getByRole("searchbox").fill(titleOf(larger, posts[Math.floor((posts.length * round) / (ROUNDS + 1))]));
    const answered = await until(page, began, (old) => document.querySelector("#rows").innerHTML !== old, before);
    if ((await page.evaluate(rows)) === 0) throw new Error("the search finds nothing");
    // The first request after a build makes the list, which is what an editor waits for once.
    if (round === 0) process.stderr.write(`the first list: ${opened.toFixed(0)} ms\n`);
    else {
      times.list.push(opened);
      times.search.push(answered);
    }
  }
  await server.stop();
}

/** From the command `new` to the first page that its preview serves. */
async function newSite() {
  for (let round = 0; round < 5; round += 1) {
    const folder = `${fresh}-${round}`;
    const began = performance.now();
    const made = await sitegen("new", folder, "--sample", "--name", "Horizon", "--languages", "en,es");
    if (made.code !== 0) throw new Error(made.stderr);
    // The packages of a site are installed once, by npm.
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const server = await serve("--root", folder, "--editor", "none");
    const response = await fetch(`${server.origin}/`);
    if (response.status !== 200) throw new Error(`the first page: status ${response.status}`);
    await response.text();
    times.new.push(performance.now() - began);
    await server.stop();
  }
}

await forms();
await list();
await newSite();
await browser.close();
process.stdout.write(`${JSON.stringify(times)}\n`);
