// The site under test: built by the release binary into a folder of its own, served by `sitegen serve` on a free port.
//
// Test files ask this module for a running site and a browser and know no process, port or folder themselves.
// Names, slugs and numbers of the company are read from content/, so the tests hold for any brand.

import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The program under test; SITEGEN may name another build of it. */
const SITEGEN = process.env.SITEGEN ?? join(ROOT, "target/release/sitegen");
/** The API as a program of its own; SITE_API may name another build of it. */
const SITE_API = process.env.SITE_API ?? join(ROOT, "target/release/site-api");

/** How long a page may take for one thing that should happen, in milliseconds: what has not come by then, on a slow machine busy
 * with other work, does not come. */
export const ACTION_TIMEOUT = 60_000;

/** So many pages are open side by side: while one waits for the browser, another one works. SITE_TEST_TABS changes it. */
export const SIDE_BY_SIDE = Number(process.env.SITE_TEST_TABS ?? 3);

/** How long a started server may take to say its address, in milliseconds. */
const START_LIMIT = 120_000;

/** A file below content/, as the data it holds. */
export const content = (path, root = ROOT) => parse(readFileSync(join(root, "content", path), "utf8"));

/** content/site.yaml. */
export const settings = content("site.yaml");

/** The locales' own files by code: `locales.es.name` is what Spanish calls itself. */
export const locales = Object.fromEntries(settings.locales.map((code) => [code, content(`locales/${code}.yaml`)]));

/** A path or text of the specification, with this site's names put in. */
export const named = (text) =>
  text.replaceAll("{product.name}", settings.product.name).replaceAll("{product.slug}", settings.product.slug);

/** A folder that goes away with the test file. */
export async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), "sitegen-test-"));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs sitegen to its end: `{ code, stdout, stderr }`, whatever the exit status. */
export async function sitegen(...args) {
  try {
    return { code: 0, ...(await promisify(execFile)(SITEGEN, args, { maxBuffer: 64 << 20 })) };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/**
 * Starts a program that serves and waits for its address, which it says on one of its outputs. `said()` is all that it has
 * said so far; `stop()` ends it and resolves when it has gone.
 * @param {string} program @param {string[]} args @param {"stdout" | "stderr"} where @param {Record<string, string>} more
 */
async function start(program, args, where, more = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...more } });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  // A test file that breaks half-way must not leave its server behind.
  process.once("exit", () => child.kill());
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (said += chunk));
  const origin = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${program} ${args.join(" ")}: ${why}\n${said}`));
    const limit = setTimeout(() => fail(`no address within ${START_LIMIT} ms`), START_LIMIT);
    child.once("error", (error) => fail(error.message));
    gone.then((code) => fail(`ended with status ${code} before it was ready`));
    let text = "";
    child[where].on("data", (chunk) => {
      const address = /http:\/\/[\d.]+:\d+(?=\/)/.exec((text += chunk));
      if (address) {
        clearTimeout(limit);
        resolve(address[0]);
      }
    });
  });
  return {
    origin,
    said: () => said,
    stop: async () => {
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** Starts `sitegen serve`. */
export const serve = (...args) => start(SITEGEN, ["serve", "--port", "0", ...args], "stdout");

/** Starts `site-api` with these environment variables. */
export const serveApi = (environment) => start(SITE_API, [], "stderr", { LISTEN: "127.0.0.1:0", ...environment });

/** Every address of the site, as `sitegen routes --json` tells them. */
async function readRoutes() {
  const { code, stdout, stderr } = await sitegen("routes", "--json", "--root", ROOT);
  if (code !== 0) throw new Error(`sitegen routes: status ${code}\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Builds the site of this repository, once for all test files: `tests/run` has done so and says where in SITE_TEST_DIST.
 * @returns {Promise<{ out: string, remove: () => Promise<void> }>}
 */
