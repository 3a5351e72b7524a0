// Takes pictures of the pages that differ between two outputs: `node tests/browser/diff-pictures.mjs OLD NEW FOLDER
// PATH…` writes FOLDER/<path>-<width>-old.png, -new.png, and -diff.png, where pixels that differ are red. Without a path,
// it takes the most changed pages of `sitegen diff`. It needs the release binary.

import { createReadStream, existsSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import sharp from "sharp";
import { DESKTOP, openBrowser, PHONE, sitegen, visit } from "./site.mjs";

/** The maximum number of pages without a path. */
const PAGES = 20;
/** Content types of the files that a page loads. */
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

const [old, fresh, folder, ...wanted] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node tests/browser/diff-pictures.mjs OLD NEW FOLDER [PATH…]");
  process.exit(2);
}

/** Serves a folder on a free port. */
async function host(root) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = join(root, normalize(decodeURIComponent(pathname)));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** The addresses of the pages that differ, the most changed first. */
async function changedPages() {
  const { code, stdout, stderr } = await sitegen("diff", old, fresh, "--format", "json");
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout)
    .changed.slice(0, PAGES)
    .map(({ address }) => address);
}

/** A picture of a page as pixels, without motion. */
const picture = (browser, url, viewport) =>
  visit(browser, url, { viewport }, async (page) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    return page.screenshot({ fullPage: true, animations: "disabled" });
  });

/** The new picture in gray, with pixels that differ in red, and how many differ. A longer page differs at its end. */
async function difference(before, after) {
  const read = (bytes) => sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const [was, is] = await Promise.all([read(before), read(after)]);
  const { width, height } = is.info;
  const pixels = Buffer.alloc(width * height * 3);
  let count = 0;
  for (let at = 0; at < pixels.length; at += 3) {
    const differs = [0, 1, 2].some((part) => was.data[at + part] !== is.data[at + part]);
    const gray = 128 + (is.data[at] + is.data[at + 1] + is.data[at + 2]) / 6;
    pixels.set(differs ? [220, 0, 0] : [gray, gray, gray], at);
    if (differs) count += 1;
  }
  return {
    count,
    png: await sharp(pixels, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  };
}

const paths = wanted.length > 0 ? wanted : await changedPages();
const hosts = await Promise.all([old, fresh].map(host));
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  for (const path of paths) {
    const name = path.replaceAll("/", "-").replace(/^-|-$/g, "") || "home";
    for (const viewport of [PHONE, DESKTOP]) {
      const before = await picture(browser, hosts[0].origin + path, viewport);
      const after = await picture(browser, hosts[1].origin + path, viewport);
      const { count, png } = await difference(before, after);
      const file = (side) => join(folder, `${name}-${viewport.width}-${side}.png`);
      await writeFile(file("old"), before);
      await writeFile(file("new"), after);
      await writeFile(file("diff"), png);
      console.log(`${path} ${viewport.width}: ${count} pixels differ`);
    }
  }
} finally {
  await browser.close();
  for (const { stop } of hosts) stop();
}
