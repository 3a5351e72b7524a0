// The running API against its own document: schemathesis sends what the document allows and what it does not, and
// compares each answer with what the document says of it. Nothing of it may be found in the log but what happened.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { python } from "../python.mjs";

const SCHEMATHESIS = python("schemathesis", "schemathesis==4.32.5", "schemathesis");
const PROGRAM = process.env.SITE_API || "target/release/site-api";
const SITEGEN = process.env.SITEGEN || "target/release/sitegen";
/** So many requests for each address and kind of value. */
const EXAMPLES = "600";

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

/** Asks in every way that schemathesis knows, and fails with what it found. */
function findsNothing(more) {
  const run = spawnSync(
    SCHEMATHESIS,
    ["run", `${address}openapi.json`, "--checks", "all", "--max-examples", EXAMPLES, "--seed", "7", "--no-color", "--generation-database", "none", ...more],
    { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, PYTHONIOENCODING: "utf-8" } },
  );
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
}

test("schemathesis finds no failure in what is read", { timeout: 300_000 }, () => findsNothing(["--exclude-path", "/api/leads"]));

// A document cannot say that one of two fields is needed, nor what an e-mail address is: such a lead is refused, rightly.
test("schemathesis finds no failure in what is sent", { timeout: 300_000 }, () =>
  findsNothing(["--include-path", "/api/leads", "--exclude-checks", "positive_data_acceptance"]));

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
