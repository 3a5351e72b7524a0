// The built site as files: the parsed document of each route, and lookup of files by URL path.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildSite, readPlan } from "../browser/site.mjs";
import { Document } from "./dom.mjs";

/** @typedef {{ path: string, kind: string, status: number, locale: string, key: string, document: Document }} Page */

/**
 * Builds the site, and parses all its documents. `documents` maps paths to `pages`, `copies` and `errorPages`.
 */
export async function readSite() {
  const [{ out, remove }, plan] = await Promise.all([buildSite(), readPlan()]);
  // Paths of routes are not percent-encoded, and neither are file names.
  const read = (route) => ({ ...route, document: new Document(readFileSync(fileOf(out, route.path), "utf8")) });
  /** @type {Record<"pages" | "copies" | "errorPages", Page[]>} */
  const all = { pages: plan.pages.map(read), copies: plan.copies.map(read), errorPages: plan.errorPages.map(read) };
  return {
    ...all,
    redirects: plan.redirects,
    documents: new Map([...all.pages, ...all.copies, ...all.errorPages].map((page) => [page.path, page])),
    /** Whether there is a file for a URL path. @param {string} pathname */
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
