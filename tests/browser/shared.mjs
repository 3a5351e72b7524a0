// What the files of browser tests share if run.mjs runs them: the site of this repository, built and served once. Each file is a
// process, which finds it by the environment variable SITE_TEST_SHARED; site.mjs reads it. Each file has a browser of its own:
// one for all files would have to be driven through another process, which takes more time than to start 35 of them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSite, copySite, readRoutes, sitegen, startSite, temporaryFolder } from "./site.mjs";

/**
 * Addresses and files for the tests.
 * @typedef {object} Shared
 * @property {string} origin of the site
 * @property {string} routes file with the routes of the site
 * @property {string} copy folder with a copy of the site and all that a build has kept
 * @property {string} pictures folder for pictures of pages with a failed test
 */

/**
 * Builds and serves what is shared.
 * @param {string} pictures folder for pictures of pages with a failed test
 * @param {boolean} hasForms whether tests open the forms at /admin/, whose scripts are unpacked once for all
 * @returns {Promise<{ environment: Record<string, string>, stop: () => Promise<void> }>} variables for each file
 */
export async function share(pictures, hasForms) {
  const folder = await temporaryFolder();
  const built = await buildSite();
  process.env.SITE_TEST_DIST = built.out;
  const [copy, routes] = [join(folder.path, "site"), join(folder.path, "routes.json")];
  await copySite(copy);
  // The cache of npm has them. A test that needs them says why there are none.
  process.env.npm_config_offline = "true";
  if (hasForms) await sitegen("cms", join(folder.path, "forms"), "--root", copy, "--backend", "test-repo", "--repo", "a/b");
  writeFileSync(routes, JSON.stringify(await readRoutes()));
  const { origin, stop } = await startSite();
  const shared = { origin, routes, copy, pictures };
  return {
    environment: { SITE_TEST_DIST: built.out, SITE_TEST_SHARED: JSON.stringify(shared) },
    stop: async () => {
      await stop();
      await Promise.all([folder.remove(), built.remove()]);
    },
  };
}
