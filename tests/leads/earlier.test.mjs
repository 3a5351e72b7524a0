// A DynamoDB table that an earlier program has written: its leads are read before they are rewritten, a program that starts
// rewrites them, and nothing is lost. SQLite has the same tests in tests/it/leads_earlier.rs.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { aws, leadsCommand, listen, runApi, until } from "./harness.mjs";

/** All items of the table of an earlier program, as `Scan` returned them. */
const ITEMS = JSON.parse(readFileSync("tests/leads/earlier-items.json", "utf8"));
/** So many copies of each lead take long enough to be interrupted. */
const COPIES = 4;

let folder, emulator, environment, captcha;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "leads-"));
  writeFileSync(
    join(folder, "leads.json"),
    JSON.stringify({
      version: 1,
      base_url: "https://site.example",
      locales: [{ code: "en", errors: {}, form: null, thanks: "/thanks/" }],
      rules: { refuse_without_script: false, refuse_unverified: false, keep_days: null },
    }),
  );
  captcha = await listen((_request, _body, response) =>
    response.end(JSON.stringify({ success: true, hostname: "site.example" })),
  );
  emulator = await aws();
  environment = {
    ...{ CAPTCHA_SECRET: "s", CAPTCHA_VERIFY_URL: captcha.url, LEADS_PER_MINUTE: "0", LEADS_PER_MINUTE_TOTAL: "0" },
    ...emulator.variables,
  };
  const copies = ITEMS.filter(isLead).flatMap((item) =>
    Array.from({ length: COPIES }, (_, at) => {
      const { key, ...copy } = item;
      const id = `${item.id.S}${at}`;
      return { ...copy, id: { S: id }, pk: { S: `lead#${id}` } };
    }),
  );
  for (const Item of [...ITEMS, ...copies]) await emulator.dynamo("PutItem", { Item });
});

after(() => {
  emulator?.child.kill();
  captcha?.close();
  rmSync(folder, { recursive: true, force: true });
});

const isLead = (item) => item.kind?.S === "lead";
const leads = (...args) => leadsCommand(folder, environment, args).stdout;
const exported = () => JSON.parse(leads("export", "--format", "json")).map(({ received, ...lead }) => lead);
const stored = async () => (await emulator.dynamo("Scan", {})).Items.filter(isLead);
/** The leads as the earlier program exported them. */
const expected = async () => {
  const each = (await stored()).map((item) => ({
    ...{ id: item.id.S, at: Number(item.at.N), locale: item.locale.S, status: item.status.S, reason: item.reason?.S ?? null },
    ...JSON.parse(item.contents.S),
  }));
  return each.sort((a, b) => (a.id < b.id ? -1 : 1));
};
const rewritten = async () => (await stored()).filter((item) => JSON.parse(item.contents.S).answers);

test("leads of an earlier program are rewritten by those that start, and nothing is lost", async () => {
  const expect = await expected();
  assert.equal(expect.length, ITEMS.filter(isLead).length * (COPIES + 1));
  assert.deepEqual(exported(), expect, "before anything is rewritten");
  assert.equal((await rewritten()).length, 0);

  // The first one is killed on its way.
  const first = await runApi(folder, environment);
  await until("the first lead", async () => (await rewritten()).length > 0);
  first.child.kill("SIGKILL");
  const some = (await rewritten()).length;
  assert.ok(some < expect.length, `${some} leads were rewritten before the kill`);
  assert.deepEqual(exported(), expect, "with some that are rewritten");

  const servers = await Promise.all([runApi(folder, environment), runApi(folder, environment)]);
  await until("the format", async () =>
    (await emulator.dynamo("Scan", {})).Items.some(({ pk, value }) => pk.S === "fact#format" && value.S === "2"),
  );
  assert.equal((await rewritten()).length, expect.length);
  assert.deepEqual(exported(), expect);

  // The same lead with the same key is the same lead, whichever program has stored it.
  const known = JSON.parse(ITEMS.find(({ email }) => email?.S === "ana@example.com").contents.S);
  const names = ["name", "email", "company", "phone", "projectType", "message", "appName", "appType", "appDescription"];
  const body = { ...Object.fromEntries(names.map((name) => [name, known[name]])), recaptchaToken: "again" };
  const send = async (lead) => {
    const headers = { "content-type": "application/json", "idempotency-key": "k1" };
    return (await fetch(`${servers[0].found}/api/leads`, { method: "POST", headers, body: JSON.stringify(lead) })).status;
  };
  assert.equal(await send(body), 200);
  assert.equal(await send({ ...body, name: "Eva" }), 409);
  for (const { child } of servers) child.kill();
  assert.equal((await stored()).length, expect.length);

  leads("forget", "ANA@example.com");
  assert.equal((await stored()).length, expect.length - COPIES - 1);
  leads("forget", "0034 600 11 22 33");
  assert.equal((await stored()).length, expect.length - 2 * (COPIES + 1), "a number in an answer");
});
