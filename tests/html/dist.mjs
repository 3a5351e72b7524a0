// The built site as files: every route with its document, and whether an address leads to a file.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildSite, readPlan } from "../browser/site.mjs";
import { Document } from "./dom.mjs";

/** @typedef {{ path: string, kind: string, status: number, locale: string, key: string, document: Document }} Page */

/**
 * Builds the site and reads every document of it. `documents` has all of them by path: `pages`, `copies` and `errorPages`.
 */
export async function readSite() {
  const [{ out, remove }, plan] = await Promise.all([buildSite(), readPlan()]);
  // A path of the plan is as it is read, and so are names of files.
  const read = (route) => ({ ...route, document: new Document(readFileSync(fileOf(out, route.path), "utf8")) });
  /** @type {Record<"pages" | "copies" | "errorPages", Page[]>} */
  const all = { pages: plan.pages.map(read), copies: plan.copies.map(read), errorPages: plan.errorPages.map(read) };
  return {
    ...all,
    redirects: plan.redirects,
    documents: new Map([...all.pages, ...all.copies, ...all.errorPages].map((page) => [page.path, page])),
    /** Whether the build wrote a file for an address that is no page. @param {string} pathname */
    hasFile: (pathname) => {
      const file = join(out, decodeURIComponent(pathname));
      return existsSync(file) && statSync(file).isFile();
    },
    /** @param {string} pathname */
    file: (pathname) => join(out, decodeURIComponent(pathname)),
    remove,
  };
}

/** `/about/` → `about/index.html`, `/404.html` → `404.html`. */
export const fileOf = (out, path) => join(out, path.endsWith("/") ? `${path}index.html` : path);
