// Browser tests of the forms at /admin/: an hour of an editor, whose `git diff` has nothing but what was changed. Decap CMS is
// the real one, which `make test` puts into npm's cache.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { asAuthor, DESKTOP, openBrowser, PHONE, ROOT, serveCopy, settings, sitegen, TIMEOUT, temporaryFolder } from "./site.mjs";

// The cache of npm has all that is fetched.
process.env.npm_config_offline = "true";

const browser = await openBrowser();
/** @type {Awaited<ReturnType<typeof serveCopy>>} */
let server;
const git = async (...args) => (await promisify(execFile)("git", ["-C", server.root, ...args])).stdout;
const read = (path) => readFile(join(server.root, path), "utf8");

before(async () => {
  server = await serveCopy("--editor", "none");
  await writeFile(join(server.root, ".gitignore"), "/.*\n!/.gitignore\nnode_modules\n/dist/\n/search/\nleads.sqlite3*\n");
  await git("init", "--quiet");
  await commit();
});
after(async () => {
  await browser.close();
  await server?.stop();
});

async function commit() {
  await git("add", "--all");
  await git("-c", "user.name=Editor", "-c", "user.email=editor@site.example", "commit", "--quiet", "--message", "Save");
}

/** The lines that are removed and added since the last commit, by file. */
async function changes() {
  await git("add", "--all", "--intent-to-add");
  const files = {};
  let file;
  for (const line of (await git("diff", "--unified=0", "--no-color")).split("\n")) {
    if (line.startsWith("diff --git ")) file = files[line.split(" b/").at(-1)] = [];
    else if (/^[+-](?!\+\+|--)/.test(line)) file.push(line);
  }
  return files;
}

/** Opens the forms at an entry. */
async function open(hash, { viewport = DESKTOP, origin = server.origin, path = "/admin/", init = undefined } = {}) {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
  context.setDefaultTimeout(TIMEOUT);
  if (init) await context.addInitScript(init.script, init.argument);
  await asAuthor(context, server);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${origin}${path}#/collections/${hash}`);
  // Decap asks for nothing, but wants a press of its button.
  const login = page.getByRole("button", { name: "Login" });
  await login.or(page.getByText("Writing in")).first().waitFor();
  if (await login.isVisible()) await login.click();
  await page.getByText("Writing in").waitFor();
  return { page, errors, close: () => context.close() };
}

const field = (page, label) => page.getByLabel(new RegExp(`^${label}\\b`, "i")).first();

/** The page beside the form. */
const beside = (page) => page.frameLocator("iframe").frameLocator("iframe");

/** Saves, and waits until it is done. */
async function publish(page) {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("menuitem", { name: "Publish now" }).or(page.getByText("Publish now")).first().click();
}
const saved = (page) => page.getByText("Entry saved").first().waitFor();

