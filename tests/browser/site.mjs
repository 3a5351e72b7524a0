// Provides test files with a running site and a browser. The site is built by the release binary into a temporary
// folder, and served by `sitegen serve` on a free port.
//
// Names, slugs and numbers of the company are read from content/, so that the tests work with any brand.

import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The program under test. SITEGEN names another executable. */
const SITEGEN = process.env.SITEGEN ?? join(ROOT, "target/release/sitegen");
/** The API as a separate program. SITE_API names another executable. */
const SITE_API = process.env.SITE_API ?? join(ROOT, "target/release/site-api");

/** What run.mjs has started for all files, none of it if a file runs alone. @type {Partial<import("./shared.mjs").Shared>} */
const SHARED = JSON.parse(process.env.SITE_TEST_SHARED ?? "{}");

/** Time limit of each action in a page, in milliseconds. It is long enough for a slow machine under load. */
export const TIMEOUT = 60_000;

/** Number of pages that are open in parallel. SITE_TEST_TABS changes it. */
export const SIDE_BY_SIDE = Number(process.env.SITE_TEST_TABS ?? 3);

/** Time limit for a server to print its address, in milliseconds. */
const START_LIMIT = 120_000;

/** Parses a YAML file in content/. */
export const content = (path, root = ROOT) => parse(readFileSync(join(root, "content", path), "utf8"));

/** The words of a section in a file of a page, without its name: `title` for `hero.title`. */
export function words(path, section) {
  const own = Object.entries(content(path)).filter(([key]) => key.startsWith(`${section}.`));
  return Object.fromEntries(own.map(([key, text]) => [key.slice(section.length + 1), text]));
}

/** The contents of content/site.yaml. */
export const settings = content("site.yaml");

/** Files of locales by code. `locales.es.name` is the name of Spanish in Spanish. */
export const locales = Object.fromEntries(settings.locales.map((code) => [code, content(`locales/${code}.yaml`)]));

/** Replaces placeholders for the product's name and slug in a path or text of the specification. */
export const named = (text) =>
  text.replaceAll("{product.name}", settings.product.name).replaceAll("{product.slug}", settings.product.slug);

/**
 * Waits until a form of the preview has taken a text: it is drawn beside the form from then on.
 * @param {import("playwright-core").Page} form @param {RegExp} text as it is in the values of the form, in JSON
 */
export const takes = (form, text) =>
  form.waitForRequest((request) => request.url().endsWith("/admin/draft") && text.test(JSON.parse(request.postData()).raw));

/** A promise, and the function that resolves it. @returns {{ opened: Promise<void>, open: () => void }} */
export function gate() {
  let open = () => {};
  const opened = /** @type {Promise<void>} */ (new Promise((resolve) => (open = () => resolve())));
  return { opened, open };
}

