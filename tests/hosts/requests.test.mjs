// Runs the requests in requests.yaml against each host that sitegen generates rules for, with the site at the root of
// the host, and below a path.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { buildSite, startCloudFront, startNginx, startServe } from "./hosts.mjs";

const table = parse(readFileSync(new URL("requests.yaml", import.meta.url), "utf8"), { merge: true });
const sites = await Promise.all(["", "/docs/v1.2"].map((base) => buildSite(base)));
/** @type {Record<string, any>} */
const hosts = {};
for (const site of sites) {
  const add = (name, host) => (hosts[`${name}${site.base && `, below ${site.base}/`}`] = { name, site, ...host });
  add("serve", await startServe(site));
  add("nginx", await startNginx(site));
  add("cloudfront", startCloudFront(site));
}
after(async () => {
  for (const host of Object.values(hosts)) await host.stop();
  for (const site of sites) await site.remove();
});

const rows = [
  ...table.addresses.map((row) => ({ on: ["serve", "nginx", "cloudfront"], ...row })),
  ...table.exchanges.map((row) => ({ on: ["serve", "nginx"], ...row })),
];

for (const [name, host] of Object.entries(hosts)) {
  describe(name, () => {
    for (const row of rows.filter(({ on }) => on.includes(host.name))) {
      const { method = "GET", path, send = {}, again } = row;
      const sent = Object.entries(send).map(([header, value]) => ` with ${header}: ${value}`);
      it(`${method} ${path}${again ? " again" : ""}${sent.join("")} is ${row.location ? `redirected to ${row.location}` : row.status}`, () =>
        check(host, row));
    }
  });
}

describe("the root of a host whose site is below a path", () => {
  const { ask, site } = hosts["serve, below /docs/v1.2/"];

  it("is redirected by serve", async () => {
    const { status, headers } = await ask({ path: "/" });
    assert.deepEqual([status, headers.location], [302, `${site.base}/`]);
  });

  it("has nothing else", async () => {
    for (const path of ["/about/", "/docs/", "/docs/v1.20/", "/api/health"]) {
      assert.equal((await ask({ path })).status, 404, path);
    }
    assert.equal((await ask({ path: site.base })).status, 200);
  });
});

async function check(
  { ask, site },
  { method, path, send = {}, again, status, location, body, lacks, same_as: same, empty, headers = {} },
) {
  const at = (path) => site.base + filled(site, path);
  const since = again ? { "if-modified-since": (await ask({ path: at(path) })).headers["last-modified"] } : {};
  const answer = await ask({ method, path: at(path), headers: { ...send, ...since } });
  const text = unpacked(answer);
  assert.ok([status].flat().includes(answer.status), `status ${answer.status}`);
  assert.equal(answer.headers.location, location?.startsWith("/") ? site.base + location : location);
  if (body) assert.ok(text.includes(body), `the body lacks "${body}":\n${text}`);
  if (lacks) assert.ok(!text.includes(lacks), `the body holds "${lacks}":\n${text}`);
  if (empty) assert.equal(text, "");
  if (same) {
    const other = await ask({ path: at(same) });
    assert.equal(other.status, 200, same);
    assert.equal(text, unpacked(other));
  }
  for (const [header, value] of Object.entries(headers)) {
    const found = answer.headers[header];
    // Header names in `vary` are case-insensitive.
    const compared = header === "vary" ? found?.toLowerCase() : found;
    assert.equal(compared, value?.replace(/^"(?=\/)/, `"${site.base}`) ?? undefined, header);
  }
}

/** Resolves a pattern such as `/_assets/site-*.css` to the file that exists. */
function filled(site, path) {
  if (!path.includes("*")) return path;
  const [start, end] = path.slice("/_assets/".length).split("*");
  const name = readdirSync(join(site.dist, "_assets")).find((file) => file.startsWith(start) && file.endsWith(end));
  assert.ok(name, `no file is called ${path}`);
  return `/_assets/${name}`;
}

function unpacked({ headers, body }) {
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[headers["content-encoding"]];
  return (unpack && body.length > 0 ? unpack(body) : body).toString();
}
