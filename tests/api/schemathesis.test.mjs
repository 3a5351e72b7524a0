// The running API against its own document: schemathesis sends what the document allows and what it does not, and
// compares each answer with what the document says of it. Nothing of it may be found in the log but what happened.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { python } from "../python.mjs";

const SCHEMATHESIS = python("schemathesis", "schemathesis==4.32.5", "schemathesis");
const PROGRAM = process.env.SITE_API || "target/release/site-api";
const SITEGEN = process.env.SITEGEN || "target/release/sitegen";
/** So many requests for each address and type of body: enough for what breaks at once, and many more when all is asked for. */
const EXAMPLES = process.env.SITE_TEST_FULL ? "600" : "100";

const folder = mkdtempSync(join(tmpdir(), "site-api-"));
const log = join(folder, "log");
let api;
let address;

before(async () => {
  const built = spawnSync(SITEGEN, ["build", "--out", join(folder, "dist")], { encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
  const lines = openSync(log, "w");
  api = spawn(PROGRAM, [], {
    stdio: ["ignore", "ignore", lines],
    env: {
      SITE_ARTIFACT: join(folder, "search"),
      LISTEN: "127.0.0.1:0",
      LEADS_STORE: join(folder, "leads.sqlite3"),
      LEADS_SITE: join(folder, "leads.json"),
      LEADS_PER_MINUTE: "0",
      LEADS_PER_MINUTE_TOTAL: "0",
      CAPTCHA_SECRET: "test",
      // Nobody answers there: a captcha cannot be checked.
      CAPTCHA_VERIFY_URL: "http://127.0.0.1:9/",
    },
  });
  closeSync(lines);
  for (let tries = 0; !address && tries < 500; tries++) {
    await new Promise((done) => setTimeout(done, 20));
    address = readFileSync(log, "utf8").match(/"address":"(http:[^"]+)"/)?.[1];
  }
  assert.ok(address, readFileSync(log, "utf8"));
});

after(() => {
  api?.kill();
  rmSync(folder, { recursive: true });
});

/** Words of the inside, which no answer may hold. */
const INNER = /panick|serde|sqlite|dynamo|hyper|reqwest|rusqlite|\bsrc\/|\.rs\b|EOF|at line \d|stack|os error/i;

/**
 * Asks in every way that schemathesis knows, fails with what it found, and gives what was asked and answered.
 * `edit` may take parts out of the document first.
 */
async function findsNothing(more, edit = (_document) => {}) {
  const record = join(folder, "record.har");
  const file = join(folder, "openapi.json");
  const document = await (await fetch(`${address}openapi.json`)).json();
  edit(document);
  writeFileSync(file, JSON.stringify(document));
  const run = spawnSync(
    SCHEMATHESIS,
    [
      "run", file, "--url", new URL(address).origin, "--checks", "all", "--max-examples", EXAMPLES, "--seed", "7", "--no-color", "--generation-database", "none",
      "--report", "har", "--report-har-path", record, ...more,
    ],
    { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, PYTHONIOENCODING: "utf-8" } },
  );
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  const { entries } = JSON.parse(readFileSync(record, "utf8")).log;
  for (const { request, response } of entries) {
    const asked = `${request.method} ${request.url}: ${response.status} ${response.content.text}`;
    assert.ok(response.status < 500, asked);
    // Posts, the document and the form with what was typed into it may hold any word.
    const isOurs = response.status >= 400 && /json/.test(response.content.mimeType);
    if (isOurs) assert.doesNotMatch(response.content.text ?? "", INNER, asked);
  }
  return entries;
}

test("schemathesis finds no failure in what is read", { timeout: 300_000 }, async () => {
  await findsNothing(["--exclude-path", "/api/leads"]);
});

// Each type of body alone: schemathesis picks one at random for each request, and hardly ever the form.
for (const [kind, statuses] of [
  ["application/json", [400, 422]],
  ["application/x-www-form-urlencoded", [303, 422]],
]) {
  // A document cannot say that one of two fields is needed, nor what an e-mail address is: such a lead is refused, rightly.
  test(`schemathesis finds no failure in what is sent as ${kind}`, { timeout: 300_000 }, async () => {
    const entries = await findsNothing(["--include-path", "/api/leads", "--exclude-checks", "positive_data_acceptance"], (document) => {
      const { content } = document.paths["/api/leads"].post.requestBody;
      for (const other of Object.keys(content)) if (other !== kind) delete content[other];
    });
    const sent = entries.filter(({ request }) => request.headers.some(({ name, value }) => name.toLowerCase() === "content-type" && value.startsWith(kind)));
    assert.ok(sent.length >= 100, `only ${sent.length} requests were ${kind}`);
    const answers = new Set(sent.map(({ response }) => response.status));
    for (const status of statuses) assert.ok(answers.has(status), `${kind}: ${[...answers]}`);
  });
}

test("the log has a line for each request, and nothing that somebody typed", async () => {
  const typed = "something%20nobody%20may%20read";
  await fetch(`${address}posts?search=${typed}`, { headers: { "x-forwarded-for": "192.0.2.77" } });
  const text = readFileSync(log, "utf8");
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  const requests = lines.filter(({ event }) => event === "request");
  assert.ok(requests.length > 300, `only ${requests.length} requests were logged`);
  for (const { status, id } of requests) assert.ok(status < 500 && id, `${id} was answered ${status}`);
  assert.ok(!text.includes("nobody") && !text.includes("192.0.2.77") && !text.includes("search="));
});