/** Creates a temporary folder. */
export async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), "sitegen-test-"));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs sitegen, and returns `{ code, stdout, stderr }` for any exit status. */
export async function sitegen(...args) {
  try {
    return { code: 0, ...(await promisify(execFile)(SITEGEN, args, { maxBuffer: 64 << 20 })) };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

// Servers end with the file that started them, also if it is ended from outside.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/**
 * Starts a server, and waits until it prints its address. `said()` returns its output so far, and `stop()` resolves
 * when the process has exited.
 * @param {string} program
 * @param {string[]} args
 * @param {"stdout" | "stderr"} where the stream with the address
 * @param {Record<string, string>} more additional environment variables
 */
async function start(program, args, where, more = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...more } });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  // The server must not outlive a test file that fails.
  process.once("exit", () => child.kill());
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (said += chunk));
  const address = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${program} ${args.join(" ")}: ${why}\n${said}`));
    const limit = setTimeout(() => fail(`no address within ${START_LIMIT} ms`), START_LIMIT);
    child.once("error", (error) => fail(error.message));
    gone.then((code) => fail(`ended with status ${code} before it was ready`));
    let text = "";
    child[where].on("data", (chunk) => {
      text += chunk;
      // The whole line: the preview prints a token behind its address.
      const found = /http:\/\/[\d.]+:\d+\/[^\s"]*(?="|\s)/.exec(text);
      if (found) {
        clearTimeout(limit);
        resolve(found[0]);
      }
    });
  });
  return {
    address,
    origin: new URL(address).origin,
    said: () => said,
    stop: async () => {
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), START_LIMIT);
      await gone;
      clearTimeout(limit);
      if (child.signalCode === "SIGKILL") throw new Error(`${program} did not end within ${START_LIMIT} ms\n${said}`);
    },
  };
}

/** Starts `sitegen serve`, at any port unless one is named. */
export const serve = (...args) => serveWith({}, ...args);

/** Starts `sitegen serve` with these environment variables. @param {Record<string, string>} environment @param {string[]} args */
export const serveWith = (environment, ...args) =>
  start(SITEGEN, ["serve", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], "stdout", environment);

/** Starts the inbox for a store of leads. */
export const serveInbox = (store, ...args) =>
  start(SITEGEN, ["leads", "serve", "--port", "0", "--store", store, ...args], "stdout");

/**
 * Makes the browser of a context the author's, as the address does that `serve` prints.
 * @param {import("playwright-core").BrowserContext} context
 * @param {{ address: string }} server
 */
export const asAuthor = (context, server) => context.request.get(server.address);

/** Where a site keeps the scripts of the forms at /admin/. */
const FORMS = ".sitegen/forms";

/** What a copy of the site consists of: its sources, and what the last build has kept. */
const PARTS = ["content", "templates", "react", "static", "package.json", ".sitegen"];

/**
 * Copies the site of this repository with its output and with what its build has kept, so that a build of the copy draws no
 * card and no picture again. @param {string} root
 */
export async function copySite(root) {
  const from = SHARED.copy ?? ROOT;
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  for (const part of PARTS) if (existsSync(join(from, part))) await cp(join(from, part), join(root, part), options);
  const out = SHARED.copy ? join(from, "dist") : process.env.SITE_TEST_DIST;
  if (out) for (const part of ["dist", "search"]) await cp(join(out, "..", part), join(root, part), options);
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
}

/** Gives a site the scripts of the forms at /admin/, if they were fetched for the copy of this site. @param {string} root */
export async function copyForms(root) {
  const forms = join(SHARED.copy ?? ROOT, FORMS);
  if (existsSync(forms)) await cp(forms, join(root, FORMS), { recursive: true });
}

/** Serves a copy of the site of this repository, whose files a test may change. */
export async function serveCopy(...args) {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  await copySite(root);
  const server = await serve("--root", root, ...args);
  return {
    root,
    address: server.address,
    origin: server.origin,
    said: server.said,
    /** Ends the server, and leaves the copy. */
    end: server.stop,
    stop: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}

/** Starts `site-api` with these environment variables. */
export const serveApi = (environment) => start(SITE_API, [], "stderr", { LISTEN: "127.0.0.1:0", ...environment });

/** All routes of the site, from `sitegen routes --json`. */
export async function readRoutes() {
  if (SHARED.routes) return JSON.parse(readFileSync(SHARED.routes, "utf8"));
  const { code, stdout, stderr } = await sitegen("routes", "--json", "--root", ROOT);
  if (code !== 0) throw new Error(`sitegen routes: status ${code}\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Builds the site of this repository, or uses the build of `tests/run`, whose folder is in SITE_TEST_DIST.
 * @returns {Promise<{ out: string, remove: () => Promise<void> }>}
 */
export async function buildSite() {
  if (process.env.SITE_TEST_DIST) return { out: process.env.SITE_TEST_DIST, remove: async () => {} };
  const folder = await temporaryFolder();
  // The output is in a subfolder, so that files that the build writes next to it are removed, too.
  const out = join(folder.path, "dist");
  const built = await sitegen("build", "--root", ROOT, "--out", out);
  if (built.code !== 0) throw new Error(`sitegen build: status ${built.code}\n${built.stderr}`);
  return { out, remove: folder.remove };
}

/**
 * All routes of the site by kind: `pages` have unique content, `copies` are further paths of a page, and `errorPages`
 * respond with an error status.
 */
export async function readPlan() {
  const routes = await readRoutes();
  const ofKind = (kind) => routes.filter((route) => route.kind === kind && route.status < 400);
  return {
    pages: ofKind("page"),
    copies: ofKind("copy"),
    errorPages: routes.filter((route) => route.status >= 400),
    redirects: ofKind("redirect"),
  };
}

/** Serves the site of this repository without live reload. Returns its origin, its folder and its routes. */
export async function startSite() {
  const [{ out, remove }, plan] = await Promise.all([buildSite(), readPlan()]);
  if (SHARED.origin) return { origin: SHARED.origin, folder: out, ...plan, stop: remove };
  const server = await serve("--no-watch", "--root", ROOT, "--out", out);
  return {
    origin: server.origin,
    folder: out,
    ...plan,
    stop: async () => {
      await server.stop();
      await remove();
    },
  };
}

/** Programs that are tried in this order; the first one has no window, and takes a third less time. */
const CHROMIUM_NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

const FIREFOX_NAMES = ["firefox-esr", "firefox"];

/** Path of an installed browser. The variable names another executable. */
function browserPath(browser, variable, known) {
  const names = process.env[variable] ? [process.env[variable]] : known;
  const folders = ["", ...(process.env.PATH ?? "").split(delimiter)];
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => path.includes("/") && existsSync(path));
  if (!found) throw new Error(`no ${browser} found: ${names.join(", ")}; install it, or name one in ${variable}`);
  return found;
}

