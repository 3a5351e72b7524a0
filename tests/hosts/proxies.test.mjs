// Two visitors behind two real nginx: one that ends TLS elsewhere, here without TLS, and the one of the container before the
// API. Each visitor has limits of its own, whatever it writes into headers.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../browser/site.mjs";
import { buildSite, runNginx } from "./hosts.mjs";

const TOKEN = "token-of-the-tests";
const PROXY = "127.0.0.1";
const VISITORS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
/** @type {Array<() => unknown>} */
const stops = [];
let site;
let provider;

before(async () => {
  site = await buildSite();
  stops.push(() => site.remove());
  provider = http.createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify({ success: true, hostname: "small.example" })));
  });
  provider.listen(0, PROXY);
  await once(provider, "listening");
  stops.push(() => provider.close());
});

after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** `site-api` with two leads a minute for each visitor. Gives its port. */
async function startApi(name, settings) {
  const child = spawn(join(ROOT, "target/release/site-api"), {
    cwd: site.path,
    env: {
      LISTEN: `${PROXY}:0`,
      LEADS_STORE: `${name}.sqlite3`,
      LEADS_PER_MINUTE: "2",
      CAPTCHA_SECRET: "s3cret",
      CAPTCHA_VERIFY_URL: `http://${PROXY}:${provider.address().port}/`,
      METRICS_TOKEN: TOKEN,
      ...settings,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  stops.push(() => child.kill());
  for await (const line of createInterface({ input: child.stderr })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1];
    if (port) {
      child.stderr.resume();
      return port;
    }
  }
  throw new Error("site-api ended");
}

async function freePort() {
  const server = net.createServer().listen(0, PROXY);
  await once(server, "listening");
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

async function startProxy(name, server) {
  const port = await freePort();
  const proxy = await runNginx(join(site.path, name), `listen ${PROXY}:${port};\n${server}`, { hostname: PROXY, port });
  stops.push(proxy.stop);
  return { ...proxy, port };
}

/** The outer proxy before the inner one before the API. `trusted` is written by the script of the container. */
async function chain(name, trusted, settings) {
  const api = await startApi(name, settings);
  const snippet = readFileSync(join(site.deploy, "nginx-api.conf"), "utf8").replaceAll(":4100", `:${api}`);
  await writeFile(join(site.path, `${name}-api.conf`), snippet);
  const realIp = spawnSync(join(ROOT, "deploy/real-ip.sh"), [trusted], { encoding: "utf8" });
  assert.equal(realIp.status, 0, realIp.stderr);
  const inner = await startProxy(`${name}-inner`, `${realIp.stdout}\ninclude ${site.path}/${name}-api.conf;`);
  return startProxy(
    `${name}-outer`,
    `location / {
      proxy_pass http://${PROXY}:${inner.port};
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
  );
}

let number = 0;
async function lead({ ask }, from, headers = {}) {
  number += 1;
  const body = JSON.stringify({
    ...{ name: "Ana Ruiz", email: "ana@example.com", company: "", phone: "", projectType: "Support", message: "one" },
    recaptchaToken: `token ${number}`,
  });
  const sent = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers };
  return (await ask({ method: "POST", path: "/api/leads", headers: sent, body, from })).status;
}

/** @type {Array<[string, string, Record<string, string>]>} */
const chains = [
  ["nginx and the API trust the outer proxy", PROXY, { TRUSTED_PROXIES: PROXY }],
  ["the API alone trusts both proxies", "", { TRUSTED_PROXIES: "127.0.0.1/32,::1" }],
  ["the API has the settings of before", PROXY, { CLIENT_ADDRESS_HEADER: "X-Forwarded-For", TRUSTED_PROXIES: PROXY }],
];
// Only Linux has all addresses of 127.0.0.0/8.
const skip = process.platform !== "linux";
for (const [index, [name, trusted, settings]] of chains.entries()) {
  describe(name, { skip }, () => {
    it("counts each visitor for itself, whatever they write", async () => {
      const proxy = await chain(`chain${index}`, trusted, settings);
      const [first, second, third] = VISITORS;
      assert.deepEqual([await lead(proxy, first), await lead(proxy, first)], [200, 200]);
      for (const forged of ["", "203.0.113.9", PROXY, `203.0.113.9, ${PROXY}`, "unknown", ",", "203.0.113.9,"]) {
        assert.equal(await lead(proxy, first, { "x-forwarded-for": forged }), 429, forged);
        assert.equal(await lead(proxy, first, { "x-real-ip": forged, forwarded: `for=${forged}` }), 429, forged);
      }
      // Nobody can use up what is left to another one.
      for (const _ of [1, 2, 3]) await lead(proxy, third, { "x-forwarded-for": second });
      assert.equal(await lead(proxy, second), 200);
    });
  });
}

it("metrics are not read through a proxy that adds no header", async () => {
  const port = await startApi("bare", {});
  for (const version of ["1.0", "1.1"]) {
    const bare = await startProxy(
      `bare-${version}`,
      `location / {\n proxy_pass http://${PROXY}:${port};\n proxy_http_version ${version};\n }`,
    );
    for (const headers of [{}, { host: `${PROXY}:${port}` }, { authorization: "Bearer wrong-token-of-the-tests" }]) {
      assert.equal((await bare.ask({ path: "/api/metrics", headers })).status, 404);
    }
    assert.equal((await bare.ask({ path: "/api/metrics", headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);
  }
});
