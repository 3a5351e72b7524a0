// Browser tests of islands: each hydrates according to its directive, events and input from before hydration are kept,
// and failures leave the prerendered markup in place. That islands of the site's pages hydrate without errors is
// checked in visit.test.mjs.

import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DESKTOP, openBrowser, PHONE, ROOT, ready, serve, sitegen, startSite, temporaryFolder, visit } from "./site.mjs";

process.env.SITEGEN_NODE_MODULES = join(ROOT, "node_modules");

const browser = await openBrowser();
after(() => browser.close());

/** Whether a request loads the script that contains React. */
const isReact = (request) => /\/hydrate-island-\w+\.js$/.test(request.url());
const island = (page, name) => page.locator(`sitegen-island:has(#form-${name})`);
const hydrated = (page, name) => page.locator(`sitegen-island[hydrated]:has(#form-${name})`).waitFor({ state: "attached" });

describe("an island", () => {
  let folder;
  let server;

  before(async () => {
    folder = await temporaryFolder();
    await cp(join(ROOT, "tests/sites/_base"), folder.path, { recursive: true });
    const isEngine = (path) => !path.startsWith(join(ROOT, "react/islands/"));
    await cp(join(ROOT, "react"), join(folder.path, "react"), { recursive: true, filter: isEngine });
    await cp(join(ROOT, "tests/islands"), folder.path, { recursive: true });
    // The island of each page gets the page's title as its name. With the name `mismatch`, it renders different markup.
    for (const key of ["mismatch", "plain"]) {
      await mkdir(join(folder.path, "content/pages", key));
      await writeFile(
        join(folder.path, "content/pages", key, "en.yaml"),
        `path: /${key}/\nunlinked: true\ntitle: ${key}\ndescription: "${key} <script>alert(1)</script> & 'quotes'"\nsections:\n  - kind: hero\n    title: ${key}\n`,
      );
    }
    const built = await sitegen("build", "--root", folder.path);
    assert.equal(built.code, 0, built.stderr);
    server = await serve("--no-watch", "--root", folder.path);
  });
  after(() => Promise.all([server.stop(), folder.remove()]));

  /** Opens a page of the test site. */
  const open = (path, look, options = {}) => visit(browser, server.origin + path, options, look);

  /** Delays the scripts of islands until the returned function is called. */
  const heldScripts = async (page) => {
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    await page.route(/\/(hydrate-island|faq)-\w+\.js$/, async (route) => {
      await gate;
      await route.continue();
    });
    return release;
  };

  it("hydrates on load, when the browser is idle, or if a media query matches", () =>
    open("/", async (page, { complaints }) => {
      for (const name of ["load", "idle", "media"]) await hydrated(page, name);
      await island(page, "load").locator(".count").click();
      assert.equal(await island(page, "load").locator(".count").textContent(), "1");
      assert.deepEqual(complaints, []);
    }));

  it("does not hydrate until its media query matches", () =>
    open(
      "/",
      async (page) => {
        await hydrated(page, "load");
        assert.equal(await page.locator("sitegen-island[hydrated]:has(#form-media)").count(), 0);
        await page.setViewportSize(DESKTOP);
        await hydrated(page, "media");
      },
      { viewport: PHONE },
    ));

  it("hydrates when it becomes visible, and not before", () =>
    open("/", async (page) => {
      await hydrated(page, "idle");
      assert.equal(await page.locator("sitegen-island[hydrated]:has(#form-visible)").count(), 0);
      await page.locator("#form-visible").scrollIntoViewIfNeeded();
      await hydrated(page, "visible");
    }));

  it("hydrates when a visitor hovers over a control, but not over a link", () =>
    open("/", async (page) => {
      await hydrated(page, "idle");
      const trial = island(page, "interaction");
      await trial.locator("a").hover();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      assert.equal(await trial.getAttribute("hydrated"), null);
      await trial.locator(".count").hover();
      await hydrated(page, "interaction");
    }));

  it("with the directive `none` is only markup", () =>
    open("/", async (page) => {
      assert.equal(await page.locator("#form-none").count(), 1);
      assert.equal(await island(page, "none").count(), 0);
    }));

  it("receives a click from before hydration", async () => {
    let release;
    await open(
      "/plain/",
      async (page) => {
        await page.locator(".count").click();
        assert.equal(await page.locator(".count").textContent(), "0");
        release();
        await hydrated(page, "plain");
        await page.locator(".count", { hasText: "1" }).waitFor();
      },
      { prepare: async (page) => (release = await heldScripts(page)) },
    );
  });

  it("receives a key press from before hydration", async () => {
    let release;
    await open(
      "/plain/",
      async (page) => {
        await page.locator(".text").press("ArrowDown");
        release();
        await page.locator(".key", { hasText: "ArrowDown" }).waitFor();
      },
      { prepare: async (page) => (release = await heldScripts(page)) },
    );
  });

  it("keeps input and the caret position from before hydration, and then submits the form", async () => {
    let release;
    await open(
      "/plain/",
      async (page, { complaints }) => {
        await page.locator(".tick").click();
        await page.locator(".choice").selectOption("two");
        await page.getByLabel("by sea").check();
        await page.locator(".text").pressSequentially("bridge");
        await page.locator(".text").press("Home");
        await page.locator(".text").press("ArrowRight");
        await page.locator(".text").press("Enter");
        release();
        await page.locator(".sent", { hasText: "bridge/true/two/by sea" }).waitFor();
        assert.equal(await page.locator(".typed").textContent(), "bridge");
        assert.equal(await page.locator(".text").inputValue(), "bridge");
        assert.equal(await page.locator(".text").evaluate((field) => field.selectionStart), 1);
        assert.equal(new URL(page.url()).search, "", "the form was not sent by the browser");
        assert.deepEqual(complaints, []);
      },
      { prepare: async (page) => (release = await heldScripts(page)) },
    );
  });

  it("reports a script that cannot be loaded, and leaves links and forms to the browser", () =>
    open(
      "/plain/",
      async (page, { complaints }) => {
        await page.locator(".text").fill("x");
        const navigated = page.waitForURL(/\/plain\/\?[^=]+=by\+road$/);
        await page.locator(".send").click();
        await navigated;
        assert.ok(
          complaints.some((text) => /Failed to fetch dynamically imported module/.test(text)),
          complaints.join("\n"),
        );
      },
      { prepare: (page) => page.route(/\/faq-\w+\.js$/, (route) => route.abort()) },
    ));

  /** Stores the message of the event `sitegen:error`. */
  const watchErrors = (page) =>
    page.addInitScript(() => {
      document.addEventListener("sitegen:error", (event) => {
        document.documentElement.dataset.failure = /** @type {CustomEvent} */ (event).detail.message;
      });
    });

  /** Waits for the event, and returns its message. */
  const failureOf = async (page) => {
    const failure = await page.waitForFunction(() => document.documentElement.dataset.failure);
    return failure.jsonValue();
  };

  it("without a component reports the URL, and keeps its markup", () =>
    open(
      "/plain/",
      async (page, { complaints }) => {
        const failure = await failureOf(page);
        assert.equal(failure, '/plain/: the island "faq" has no component');
        assert.ok(complaints.some((text) => text.includes(failure)));
        assert.ok(await page.locator("#form-plain").isVisible());
      },
      {
        prepare: async (page) => {
          await watchErrors(page);
          await page.route(/\/faq-\w+\.js$/, (route) =>
            route.fulfill({ contentType: "text/javascript", body: "export const other = 1;" }),
          );
        },
      },
    ));

  it("reports a path that changed before hydration, and keeps its markup", async () => {
    let release;
    await open(
      "/plain/",
      async (page, { complaints }) => {
        await page.evaluate(() => history.pushState(null, "", "/elsewhere/"));
        release();
        const failure = await failureOf(page);
        assert.match(failure, /^\/plain\/: the URL was manipulated before hydration of "faq" finished \(now \/elsewhere\/\)$/);
        assert.ok(complaints.some((text) => text.includes(failure)));
        assert.ok(await page.locator("#form-plain").isVisible());
      },
      {
        prepare: async (page) => {
          await watchErrors(page);
          release = await heldScripts(page);
        },
      },
    );
  });

  it("hydrates after the fragment has changed", async () => {
    let release;
    await open(
      "/plain/",
      async (page, { complaints }) => {
        await page.evaluate(() => (location.hash = "place"));
        release();
        await hydrated(page, "plain");
        assert.deepEqual(complaints, []);
      },
      { prepare: async (page) => (release = await heldScripts(page)) },
    );
  });

  it("reports markup that differs from the prerendered markup", () =>
    open("/mismatch/", async (page, { complaints }) => {
      await hydrated(page, "mismatch");
      assert.ok(
        complaints.some((text) => text.includes('the island "faq" does not match its prerendered HTML')),
        complaints.join("\n"),
      );
    }));

  it("is visible without JavaScript", () =>
    open("/plain/", async (page) => assert.ok(await page.locator("#form-plain").isVisible()), { script: false }));
});

