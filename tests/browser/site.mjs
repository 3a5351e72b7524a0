// Provides test files with a running site and a browser. The site is built by the release binary into a temporary
// folder, and served by `sitegen serve` on a free port.
//
// Names, slugs and numbers of the company are read from content/, so that the tests work with any brand.

import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The program under test. SITEGEN names another executable. */
const SITEGEN = process.env.SITEGEN ?? join(ROOT, "target/release/sitegen");
/** The API as a separate program. SITE_API names another executable. */
const SITE_API = process.env.SITE_API ?? join(ROOT, "target/release/site-api");

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
export const serve = (...args) =>
  start(SITEGEN, ["serve", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], "stdout");

/** Starts the inbox for a store of leads. */
export const serveInbox = (store, ...args) =>
  start(SITEGEN, ["leads", "serve", "--port", "0", "--store", store, ...args], "stdout");

/**
 * Makes the browser of a context the author's, as the address does that `serve` prints.
 * @param {import("playwright-core").BrowserContext} context
 * @param {{ address: string }} server
 */
export const asAuthor = (context, server) => context.request.get(server.address);

/** Serves a copy of the site of this repository, whose files a test may change. */
export async function serveCopy(...args) {
  const folder = await temporaryFolder();
  const root = join(folder.path, "site");
  for (const part of ["content", "templates", "react", "static", "package.json", ".sitegen/pictures"]) {
    await cp(join(ROOT, part), join(root, part), { recursive: true }).catch(() => undefined);
  }
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
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
async function readRoutes() {
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
  const { out, remove } = await buildSite();
  const [server, plan] = await Promise.all([serve("--no-watch", "--root", ROOT, "--out", out), readPlan()]);
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
export const openBrowser = (...more) =>
  chromium.launch({
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
      // Names of other hosts are not resolved.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
      ...more,
    ],
  });

/** Launches the system's Firefox without network access. */
export const openFirefox = () =>
  puppeteer.launch({
    browser: "firefox",
    executablePath: browserPath("Firefox", "FIREFOX", FIREFOX_NAMES),
    // Names of other hosts are not resolved.
    extraPrefsFirefox: { "network.dns.disabled": true, "ui.prefersReducedMotion": 1 },
  });

export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 768, height: 1024 };
export const DESKTOP = { width: 1440, height: 900 };

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
  const listen = () => {
    page.on("request", (request) => {
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
      // changes, and for a page that it fetched ahead when another one is opened.
      const isAhead = "sec-purpose" in request.headers();
      const isPicture = request.resourceType() === "image" || /\/favicon\.\w+$/.test(request.url());
      const isGivenUp = request.failure()?.errorText === "net::ERR_ABORTED" && (isPicture || isAhead);
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
    /** Clears the state of a visit, except for the HTTP cache. */
    empty: async () => {
      await page.evaluate(() => {
        sessionStorage.clear();
        localStorage.clear();
      });
      await context.clearCookies();
      await context.clearPermissions();
      // Leaving the page aborts its requests, so listeners are removed and complaints cleared afterwards.
      await page.goto("about:blank");
      page.removeAllListeners();
      complaints.length = 0;
    },
    close: () => context.close(),
  };
}

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
  let isGood = false;
  try {
    await tab.begin(viewport, [new URL(url).origin, ...hosts]);
    await prepare?.(page);
    const response = await page.goto(url, { waitUntil: wait ?? "load" });
    const result = await look(page, { response, complaints });
    if (!prepare) await tab.empty();
    isGood = !prepare;
    return result;
  } finally {
    if (isGood) idle.set(kind, [...(idle.get(kind) ?? []), tab]);
    else await tab.close();
  }
}

/**
 * Solves the captcha of `sitegen serve` on a page, and waits until the form has its token, for which the server is asked.
 * @param {import("playwright-core").Page} page
 */
export async function solveCaptcha(page) {
  await page.locator(".form__widget input").check();
  await page.waitForFunction(() => globalThis.grecaptcha.getResponse() !== "");
}
