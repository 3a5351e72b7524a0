// Tests of `sitegen serve` over HTTP: paths, redirects, headers, compression, malicious requests, and a port in use.

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { after, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { locales, ROOT, settings, sitegen, startSite } from "./site.mjs";

const site = await startSite();
after(() => site.stop());

const get = (path, headers = {}) => fetch(site.origin + path, { redirect: "manual", headers });

describe("paths", () => {
  for (const { path } of [...site.pages, ...site.copies]) {
    if (path === "/") continue;
    it(`${path} responds with and without a trailing slash`, async () => {
      assert.equal((await get(path)).status, 200);
      const bare = await get(path.replace(/\/$/, ""));
      if (bare.status !== 200) {
        assert.ok([301, 308].includes(bare.status), `status ${bare.status}`);
        assert.equal(new URL(bare.headers.get("location"), site.origin).pathname, path);
      }
    });
  }

  for (const { path, to } of site.redirects) {
    it(`${path} redirects permanently to ${to}`, async () => {
      for (const form of [path, path.replace(/\/?$/, "/")]) {
        const answer = await get(form);
        assert.equal(answer.status, 301, form);
        const target = new URL(answer.headers.get("location"), site.origin + form);
        assert.equal(target.pathname, new URL(to, site.origin).pathname);
        assert.equal((await get(target.pathname)).status, 200);
      }
    });
  }

  it("all redirects of site.yaml are served", () => {
    const served = site.redirects.map(({ path }) => path.replace(/\/$/, "")).sort();
    assert.deepEqual(served, settings.redirects.map(({ from }) => from.replace(/\/$/, "")).sort());
  });

  it("an unknown path responds with the error page in its language", async () => {
    for (const path of ["/no-such-page", "/services/no-such-page/", "/es/no-such-page/"]) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get("content-type"), /^text\/html; *charset=utf-8/i);
      const { language } = locales[path.startsWith("/es/") ? "es" : "en"];
      assert.match(await answer.text(), new RegExp(`<html[^>]* lang="?${language}\\b`), path);
    }
  });

  it("a HEAD request gets a response without a body", async () => {
    const answer = await fetch(site.origin, { method: "HEAD" });
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), "");
  });

  it("methods other than GET and HEAD are rejected", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      assert.equal((await fetch(site.origin, { method })).status, 405, method);
    }
  });
});

describe("headers", () => {
  for (const path of ["/", "/no-such-page/"]) {
    it(`of ${path} disable features that the site does not use`, async () => {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src '(none|self)'/);
      assert.match(policy, /object-src 'none'|default-src 'none'/);
      assert.match(policy, /base-uri '(none|self)'/);
      assert.match(policy, /frame-ancestors '(none|self)'/);
      assert.match(policy, /form-action /);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("referrer-policy") ?? "", /strict-origin|no-referrer|same-origin/);
      assert.ok(headers.get("permissions-policy"), "permissions-policy");
    });
  }

  it("let browsers cache hashed files permanently, and revalidate pages", async () => {
    const page = await get("/");
    assert.doesNotMatch(page.headers.get("cache-control") ?? "", /immutable/);
    const html = (await page.text()).replaceAll("&#x2f;", "/");
    const assets = [...html.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|woff2))"/g)].map(([, path]) => path);
    assert.ok(assets.length >= 2, `style and script in ${assets}`);
    for (const path of assets) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.match(answer.headers.get("cache-control") ?? "", /max-age=31536000.*immutable/, path);
      if (path.endsWith(".woff2")) assert.equal(answer.headers.get("content-type"), "font/woff2", path);
    }
  });
});

describe("compression", () => {
  /** Returns the response without decompressing it, as `fetch` would. */
  const raw = (path, encoding) =>
    new Promise((resolve, reject) => {
      http
        .get(site.origin + path, { headers: { "accept-encoding": encoding } }, (answer) => {
          const chunks = [];
          answer.on("data", (chunk) => chunks.push(chunk));
          answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
        })
        .on("error", reject);
    });

  for (const [encoding, unpack] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
    it(`with ${encoding} yields the same page in fewer bytes`, async () => {
      const plain = await raw("/", "identity");
      const packed = await raw("/", encoding);
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(packed.headers["content-encoding"], encoding);
      assert.match(packed.headers.vary ?? "", /accept-encoding/i);
      assert.ok(packed.body.length < plain.body.length / 2, `${packed.body.length} of ${plain.body.length} bytes`);
      assert.deepEqual(unpack(packed.body), plain.body);
    });
  }
});

describe("malicious requests", () => {
  /** Sends a request without normalizing its path, as `fetch` would, and returns the whole response. */
  const send = (request) =>
    new Promise((resolve, reject) => {
      const socket = net.connect({ host: "127.0.0.1", port: Number(new URL(site.origin).port) });
      let answer = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk) => (answer += chunk));
      socket.on("end", () => resolve(answer));
      socket.on("error", reject);
      socket.write(request);
    });

  const paths = [
    "/../../../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2f..%2f..%2f..%2fetc/passwd",
    "/%252e%252e/%252e%252e/etc/passwd",
    "/..%5c..%5c..%5cetc/passwd",
    "//etc/passwd",
    "/services/../../../../../../etc/passwd",
    "/%00",
    "/index.html%00.css",
    "/%ff%fe",
    "/%",
    `/${"a".repeat(6000)}`,
    "/.sitegen/",
    "/.git/config",
    "/../Cargo.toml",
  ];
  for (const path of paths) {
    it(`GET ${path.slice(0, 60)} is rejected`, async () => {
      const answer = await send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
      assert.doesNotMatch(answer, /root:|\[package\]|\[core\]|panicked|src\//);
    });
  }

  it("a redirect never leads to another host", async () => {
    for (const path of ["//example.com", "//example.com/%2e%2e", "/\\example.com", "/%5cexample.com"]) {
      const answer = await send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      assert.doesNotMatch(answer, /^location: *(\/\/|\/\\|https?:)/im, path);
    }
  });

  it("the server keeps running after all of them", async () => {
    assert.equal((await get("/")).status, 200);
  });
});

describe("a port in use", () => {
  it("is an error that names the next free port", async () => {
    const port = new URL(site.origin).port;
    const { code, stderr } = await sitegen("serve", "--no-watch", "--root", ROOT, "--out", site.folder, "--port", port);
    assert.equal(code, 3);
    assert.match(stderr, new RegExp(`\\b${port}\\b`));
    const free = [...stderr.matchAll(/\b\d{4,5}\b/g)].map(Number).find((named) => named > Number(port));
    assert.ok(free, stderr);
    await new Promise((resolve, reject) => {
      const probe = net
        .createServer()
        .once("error", reject)
        .listen(free, "127.0.0.1", () => probe.close(resolve));
    });
  });
});
