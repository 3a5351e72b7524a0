// Tests the running API against its OpenAPI document. schemathesis sends valid and invalid requests, and compares each
// response with the document. The log must have a line per request, but none of their contents.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { python } from "../python.mjs";

const SCHEMATHESIS = python("schemathesis", "schemathesis==4.32.5", "schemathesis");
const PROGRAM = process.env.SITE_API || "target/release/site-api";
const SITEGEN = process.env.SITEGEN || "target/release/sitegen";
/** Number of requests per endpoint and content type. SITE_TEST_FULL raises it, to find rare failures. */
const EXAMPLES = process.env.SITE_TEST_FULL ? "600" : "100";

/** Answers so far. SITE_TEST_ANSWERS names a file for them; `bench/api` reads it. */
const count = { requests: 0, answered: 0, failed: 0, inner: 0 };

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
      // Nothing listens on this port, so captchas cannot be verified.
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
  if (process.env.SITE_TEST_ANSWERS) writeFileSync(process.env.SITE_TEST_ANSWERS, JSON.stringify(count));
  rmSync(folder, { recursive: true });
});

/** Implementation details that no error response may contain. */
const INNER = /panick|serde|sqlite|dynamo|hyper|reqwest|rusqlite|\bsrc\/|\.rs\b|EOF|at line \d|stack|os error/i;

/**
 * Requests a path of the API on a new connection. `fetch` would take one that the API has closed while schemathesis ran, of
 * which this process, which waited for it, has not heard yet.
 */
const get = (path, headers = {}) =>
  new Promise((resolve, reject) => {
    request(`${address}${path}`, { agent: false, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve(body));
    })
      .once("error", reject)
      .end();
  });

/**
 * Runs all checks of schemathesis, fails if they report anything, and returns the recorded requests and responses.
 * `edit` may modify the document first.
 */
async function findsNothing(more, edit = (_document) => {}) {
  const record = join(folder, "record.har");
  const file = join(folder, "openapi.json");
  const document = JSON.parse(await get("openapi.json"));
  edit(document);
  writeFileSync(file, JSON.stringify(document));
  rmSync(record, { force: true });
  const run = spawnSync(
    SCHEMATHESIS,
    [
      "run",
      file,
      "--url",
      new URL(address).origin,
      "--checks",
      "all",
      "--max-examples",
      EXAMPLES,
      "--seed",
      "7",
      "--no-color",
      "--generation-database",
      "none",
      "--report",
      "har",
      "--report-har-path",
      record,
      ...more,
    ],
    { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, PYTHONIOENCODING: "utf-8" } },
  );
  assert.ok(existsSync(record), `${run.stdout}\n${run.stderr}`);
  const { entries } = JSON.parse(readFileSync(record, "utf8")).log;
  const wrong = [];
  for (const { request, response } of entries) {
    // Posts, the document and the form with the visitor's input may contain any text.
    const isOurs = response.status >= 400 && /json/.test(response.content.mimeType);
    const isInner = isOurs && INNER.test(response.content.text ?? "");
    const isFailed = response.status >= 500;
    count.requests += 1;
    count.answered += Number(response.status > 0);
    count.failed += Number(isFailed);
    count.inner += Number(isInner);
    if (isFailed || isInner) wrong.push(`${request.method} ${request.url}: ${response.status} ${response.content.text}`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  return entries;
}

test("schemathesis reports no failures for read requests", { timeout: 300_000 }, async () => {
  await findsNothing(["--exclude-path-regex", "^/api/(leads|forms/)"]);
});

// OpenAPI cannot express that a day must not have passed, or that one of two fields is required. Therefore, rejecting an
// answer that matches the schema is not a failure.
test("schemathesis reports no failures for answers to forms", { timeout: 300_000 }, async () => {
  const entries = await findsNothing(["--include-path-regex", "^/api/forms/", "--exclude-checks", "positive_data_acceptance"]);
  assert.ok(entries.length >= 100, `only ${entries.length} requests`);
  assert.ok(new Set(entries.map(({ response }) => response.status)).has(422));
});

// Each content type is tested separately, because schemathesis selects one at random and hardly ever the form.
for (const [kind, statuses] of [
  ["application/json", [400, 422]],
  ["application/x-www-form-urlencoded", [303, 422]],
]) {
  // OpenAPI cannot express that one of two fields is required, or which e-mail addresses are valid. Therefore,
  // rejecting a lead that matches the schema is not a failure.
  test(`schemathesis reports no failures for leads sent as ${kind}`, { timeout: 300_000 }, async () => {
    const entries = await findsNothing(
      ["--include-path", "/api/leads", "--exclude-checks", "positive_data_acceptance"],
      (document) => {
        const { content } = document.paths["/api/leads"].post.requestBody;
        for (const other of Object.keys(content)) if (other !== kind) delete content[other];
      },
    );
    const sent = entries.filter(({ request }) =>
      request.headers.some(({ name, value }) => name.toLowerCase() === "content-type" && value.startsWith(kind)),
    );
    assert.ok(sent.length >= 100, `only ${sent.length} requests were ${kind}`);
    const answers = new Set(sent.map(({ response }) => response.status));
    for (const status of statuses) assert.ok(answers.has(status), `${kind}: ${[...answers]}`);
  });
}

test("the log has a line for each request, and no user input", async () => {
  const typed = "something%20nobody%20may%20read";
  await get(`posts?search=${typed}`, { "x-forwarded-for": "192.0.2.77" });
  const text = readFileSync(log, "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const requests = lines.filter(({ event }) => event === "request");
  assert.ok(requests.length > 300, `only ${requests.length} requests were logged`);
  for (const { status, id } of requests) assert.ok(status < 500 && id, `${id} was answered ${status}`);
  assert.ok(!text.includes("nobody") && !text.includes("192.0.2.77") && !text.includes("search="));
});