/**
 * Launches a browser without network access. It has no sandbox, because it runs as root in containers.
 * @param {...string} more additional flags
 */
export async function openBrowser(...more) {
  const browser = await chromium.launch({
    executablePath: browserPath("Chromium", "CHROMIUM", CHROMIUM_NAMES),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Several pages are open at a time on few cores: with more threads that paint, each page takes longer.
      "--num-raster-threads=1",
      // Names of other hosts are not resolved.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
      ...more,
    ],
  });
  opened.add(browser);
  return browser;
}

/** The browsers of this file. @type {Set<import("playwright-core").Browser>} */
const opened = new Set();

/** Takes a picture of a page with a failed test, for run.mjs. @param {import("playwright-core").Page} page */
async function takePicture(page) {
  if (!SHARED.pictures || page.isClosed()) return;
  pictures += 1;
  const path = join(SHARED.pictures, `${process.env.SITE_TEST_LABEL}.${pictures}.png`);
  await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined);
}
let pictures = 0;

// Pages that a test has opened without `visit`, which takes its own picture. Programs that tests start use this module as well.
if (SHARED.pictures && process.argv[1]?.endsWith(".test.mjs")) {
  afterEach(async (test) => {
    if (!("passed" in test) || test.passed) return;
    for (const browser of opened)
      for (const context of browser.contexts())
        for (const page of context.pages()) if (!visited.has(page)) await takePicture(page);
  });
}

/** Launches the system's Firefox without network access. Its library is loaded by the few files that need it. */
export async function openFirefox() {
  const { default: puppeteer } = await import("puppeteer-core");
  return puppeteer.launch({
    browser: "firefox",
    executablePath: browserPath("Firefox", "FIREFOX", FIREFOX_NAMES),
    // Names of other hosts are not resolved.
    extraPrefsFirefox: { "network.dns.disabled": true, "ui.prefersReducedMotion": 1 },
  });
}

export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 768, height: 1024 };
export const DESKTOP = { width: 1440, height: 900 };

/** The requests of a page without an answer so far. @type {WeakMap<import("playwright-core").Page, Set<unknown>>} */
const unanswered = new WeakMap();

/** @param {import("playwright-core").Page} page */
function watchRequests(page) {
  const open = new Set();
  unanswered.set(page, open);
  // The events of the preview never end.
  page.on("request", (request) => request.resourceType() !== "eventsource" && open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
}

/** Runs in the page: whether all is there that comes by itself: styles, fonts, and the islands that wake without a visitor. */
function isReady() {
  const isDue = (island) => {
    const when = island.getAttribute("when");
    if (when === "media") return matchMedia(island.getAttribute("media") ?? "all").matches;
    if (when !== "visible") return when === "load" || when === "idle";
    return [...island.children].some((child) => {
      const { top, bottom, width, height } = child.getBoundingClientRect();
      return width + height > 0 && bottom > 0 && top < innerHeight;
    });
  };
  return (
    document.readyState === "complete" &&
    document.fonts.status === "loaded" &&
    [...document.querySelectorAll("sitegen-island:not([hydrated], [failed])")].every((island) => !isDue(island)) &&
    document.querySelector("[aria-busy=true]") === null
  );
}

/** Runs in the page: waits until it was painted with what has arrived. */
const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));

/**
 * Waits until nothing changes in a page any more without a visitor: for its styles and fonts, the islands that wake by themselves,
 * and the answers to all requests. Call it before anything is measured.
 * @param {import("playwright-core").Page} page
 */
export async function ready(page) {
  await page.waitForLoadState("load");
  for (;;) {
    await page.waitForFunction(isReady);
    await page.evaluate(painted);
    const open = unanswered.get(page);
    if (!open || open.size === 0) {
      if (await page.evaluate(isReady)) return;
    } else {
      await Promise.race(["requestfinished", "requestfailed"].map((event) => page.waitForEvent(/** @type {any} */ (event))));
    }
  }
}

/**
 * Opens a tab in a new browser context. `complaints` collects console messages (including violations of the Content
 * Security Policy), errors, failed requests and third-party requests. Requests are not intercepted, because
 * interception disables the cache and CORS preflight requests; `openBrowser` blocks other hosts.
 * @param {import("playwright-core").Browser} browser
 * @param {boolean} script
 */
