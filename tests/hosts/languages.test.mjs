// Languages on hosts of their own: each host of one build leads its visitors to the pages of its language, and every page
// has one address.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildSite, startCloudFront, startNginx } from "./hosts.mjs";

const MAIN = "small.example";
const SPANISH = "pequeño.example";
/** As requests have it. */
const ENCODED = "xn--pequeo-0wa.example";

/** Host, path, status, and where it leads. */
const REQUESTS = [
  [MAIN, "/", 200],
  [MAIN, "/about/", 200],
  [MAIN, "/es/", 301, `https://${ENCODED}/es/`],
  [MAIN, "/es/nosotros/?a=1", 301, `https://${ENCODED}/es/nosotros/?a=1`],
  [MAIN, "/es", 200],
  [ENCODED, "/", 302, "/es/"],
  [ENCODED, "/es/", 200],
  [ENCODED, "/es/nosotros/", 200],
  [ENCODED, "/about/", 301, `https://${MAIN}/about/`],
  [ENCODED, "/list/?page=2", 301, `https://${MAIN}/list/?page=2`],
  [ENCODED, "/plain.txt", 200],
  [ENCODED, "/es/viejo/", 301, "/es/nosotros/#main"],
  [ENCODED, "/es/nothing", 404],
  // A preview of a deployment, and a name that is no host.
  ["deploy-1.host.example", "/es/", 200],
  ["deploy-1.host.example", "/", 200],
  ["constructor", "/es/", 200],
];

for (const base of ["", "/docs/v1.2"]) {
  const site = await buildSite(base, { es: `https://${SPANISH}/` });
  /** @type {Record<string, any>} */
  const hosts = { nginx: await startNginx(site), cloudfront: startCloudFront(site) };
  after(async () => {
    for (const host of Object.values(hosts)) await host.stop();
    await site.remove();
  });

  /** The address with the path that the site is mounted at. */
  const mounted = (address) => address?.replace(/^(https:\/\/[^/]+)?\//, `$1${base}/`);

  for (const [name, { ask }] of Object.entries(hosts)) {
    describe(`${name}${base && `, below ${base}/`}`, () => {
      for (const [host, path, status, location] of REQUESTS) {
        it(`answers ${host}${path} with ${status}${location ? ` to ${location}` : ""}`, async () => {
          const answer = await ask({ path: mounted(path), headers: { host } });
          assert.deepEqual([answer.status, answer.headers.location], [status, mounted(location)]);
        });
      }
    });
  }
}
