// A robot that keeps the rules, on each host: it reads robots.txt and sitemaps, follows links, and lists what neither a header
// nor the page itself forbids. It lists all public pages of a site, and nothing of a copy for staging.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ROOT, sitegen, temporaryFolder } from "../browser/site.mjs";
import { Document } from "../html/dom.mjs";
import { startCloudFront, startNginx, startServe } from "./hosts.mjs";

const PDF = "/prices.pdf";
const DRAFT = "/blog/soon/";
const SITE = "https://small.example";

/** Builds a new site with a file and a draft, for all hosts. */
async function build(flags) {
  const folder = await temporaryFolder();
  // nginx may drop privileges, and must be able to read the folder.
  await chmod(folder.path, 0o755);
  const path = join(folder.path, "site");
  const run = async (...command) => {
    const { code, stderr } = await sitegen(...command);
    assert.equal(code, 0, stderr);
  };
  await run("new", path, "--sample", "--languages", "en,es", "--name", "Small");
  await symlink(join(ROOT, "node_modules"), join(path, "node_modules"));
  const settings = join(path, "content/site.yaml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace(/^base_url: .*$/m, `base_url: ${SITE}/`));
  writeFileSync(join(path, "static", PDF), "%PDF-1.7");
  const post = readFileSync(join(path, "content/blog/en", "a-calendar-not-a-hero.md"), "utf8");
  const [author] = /^author: .*$/m.exec(post);
  const soon = `---\ndraft: true\ntitle: Soon\nexcerpt: What comes next.\ndate: 2026-01-02\n${author}\n---\n\nSoon.\n`;
  writeFileSync(join(path, "content/blog/en/soon.md"), soon);
  // For Netlify, so that the headers are in a file.
  for (const command of ["build", "hosts"]) await run(command, "--root", path, "--set", "host=netlify", ...flags);
  const dist = join(path, "dist");
  return {
    ...folder,
    path,
    base: "",
    flags: ["--set", "host=netlify", ...flags],
    dist,
    root: dist,
    deploy: join(path, "deploy/generated"),
  };
}

/** A host that serves a folder as it is, with the headers of `_headers` for all paths, or with none. */
function startFolder(folder, hasHeaders) {
  const headers = {};
  if (hasHeaders) {
    const [everywhere] = readFileSync(join(folder, "_headers"), "utf8")
      .split(/^\/\*$/m)[1]
      .split(/^\S/m);
    for (const [, name, value] of everywhere.matchAll(/^ +([\w-]+): (.*)$/gm)) headers[name.toLowerCase()] = value;
  }
  const answer = (path) => {
    const file = join(folder, decodeURI(path.endsWith("/") ? `${path}index.html` : path));
    const isThere = existsSync(file);
    return { status: isThere ? 200 : 404, headers, body: isThere ? readFileSync(file) : Buffer.alloc(0) };
  };
  return { ask: async ({ path }) => answer(path), stop: async () => {} };
}

/** The paths that a robot may not read. */
const forbidden = (robots) => {
  const lines = robots.split("\n").map((line) => line.split(/:(.*)/s).map((part) => part.trim()));
  return lines.filter(([name, path]) => /^disallow$/i.test(name) && path).map(([, path]) => path);
};

/** Whether a header or a meta element forbids to list something. */
const forbids = (value) => /(?:^|[\s,])(?:noindex|none)(?:$|[\s,])/i.test(value ?? "");

/** Visits a site as a robot does, and returns the addresses that it lists. */
async function list({ ask }, origin) {
  const text = async (path) => {
    const { status, body } = await ask({ path });
    return status === 200 ? body.toString() : "";
  };
  const robots = await text("/robots.txt");
  const rules = forbidden(robots);
  const [listed, seen] = [new Set(), new Set()];
  const queue = ["/", PDF, DRAFT];
  const reach = (href, from) => {
    const url = new URL(href, new URL(from, origin));
    if (url.origin === origin) queue.push(url.pathname);
  };
  for (const [, sitemap] of robots.matchAll(/^sitemap: *(\S+)$/gim)) reach(sitemap, "/");
  // Robots try the usual address, too.
  queue.push("/sitemap.xml");
  for (let path = queue.pop(); path; path = queue.pop()) {
    if (seen.has(path) || rules.some((rule) => path.startsWith(rule))) continue;
    seen.add(path);
    const { status, headers, body } = await ask({ path });
    if (headers.location) reach(headers.location, path);
    if (status !== 200) continue;
    if (path.endsWith(".xml")) {
      for (const [, href] of body.toString().matchAll(/<loc>([^<]+)<\/loc>/g)) reach(href, path);
      continue;
    }
    if (!path.endsWith("/")) {
      if (!forbids(headers["x-robots-tag"])) listed.add(path);
      continue;
    }
    const document = new Document(body.toString());
    const named = (name) => document.elements.filter((element) => element.name === name);
    for (const link of named("a")) if (link.has("href")) reach(link.get("href"), path);
    const meta = named("meta").find((element) => element.get("name") === "robots");
    const refresh = named("meta").find((element) => element.get("http-equiv") === "refresh");
    if (refresh) reach(/url=(.*)/i.exec(refresh.get("content"))[1], path);
    if (refresh || forbids(headers["x-robots-tag"]) || forbids(meta?.get("content"))) continue;
    const canonical = named("link").find((element) => element.get("rel") === "canonical");
    listed.add(new URL(canonical?.get("href") ?? path, origin).pathname);
  }
  return { listed: [...listed].map(decodeURI).sort(), visited: seen.size };
}

const STAGING = "https://staging.small.example";
const [site, copy, drafts] = await Promise.all([[], ["--base-url", STAGING], ["--drafts"]].map(build));
after(() => Promise.all([site, copy, drafts].map(({ remove }) => remove())));

/**
 * By name: how a host is started, and whether it can send headers, without which a file that is no page can be listed.
 * @type {Record<string, [(site: any) => any, boolean]>}
 */
const HOSTS = {
  serve: [startServe, true],
  nginx: [startNginx, true],
  cloudfront: [startCloudFront, true],
  "a host that reads _headers": [({ dist }) => startFolder(dist, true), true],
  "a host without headers": [({ dist }) => startFolder(dist, false), false],
};

const { stdout } = await sitegen("routes", "--json", "--root", site.path);
const pages = JSON.parse(stdout).filter(({ kind, status }) => kind === "page" && status === 200);
const hidden = (path) => /name="robots" content="noindex"/.test(readFileSync(join(site.dist, path, "index.html"), "utf8"));
const published = pages.map(({ path }) => path).filter((path) => !hidden(path));

for (const [name, [start, sendsHeaders]] of Object.entries(HOSTS)) {
  describe(`a robot on ${name}`, () => {
    /** Starts the host with a build, and lists it. */
    const visit = async (of, origin) => {
      const host = await start(of);
      try {
        return await list(host, origin);
      } finally {
        await host.stop();
      }
    };

    it("lists all pages of the site, and its file, and no draft", async () => {
      const { listed } = await visit(site, SITE);
      assert.ok(published.length > 10, `${published.length} pages`);
      assert.deepEqual(listed, [...published, PDF].sort());
    });

    for (const [what, of, origin] of [
      ["a copy on another host", copy, STAGING],
      ["a build with drafts", drafts, SITE],
    ]) {
      it(`visits ${what}, and lists nothing of it`, async () => {
        const { listed, visited } = await visit(of, origin);
        assert.ok(visited > published.length, `visited ${visited} addresses`);
        assert.deepEqual(listed, sendsHeaders ? [] : [PDF]);
      });
    }
  });
}