async function openTab(browser, script) {
  const context = await browser.newContext({ javaScriptEnabled: script, reducedMotion: "reduce" });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  /** Origins of the site. @type {string[]} */
  let own = [];
  let navigations = 0;
  /** How many navigations had begun when a request was sent. @type {WeakMap<import("playwright-core").Request, number>} */
  const begun = new WeakMap();
  const listen = () => {
    watchRequests(page);
    page.on("request", (request) => {
      if (request.isNavigationRequest()) navigations += 1;
      begun.set(request, navigations);
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && !own.includes(origin)) complaints.push(`third-party request: ${request.url()}`);
    });
    page.on("console", (message) => {
      // The browser requests this icon automatically.
      const isIcon = new URL(message.location().url || "about:blank").pathname === "/favicon.ico";
      if (!isIcon) complaints.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`page error: ${error.message}`));
    page.on("requestfailed", (request) => {
      // The browser aborts requests for pictures when a resize selects another width, for the icon when the URL
      // changes, for a page that it fetched ahead when another one is opened, and what a page that is left still waits for.
      const isAhead = "sec-purpose" in request.headers();
      const isPicture = request.resourceType() === "image" || /\/favicon\.\w+$/.test(request.url());
      const isLeft = navigations > (begun.get(request) ?? navigations);
      const isGivenUp = request.failure()?.errorText === "net::ERR_ABORTED" && (isPicture || isAhead || isLeft);
      if (!isGivenUp) complaints.push(`request failed: ${request.url()}`);
    });
  };
  return {
    page,
    complaints,
    begin: async (viewport, origins) => {
      own = origins;
      listen();
      await page.setViewportSize(viewport);
    },
    /** Clears the state of a visit, except for the HTTP cache. Returns whether the tab can be used again. */
    empty: async () => {
      // A file of the same site: for another one, the browser would start a new process. Leaving the page aborts its requests, so
      // listeners are removed and complaints cleared afterwards; and a list keeps its place when it is left.
      const { origin } = new URL(page.url());
      const isThere = await page
        .goto(`${origin}/robots.txt`)
        .then((response) => response.ok())
        .catch(() => false);
      if (isThere) {
        await page.evaluate(() => {
          sessionStorage.clear();
          localStorage.clear();
        });
      }
      await context.clearCookies();
      await context.clearPermissions();
      page.removeAllListeners();
      complaints.length = 0;
      return isThere;
    },
    close: () => context.close(),
  };
}

/** Pages of `visit`. @type {WeakSet<import("playwright-core").Page>} */
const visited = new WeakSet();

/** Unused tabs. @type {Map<string, Awaited<ReturnType<typeof openTab>>[]>} */
const idle = new Map();

/**
 * Opens a URL with an empty profile, and calls `look` with the page, the response and the complaints. `prepare` is
 * called before the navigation, `wait` is the event to wait for, and `hosts` are further origins of the site.
 *
 * Tabs are reused, because opening one takes longer than most tests. A tab is closed after `prepare` or a failure.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ viewport?: { width: number, height: number }, script?: boolean,
 *   wait?: "load" | "domcontentloaded" | "commit", hosts?: string[],
 *   prepare?: (page: import("playwright-core").Page) => unknown }} options
 * @param {(page: import("playwright-core").Page, seen: { response: any, complaints: string[] }) => Promise<any>} look
 */
export async function visit(browser, url, { viewport = DESKTOP, script = true, hosts = [], prepare, wait } = {}, look) {
  const kind = `script ${script}`;
  const tab = (prepare ? undefined : idle.get(kind)?.pop()) ?? (await openTab(browser, script));
  const { page, complaints } = tab;
  visited.add(page);
  let isGood = false;
  try {
    await tab.begin(viewport, [new URL(url).origin, ...hosts]);
    await prepare?.(page);
    const response = await page.goto(url, { waitUntil: wait ?? "load" });
    const result = await look(page, { response, complaints });
    isGood = !prepare && (await tab.empty());
    return result;
  } catch (error) {
    await takePicture(page);
    throw error;
  } finally {
    if (isGood) idle.set(kind, [...(idle.get(kind) ?? []), tab]);
    else await tab.close();
  }
}

/**
 * Stops the time of a page, whose clock was installed before it was opened (`prepare: (page) => page.clock.install()`). What the
 * page waits for comes with `page.clock.runFor`, as fast as this machine is.
 * @param {import("playwright-core").Page} page
 */
export const stopTime = async (page) => page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));

/**
 * Lets a page seem to be open for so long that a person may have filled in its form. The form sends along how long that took,
 * and the API takes one that was faster for that of a program (`ELAPSED_MIN` in crates/api-types/src/leads.rs).
 * @param {import("playwright-core").Page} page
 */
export const openForLong = (page) =>
  page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 60_000;
  });

/**
 * Solves the captcha of `sitegen serve` on a page, and waits until the form has its token, for which the server is asked.
 * @param {import("playwright-core").Page} page
 */
export async function solveCaptcha(page) {
  await page.locator(".form__widget input").check();
  await page.waitForFunction(() => globalThis.grecaptcha.getResponse() !== "");
}
