// Runs the requests in requests.yaml against each host that sitegen generates rules for.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { buildSite, startCloudFront, startNginx, startServe } from "./hosts.mjs";

const table = parse(readFileSync(new URL("requests.yaml", import.meta.url), "utf8"), { merge: true });
const site = await buildSite();
const hosts = {
  serve: await startServe(site),
  nginx: await startNginx(site),
  cloudfront: startCloudFront(site),
};
after(async () => {
  for (const host of Object.values(hosts)) await host.stop();
  await site.remove();
});

const rows = [
  ...table.addresses.map((row) => ({ on: ["serve", "nginx", "cloudfront"], ...row })),
  ...table.exchanges.map((row) => ({ on: ["serve", "nginx"], ...row })),
];

for (const [name, host] of Object.entries(hosts)) {
  describe(name, () => {
    for (const row of rows.filter(({ on }) => on.includes(name))) {
      const { method = "GET", path, send = {}, again } = row;
      const sent = Object.entries(send).map(([header, value]) => ` with ${header}: ${value}`);
      it(`${method} ${path}${again ? " again" : ""}${sent.join("")} is ${row.location ? `redirected to ${row.location}` : row.status}`, () =>
        check(host, row));
    }
  });
}

async function check(
  host,
  { method, path, send = {}, again, status, location, body, lacks, same_as: same, empty, headers = {} },
) {
  const since = again ? { "if-modified-since": (await host.ask({ path })).headers["last-modified"] } : {};
  const answer = await host.ask({ method, path: filled(path), headers: { ...send, ...since } });
  const text = unpacked(answer);
  assert.ok([status].flat().includes(answer.status), `status ${answer.status}`);
  assert.equal(answer.headers.location, location);
  if (body) assert.ok(text.includes(body), `the body lacks "${body}":\n${text}`);
  if (lacks) assert.ok(!text.includes(lacks), `the body holds "${lacks}":\n${text}`);
  if (empty) assert.equal(text, "");
  if (same) {
    const other = await host.ask({ path: filled(same) });
    assert.equal(other.status, 200, same);
    assert.equal(text, unpacked(other));
  }
  for (const [header, value] of Object.entries(headers)) {
    const found = answer.headers[header];
    // Header names in `vary` are case-insensitive.
    const compared = header === "vary" ? found?.toLowerCase() : found;
    assert.equal(compared, value ?? undefined, header);
  }
}

/** Resolves a pattern such as `/_assets/site-*.css` to the file that exists. */
function filled(path) {
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
