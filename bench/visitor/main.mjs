// Measures the pages of this repository's site, and of one with a search: Lighthouse on one page of each kind, then what a
// visitor does, in a browser on a slowed processor. `bench/pages` starts it with a Node that is new enough.

import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openBrowser, startSite } from "../../tests/browser/site.mjs";
import { measureInteractions } from "./interactions.mjs";
import { measureIslands } from "./islands.mjs";
import { kinds } from "./kinds.mjs";
import { audit, BUDGETS, isKept } from "./lighthouse.mjs";
import { measureScrolling } from "./scrolling.mjs";
import { measureSearch, startSearchSite } from "./search.mjs";
import { table } from "./table.mjs";

const { values: asked } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string" },
    runs: { type: "string", default: "1" },
    "no-lighthouse": { type: "boolean", default: false },
    "only-search": { type: "boolean", default: false },
  },
});

const site = await startSite();
const searchSite = await startSearchSite();
const load = loadavg()[0];
const found = { budgets: BUDGETS, load, audits: [], scrolling: [], interactions: [], islands: [], search: [] };
try {
  if (!asked["no-lighthouse"]) {
    const wanted = asked.only?.split(",");
    const every = [
      ...kinds(site).map((page) => ({ ...page, origin: site.origin, isAsked: !asked["only-search"] })),
      ...searchSite.pages.map((page) => ({ ...page, origin: searchSite.origin, isAsked: true })),
    ];
    for (const { origin, isAsked, ...page } of every) {
      if (!isAsked || (wanted && !wanted.includes(page.kind))) continue;
      found.audits.push({ ...page, ...(await audit(origin + page.path, Number(asked.runs))) });
      process.stderr.write(`  ${page.kind} ${page.path}\n`);
    }
    console.log(
      table(
        [
          "kind of page",
          "address",
          "performance",
          "accessibility",
          "best practices",
          "SEO",
          "layout shift",
          "largest paint",
          "blocking",
          "kB",
          "",
        ],
        found.audits.map((own) => [
          own.kind,
          own.path,
          own.performance,
          own.accessibility,
          own.bestPractices,
          own.seo,
          own.layoutShift.toFixed(3),
          `${Math.round(own.largestPaint)} ms`,
          `${Math.round(own.blocking)} ms`,
          (own.bytes / 1000).toFixed(0),
          isKept(own) ? "" : "over budget",
        ]),
      ),
    );
  }
  const browser = await openBrowser();
  try {
    found.search = await measureSearch(browser, searchSite);
    console.log(`load of the machine at the beginning: ${load.toFixed(1)}`);
    console.log(
      table(
        ["first result of a search, processor slowed 4 times", "the first key", "median", "at worst"],
        found.search.map((own) => [own.language, own.when, `${own.median.toFixed(0)} ms`, `${own.worst.toFixed(0)} ms`]),
      ),
    );
    if (!asked["only-search"]) await measureSite(browser);
  } finally {
    await browser.close();
  }
} finally {
  await Promise.all([site.stop(), searchSite.stop()]);
}

/** What visitors of this repository's site wait for. */
async function measureSite(browser) {
  found.scrolling = await measureScrolling(browser, site);
  console.log(
    table(
      ["list, scrolled to its end", "width", "layout shift"],
      found.scrolling.map((own) => [own.path, `${own.width} px`, own.shift.toFixed(4)]),
    ),
  );
  found.interactions = await measureInteractions(browser, site);
  console.log(
    table(
      ["interaction, processor slowed 4 times", "median", "at worst"],
      found.interactions.map((own) => [own.name, `${own.median.toFixed(0)} ms`, `${own.worst.toFixed(0)} ms`]),
    ),
  );
  found.islands = await measureIslands(browser, site);
  console.log(
    table(
      ["island, processor slowed 4 times", "wakes on", "page", "awake after", "longest task"],
      found.islands.map((own) => [own.name, own.when, own.path, `${own.awake.toFixed(0)} ms`, `${own.longest.toFixed(0)} ms`]),
    ),
  );
}
if (asked.json) await writeFile(asked.json, `${JSON.stringify(found, null, 1)}\n`);
const over = found.audits.filter((own) => !isKept(own));
for (const own of over) console.error(`over budget: ${own.path}: ${own.findings.join(", ") || "a score"}`);
process.exitCode = over.length > 0 ? 1 : 0;
