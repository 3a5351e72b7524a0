// How long the search of a site takes to its first result: from the key to the frame that shows it, on a processor slowed four
// times, in each language of the site of tests/browser/horizon.mjs.

import { join } from "node:path";
import { CODES, LANGUAGES, prepare } from "../../tests/browser/horizon.mjs";
import { serve, sitegen, temporaryFolder } from "../../tests/browser/site.mjs";
import { median, slowVisit, timeTo } from "./slowed.mjs";

/** Each search is measured so many times, in a visit of its own. */
const TIMES = 7;

const RESULT = "dialog[open] [data-search-results] a";

/** Builds the site, and serves it. Its home page and its page of the search are `pages`. */
export async function startSearchSite() {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  await prepare(root);
  const built = await sitegen("build", "--root", root);
  if (built.code !== 0) throw new Error(`sitegen build: status ${built.code}\n${built.stderr}`);
  const server = await serve("--no-watch", "--root", root);
  const pages = [
    { kind: "home with a search", path: "/" },
    { kind: "search", path: LANGUAGES.en.path },
  ];
  const stop = async () => {
    await server.stop();
    await folder.remove();
  };
  return { origin: server.origin, pages, stop };
}

/** Milliseconds in which the worker, its program and the first part of the index are loaded, and a search is rehearsed. */
const LOADING = 1000;

/** When the first key is typed: as soon as the dialog is open, or after a pause in which everything has been loaded. */
const PAUSES = {
  "as soon as the dialog is open": async () => {},
  // The page was silent before the dialog was opened, so that its load state tells nothing of the worker's requests.
  "when the index is loaded": (page) => page.waitForTimeout(LOADING),
};

/** Milliseconds from the first key in the dialog of a page to its first result. */
async function once(browser, origin, code, pause) {
  let found = 0;
  await slowVisit(browser, origin + (code === CODES[0] ? "/" : `/${code}/`), {}, async (page) => {
    await page.waitForLoadState("networkidle");
    await page.locator("[data-search]").click();
    const field = page.locator("dialog[open] input[name=q]");
    await field.waitFor();
    await pause(page);
    const isShown = (result) => document.querySelector(result) !== null;
    found = await timeTo(page, () => field.pressSequentially(LANGUAGES[code].letter), isShown, RESULT);
  });
  return found;
}

/** `[{ language, when, median, worst }]`, in milliseconds. */
export async function measureSearch(browser, site) {
  const rows = [];
  for (const code of CODES) {
    for (const [when, pause] of Object.entries(PAUSES)) {
      const times = [];
      for (let time = 0; time < TIMES; time++) times.push(await once(browser, site.origin, code, pause));
      process.stderr.write(`  search, ${code}, ${when}\n`);
      rows.push({ language: code, when, median: median(times), worst: Math.max(...times) });
    }
  }
  return rows;
}