describe("an hour of an editor", () => {
  it("adds a post with a picture, and its translation", async () => {
    const picture = join(ROOT, "docs/new-site.jpg");
    for (const [code, title, slug] of [
      ["en", "What we learned: part 1", "what-we-learned-part-1"],
      ["es", "Lo que aprendimos: parte 1", "lo-que-aprendimos-parte-1"],
    ]) {
      const { page, errors, close } = await open(`posts-${code}/new`);
      await field(page, "Title").fill(title);
      await field(page, "Date").fill("2025-01-05");
      await field(page, "Author").click();
      await page.keyboard.type("Hannah");
      await page.locator('[id*="-option-"]').filter({ hasText: "Hannah" }).first().waitFor();
      await page.keyboard.press("Enter");
      await field(page, "Excerpt").fill("Said in short.");
      await field(page, "Key").fill("learned-1");
      await page.getByRole("button", { name: "Choose or upload an image" }).click();
      if (code === "en") await page.locator("input[type=file]").first().setInputFiles(picture);
      else await page.getByText("new-site.jpg").click();
      const choose = page.getByRole("button", { name: "Choose selected" });
      await choose.click();
      await choose.waitFor({ state: "hidden" });
      await page.getByLabel("What it shows").fill("A site that was just created");
      // A click sets the point, arrow keys move it.
      const sight = page.locator(".sitegen-sight");
      await sight.locator("img").evaluate((/** @type {HTMLImageElement} */ image) => image.decode());
      await sight.click({ position: { x: 1, y: 1 } });
      await sight.press("ArrowRight");
      await page.locator("[role=textbox][contenteditable=true]").last().fill("First of all, thanks.");
      // It is beside the form before there is a file.
      await beside(page).getByRole("heading", { name: title }).waitFor();
      await beside(page).getByText("First of all, thanks.").waitFor();
      assert.equal(`content/blog/${code}/${slug}.md` in (await changes()), false);
      await publish(page);
      await saved(page);
      assert.deepEqual(errors, []);
      const text = await read(`content/blog/${code}/${slug}.md`);
      const front = `---\ntitle: "${title}"\ndate: 2025-01-05\nauthor: hannah-osei\nexcerpt: Said in short.\n`;
      assert.ok(text.startsWith(front), text);
      assert.match(
        text,
        /image:\n {2}src: uploads\/new-site\.jpg\n {2}alt: A site that was just created\n {2}focus: \[0\.\d+, 0\]\n/,
      );
      assert.ok(text.includes("key: learned-1\n---\n\nFirst of all, thanks.\n"), text);
      // The page appears beside the form when it was built.
      await beside(page).getByRole("heading", { name: title }).waitFor();
      await close();
    }
    const files = Object.keys(await changes());
    assert.deepEqual(files, [
      "content/blog/en/what-we-learned-part-1.md",
      "content/blog/es/lo-que-aprendimos-parte-1.md",
      "content/images/uploads/new-site.jpg",
    ]);
    assert.deepEqual(await readFile(join(server.root, files[2])), await readFile(picture));
    await commit();
  });

  it("saves twice without closing the form", async () => {
    const { page, errors, close } = await open("posts-en/entries/what-we-learned-part-1");
    for (const title of ["What we learned: part one", "What we learned, part one"]) {
      await field(page, "Title").press("ControlOrMeta+a");
      await page.keyboard.type(title);
      await beside(page).getByRole("heading", { name: title, exact: true }).waitFor();
      await publish(page);
      await saved(page);
      await page.getByText("Entry saved").first().waitFor({ state: "hidden" });
      const text = await read("content/blog/en/what-we-learned-part-1.md");
      assert.ok(text.startsWith(`---\ntitle: "${title}"\n`) || text.startsWith(`---\ntitle: ${title}\n`), text);
    }
    assert.deepEqual(errors, []);
    await close();
    await commit();
  });

  it("changes a price in both languages", async () => {
    for (const [code, intro] of [
      ["en", "From $1,250 a month, with a guarantee: “it works”."],
      ["es", "Desde 1250 dólares al mes, con garantía: “funciona”."],
    ]) {
      const { page, errors, close } = await open(`pages/entries/pages-services-${code}`);
      const box = page.getByText(/^Hero/i).first();
      await box.waitFor();
      await page.locator("[id^=hero-field] button").first().click();
      await field(page, "Note").fill(intro);
      await beside(page).getByText(intro).waitFor();
      assert.equal(`content/pages/services/${code}.yaml` in (await changes()), false);
      // A mistake is told beside the page, which stays.
      await field(page, "Note").fill("{product.nmae}");
      await page.frameLocator("iframe").getByRole("status").filter({ hasText: "product.nmae" }).waitFor();
      await beside(page).getByText(intro).waitFor();
      await field(page, "Note").fill(intro);
      await page.frameLocator("iframe").getByRole("status").filter({ hasText: "Nothing is saved yet" }).waitFor();
      await publish(page);
      await saved(page);
      assert.deepEqual(errors, []);
      await close();
      const own = (await changes())[`content/pages/services/${code}.yaml`];
      assert.ok(own.length <= 2 && own.at(-1).startsWith("+hero.note: ") && own.at(-1).includes(intro), own.join("\n"));
    }
    assert.equal(Object.keys(await changes()).length, 2);
    await commit();
  });

  it("moves a section", async () => {
    const before = await read("content/pages/about/page.yaml");
    const { page, errors, close } = await open("pages/entries/pages-about-page");
    const bar = async (name) => {
      const item = page.getByText(name, { exact: true }).first().locator("xpath=ancestor::div[label][1]");
      return item.locator("xpath=./div[button]").first().boundingBox();
    };
    await page.getByText("quote", { exact: true }).first().waitFor();
    const [from, to] = [await bar("quote"), await bar("photo")];
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + from.width / 2, from.y - 20, { steps: 5 });
    await page.mouse.move(to.x + to.width / 2, to.y + 2, { steps: 10 });
    await page.mouse.up();
    await publish(page);
    await saved(page);
    assert.deepEqual(errors, []);
    await close();
    const after = await read("content/pages/about/page.yaml");
    assert.deepEqual(after.split("\n").toSorted(), before.split("\n").toSorted());
    assert.ok(after.indexOf("  quote:") < after.indexOf("  photo:") && before.indexOf("  photo:") < before.indexOf("  quote:"));
    const own = (await changes())["content/pages/about/page.yaml"];
    assert.ok(own.length <= 8, own.join("\n"));
    await commit();
  });

  it("keeps what somebody else has changed, and says what it cannot keep", async () => {
    const path = "content/authors/hannah-osei.yaml";
    const { page, close } = await open("entries-authors/entries/hannah-osei");
    await field(page, "Name").fill("Hannah O.");
    const text = await read(path);
    await writeFile(join(server.root, path), text.replace("name: Hannah Osei", "name: H. Osei"));
    await publish(page);
    const message = page.getByRole("dialog", { name: "Nothing was saved" });
    await message.waitFor();
    assert.match(await message.innerText(), /name.*H\. Osei/s);
    await message.getByRole("button", { name: "Close" }).click();
    // The words are still there to be copied.
    assert.equal(await field(page, "Name").inputValue(), "Hannah O.");
    assert.ok((await read(path)).includes("name: H. Osei"));
    await close();
    await writeFile(join(server.root, path), text);
  });
});

