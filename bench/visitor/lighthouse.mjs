// Lighthouse as a phone on a slow network, with simulated throttling, and the budgets that pages must keep.

import { createServer } from "node:net";
import lighthouse from "lighthouse";
import { openBrowser } from "../../tests/browser/site.mjs";

/** The least that each score may be, and the most that may move on a page. */
export const BUDGETS = { performance: 98, accessibility: 100, bestPractices: 100, seo: 100, layoutShift: 0 };

const CATEGORIES = { performance: "performance", accessibility: "accessibility", bestPractices: "best-practices", seo: "seo" };

export const isKept = (found) =>
  Object.keys(CATEGORIES).every((name) => found[name] >= BUDGETS[name]) && found.layoutShift <= BUDGETS.layoutShift;

/** A port that nothing listens on. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function once(url) {
  const port = await freePort();
  // A browser of its own for each run: what one page has left behind must not help the next.
  const browser = await openBrowser(`--remote-debugging-port=${port}`);
  try {
    const { lhr } = await lighthouse(url, { port, logLevel: "error", onlyCategories: Object.values(CATEGORIES) });
    if (lhr.runtimeError) return { error: lhr.runtimeError.message };
    const figure = (name) => lhr.audits[name].numericValue;
    // What has cost something in a score that is not full; figures of speed say it themselves.
    const findings = Object.values(CATEGORIES)
      .filter((category) => category !== "performance")
      .flatMap((category) => lhr.categories[category].auditRefs)
      .filter(({ id, weight }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 1)
      .map(({ id }) => id);
    return {
      ...Object.fromEntries(Object.entries(CATEGORIES).map(([name, id]) => [name, Math.round(lhr.categories[id].score * 100)])),
      firstPaint: figure("first-contentful-paint"),
      largestPaint: figure("largest-contentful-paint"),
      blocking: figure("total-blocking-time"),
      speedIndex: figure("speed-index"),
      layoutShift: figure("cumulative-layout-shift"),
      bytes: figure("total-byte-weight"),
      findings,
      version: lhr.lighthouseVersion,
    };
  } finally {
    await browser.close();
  }
}

/** Chromium sometimes loses the trace of a page, and Lighthouse then asks to be run again. */
const TRIES = 3;

async function measured(url) {
  let found;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    found = await once(url);
    if (!found.error) return found;
  }
  throw new Error(`${url}: ${found.error}`);
}

/** The run with the median performance. */
export async function audit(url, runs) {
  const found = [];
  for (let run = 0; run < runs; run++) found.push(await measured(url));
  found.sort((a, b) => a.performance - b.performance);
  return found[Math.floor((found.length - 1) / 2)];
}