describe("the site's own pages", { concurrency: 2 }, async () => {
  const site = await startSite();
  after(() => site.stop());

  it("do not load React before an interaction", () =>
    visit(browser, `${site.origin}/`, {}, async (page) => {
      const requests = [];
      page.on("request", (request) => requests.push(request));
      await page.reload();
      await ready(page);
      await page.mouse.wheel(0, 4000);
      await page.getByRole("link", { name: "Services" }).first().hover();
      await page.waitForFunction(() => document.documentElement.hasAttribute("data-scrolled"));
      assert.deepEqual(
        requests.filter(isReact).map((request) => request.url()),
        [],
      );
    }));

  it("open the menu while their scripts are loading", async () => {
    let release;
    const come = new Promise((resolve) => (release = resolve));
    // The choice between light and dark is made before anything is shown.
    const prepare = (page) =>
      page.route(/\/(?!scheme-)[^/]+\.js$/, async (route) => {
        await come;
        await route.continue();
      });
    await visit(browser, `${site.origin}/`, { viewport: PHONE, wait: "commit", prepare }, async (page) => {
      const button = page.locator("[popovertarget]");
      await button.click();
      const menu = page.locator(`[id="${await button.getAttribute("popovertarget")}"]`);
      await menu.waitFor({ state: "visible" });
      // After the scripts have loaded, the menu is still open, can be closed, and its island hydrates.
      release();
      await page.waitForLoadState("load");
      assert.ok(await menu.isVisible());
      await button.click();
      await menu.waitFor({ state: "hidden" });
      await page.locator("sitegen-island[name=menu][hydrated]").waitFor({ state: "attached" });
    });
  });

  it("close the menu when focus leaves it", () =>
    visit(browser, `${site.origin}/`, { viewport: PHONE }, async (page) => {
      await page.locator("[popovertarget]").focus();
      await page.keyboard.press("Enter");
      await page.locator("sitegen-island[name=menu][hydrated]").waitFor({ state: "attached" });
      const menu = page.locator("#site-menu");
      await menu.waitFor({ state: "visible" });
      await menu.getByRole("link").last().focus();
      await page.keyboard.press("Tab");
      await menu.waitFor({ state: "hidden" });
    }));
});