it("every form opens and gives back what it was given", async () => {
  const { page, errors, close } = await open("pages/entries/pages-home-en");
  // In the browser, because the formats are scripts of the page.
  const wrong = await page.evaluate(async () => {
    const { toFile, toForm } = await import(`${location.origin}/admin/convert.js`);
    const { config, sitegen: own } = await (await fetch("config.json")).json();
    const ask = async (action, params) => {
      const body = JSON.stringify({ action, params });
      return (await fetch("api", { method: "POST", headers: { "Content-Type": "application/json" }, body })).json();
    };
    // Keys of a block have no order, but those that are a list in the form.
    const sorted = (value) => {
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toSorted()
          .map(([key, item]) => [key, sorted(item)]),
      );
    };
    const wrong = [];
    let count = 0;
    for (const { files, folder, extension, format } of config.collections) {
      const { kind, rules } = own.formats.find(({ name }) => name === format);
      const asked = files?.map(({ file, label }) => ({ path: file, label }));
      const entries = files
        ? await ask("entriesByFiles", { files: asked })
        : await ask("entriesByFolder", { folder, extension, depth: 1 });
      for (const { data, file } of entries) {
        const { __sitegen: meta, ...values } = JSON.parse(data);
        const { __sitegen: back, ...result } = toFile(toForm({ ...values, __sitegen: meta }, kind, rules), kind, rules);
        const isSame = JSON.stringify(sorted(result.__items ?? result)) === JSON.stringify(sorted(values.__items ?? values));
        if (!isSame || back.base !== meta.base) wrong.push(file.path);
        count += 1;
      }
    }
    return count > 100 ? wrong : [`only ${count} files`];
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(errors, []);
  await close();
});

it("works on a phone", async () => {
  const { page, errors, close } = await open("entries-authors/entries/hannah-osei", { viewport: PHONE });
  await field(page, "Name").waitFor();
  assert.deepEqual(errors, []);
  await close();
});

describe("for a Git host", () => {
  const SITE = "content/site.yaml";
  let folder;
  let files;
  let origin;

  before(async () => {
    folder = await temporaryFolder();
    const out = join(folder.path, "forms");
    const written = await sitegen("cms", out, "--root", server.root, "--backend", "test-repo", "--repo", "a/b");
    assert.equal(written.code, 0, written.stderr);
    const types = { html: "text/html", js: "text/javascript", json: "application/json", css: "text/css" };
    const [, policy] = /Content-Security-Policy: (.*)/.exec(await readFile(join(out, "_headers"), "utf8"));
    files = createServer(async (request, response) => {
      const path = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
      const bytes = await readFile(join(out, path)).catch(() => null);
      const kind = types[path.split(".").at(-1)] ?? "text/plain";
      response.writeHead(bytes ? 200 : 404, { "Content-Type": kind, "Content-Security-Policy": policy });
      response.end(bytes ?? "not found");
    });
    await new Promise((resolve) => files.listen(0, "127.0.0.1", () => resolve(undefined)));
    origin = `http://127.0.0.1:${/** @type {any} */ (files.address()).port}`;
  });
  after(async () => {
    await new Promise((resolve) => files.close(resolve));
    await folder.remove();
  });

  /** Opens the settings of the site. Decap keeps the repository in the page: `text` reads a file, `commit` is somebody else. */
  async function openSettings() {
    const repository = {};
    for (const path of ["content/pages/about/page.yaml", SITE, "content/pages/about/es.yaml"]) {
      const parts = path.split("/");
      let at = repository;
      for (const part of parts.slice(0, -1)) at = at[part] ??= {};
      at[parts.at(-1)] = { content: await read(path) };
    }
    const init = { script: (tree) => Object.assign(window, { repoFiles: tree }), argument: repository };
    const { page, errors, close } = await open("data-site/entries/site", { origin, path: "/", init });
    const text = () => page.evaluate(() => globalThis.repoFiles.content["site.yaml"]?.content);
    const commit = (content) =>
      page.evaluate((content) => {
        globalThis.repoFiles.content["site.yaml"] = { content };
      }, content);
    await field(page, "Tag manager").waitFor();
    return { page, errors, close, text, commit };
  }

  /** Types the identifier of a tag manager over the one that is there, and saves. */
  async function save(page, id) {
    const input = field(page, "Tag manager");
    await input.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(id);
    await publish(page);
  }

  const { tag_manager: id } = settings;

  it("comments and order are kept in the browser", async () => {
    const { page, errors, close, text } = await openSettings();
    await save(page, "GTM-OTHER");
    await saved(page);
    assert.equal(await text(), (await read(SITE)).replace(`tag_manager: ${id}`, "tag_manager: GTM-OTHER"));
    assert.deepEqual(errors, []);
    await close();
  });

  it("commits of others stay, at the second save of a form, too", async () => {
    const { page, errors, close, text, commit } = await openSettings();
    const before = await read(SITE);
    const byOthers = `# A comment of somebody else.\n${before.replace(/^timezone: .*\n/m, "")}timezone: Asia/Tokyo\n`;
    await commit(byOthers);
    await save(page, "GTM-OTHER");
    await saved(page);
    assert.equal(await text(), byOthers.replace(`tag_manager: ${id}`, "tag_manager: GTM-OTHER"));
    const later = byOthers.replace("Asia/Tokyo", "Europe/Madrid");
    await commit(later.replace(`tag_manager: ${id}`, "tag_manager: GTM-OTHER"));
    await page.getByText("Entry saved").first().waitFor({ state: "hidden" });
    await save(page, "GTM-LATER");
    await saved(page);
    assert.equal(await text(), later.replace(`tag_manager: ${id}`, "tag_manager: GTM-LATER"));
    assert.deepEqual(errors, []);
    await close();
  });

  it("a value that others have changed is not replaced, and a message names it", async () => {
    const { page, close, text, commit } = await openSettings();
    const byOthers = (await read(SITE)).replace(`tag_manager: ${id}`, "tag_manager: GTM-THEIRS");
    await commit(byOthers);
    await save(page, "GTM-OTHER");
    const message = page.getByRole("dialog", { name: "Nothing was saved" });
    await message.getByText("`tag_manager` was changed in content/site.yaml while the form was open").waitFor();
    assert.match(await message.textContent(), /`GTM-THEIRS`/);
    await message.getByRole("button", { name: "Close" }).click();
    assert.equal(await text(), byOthers);
    assert.equal(await field(page, "Tag manager").inputValue(), "GTM-OTHER");
    await close();
  });

  it("a file that others have deleted stays deleted, and a message says so", async () => {
    const { page, close, text } = await openSettings();
    await page.evaluate(() => delete globalThis.repoFiles.content["site.yaml"]);
    await save(page, "GTM-OTHER");
    const message = page.getByRole("dialog", { name: "Nothing was saved" });
    await message.getByText("content/site.yaml was moved or deleted").waitFor();
    assert.equal(await text(), undefined);
    await close();
  });
});