export async function buildSite() {
  if (process.env.SITE_TEST_DIST) return { out: process.env.SITE_TEST_DIST, remove: async () => {} };
  const folder = await temporaryFolder();
  // What a build writes beside its output goes away with the folder, too.
  const out = join(folder.path, "dist");
  const built = await sitegen("build", "--root", ROOT, "--out", out);
  if (built.code !== 0) throw new Error(`sitegen build: status ${built.code}\n${built.stderr}`);
  return { out, remove: folder.remove };
}

/**
 * Every address of the site, by what it is: `pages` have content of their own, `copies` are further addresses of a page,
 * `errorPages` answer with their status.
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

/** The site of this repository, served as a host would, without live reload: its address, its files and its plan. */
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

/** The Chromium of this machine, or the one that CHROMIUM names. */
function chromiumPath() {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ["chromium", "chromium-browser", "google-chrome"];
  const folders = ["", ...(process.env.PATH ?? "").split(delimiter)];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => path.includes("/") && existsSync(path));
  if (!found) throw new Error(`no Chromium found: ${names.join(", ")}; install it, or name one in CHROMIUM`);
  return found;
}

/**
 * One browser for a test file. It runs as root in containers, hence no sandbox, and asks nothing of the network.
 * @param {...string} more further flags
 */
export const openBrowser = (...more) =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Other hosts are not even looked up, whichever way a test lets requests through.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
      ...more,
    ],
  });

export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 768, height: 1024 };
export const DESKTOP = { width: 1440, height: 900 };

/**
 * A tab of a profile of its own. `complaints` collects what no visit may cause: console messages (policy violations are among
 * them), errors, failed or third-party requests. Nobody waits for another host, because the browser finds none (`openBrowser`).
 * No request goes through the test itself: a browser that hands requests on keeps no cache, and does not ask another host whether
 * it may.
 * @param {import("playwright-core").Browser} browser
 * @param {boolean} script
 */
async function openTab(browser, script) {
  const context = await browser.newContext({ javaScriptEnabled: script, reducedMotion: "reduce" });
  context.setDefaultTimeout(ACTION_TIMEOUT);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  /** The origins that belong to the site. @type {string[]} */
  let own = [];
  const listen = () => {
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && !own.includes(origin)) complaints.push(`third-party request: ${request.url()}`);
    });
    page.on("console", (message) => {
      // What the browser itself asks a site without an icon for.
      const isIcon = new URL(message.location().url || "about:blank").pathname === "/favicon.ico";
      if (!isIcon) complaints.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`page error: ${error.message}`));
    page.on("requestfailed", (request) => {
      // In another window a picture of another width fits, and the browser gives up the one it had asked for; so it does
      // with the icon of the tab when the address changes.
      const isPicture = request.resourceType() === "image" || /\/favicon\.\w+$/.test(request.url());
      const isGivenUp = request.failure()?.errorText === "net::ERR_ABORTED" && isPicture;
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
    /** Ends a visit: the next one finds nothing of it but what the browser has cached. */
    empty: async () => {
      await page.evaluate(() => (sessionStorage.clear(), localStorage.clear()));
      await context.clearCookies();
      await context.clearPermissions();
      // Requests that are given up now belong to the visit that ends, and so do those who listen.
      await page.goto("about:blank");
      page.removeAllListeners();
      complaints.length = 0;
    },
    close: () => context.close(),
  };
}

/** Tabs that nobody uses at the moment. @type {Map<string, Awaited<ReturnType<typeof openTab>>[]>} */
const idle = new Map();

/**
 * Opens an address as a visitor with an empty profile and hands the page to `look`, with the answer and the complaints.
 * `prepare` gets the page before it goes there; `wait` says what counts as having arrived. `hosts` are further origins that belong
 * to the site.
 *
 * A tab is used again: opening one costs more than most of what tests ask of a page. One that was prepared, or that a test failed
 * in, is not.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ viewport?: { width: number, height: number }, script?: boolean, wait?: "load" | "domcontentloaded" | "commit",
 *   hosts?: string[], prepare?: (page: import("playwright-core").Page) => unknown }} options
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
