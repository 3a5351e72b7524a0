// Runs the same tests against both stores of leads, with the built programs. moto's server emulates DynamoDB.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aws, leadsCommand, listen, runApi, SITEGEN, until } from "./harness.mjs";

for (const store of ["SQLite", "DynamoDB"]) {
  describe(store, () => {
    const used = new Set();
    const news = [];
    let folder, environment, api, captcha, webhook, emulator;
    let fails = 0;
    let failure = 500;
    let tokens = 0;

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
      captcha = await listen((_, body, response) => {
        const token = new URLSearchParams(body).get("response");
        const success = token.startsWith("good") && !used.has(token);
        used.add(token);
        response.end(JSON.stringify({ success, hostname: "site.example" }));
      });
      webhook = await listen((request, body, response) => {
        news.push({ headers: request.headers, body });
        response.writeHead(fails-- > 0 ? failure : 204).end();
      });
      environment = {
        CAPTCHA_SECRET: "s",
        CAPTCHA_VERIFY_URL: captcha.url,
        LEADS_PER_MINUTE: "0",
        LEADS_PER_MINUTE_TOTAL: "0",
        LEADS_WEBHOOK_URL: webhook.url,
        LEADS_WEBHOOK_SECRET: "shared",
        LEADS_STORE: "leads.sqlite3",
      };
      if (store === "DynamoDB") {
        emulator = await aws();
        Object.assign(environment, emulator.variables);
      }
      api = await run(environment);
    });

    after(() => {
      for (const child of [api?.child, emulator?.child]) child?.kill();
      captcha?.close();
      webhook?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const run = (variables) => runApi(folder, variables);
    const lead = (more = {}) => ({
      name: "Ana",
      email: "ana@example.com",
      company: "",
      phone: "",
      projectType: "SEO",
      message: "a\nb",
      recaptchaToken: `good${tokens++}`,
      ...more,
    });
    const post = async (body, headers = {}, to = api) => {
      const answer = await fetch(`${to.found}/api/leads`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return `${answer.status} ${(await answer.json()).code}`;
    };
    const leads = (...args) => leadsCommand(folder, environment, args).stdout;
    const stored = () => JSON.parse(leads("list", "--format", "json", "--limit", "1000"));

    test("a lead is stored unchanged, and its webhook request is signed", async () => {
      const sent = lead({ appName: "Ñandú", appType: "app", appDescription: "x\ny" });
      assert.equal(await post(sent), "200 null");
      const [found] = stored();
      const { recaptchaToken, ...contents } = sent;
      for (const [field, value] of Object.entries(contents)) assert.equal(found[field], value, field);
      await until("the news", () => news.length === 1);
      const { headers, body } = news[0];
      const signature = createHmac("sha256", "shared").update(`${headers["x-lead-timestamp"]}.${body}`).digest("hex");
      assert.equal(headers["x-lead-signature"], `sha256=${signature}`);
      assert.equal(JSON.parse(body).lead.id, found.id);
      await until("the mark", () => JSON.parse(leads("show", found.id, "--format", "json")).deliveries[0].state === "done");
    });

    test("an idempotency key identifies one lead, and a token is accepted once", async () => {
      const key = { "idempotency-key": "k1" };
      const first = lead();
      const before = stored().length;
      assert.equal(await post(first, key), "200 null");
      assert.equal(await post({ ...first, recaptchaToken: "other" }, key), "200 null");
      assert.equal(await post({ ...first, name: "Eva" }, key), "409 key_conflict");
      assert.equal(await post({ ...first, name: "Eva" }), "422 captcha_refused");
      assert.equal(stored().length, before + 1);
    });

    test("two servers that receive the same lead concurrently store it once", async () => {
      const other = await run(environment);
      const before = stored().length;
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => post(lead(), { "idempotency-key": "k2" }, at % 2 ? api : other)),
      );
      other.child.kill();
      assert.deepEqual(new Set(answers), new Set(["200 null"]));
      assert.equal(stored().length, before + 1);
    });

    test("quarantined leads are delivered after they are released", async () => {
      const body = new URLSearchParams({ name: "Held", phone: "12" });
      const answer = await fetch(`${api.found}/api/leads`, { method: "POST", body, redirect: "manual" });
      assert.equal(answer.status, 303);
      assert.equal(await post(lead({ name: "Spam" }), { "x-form-signals": "website=x" }), "200 null");
      const held = stored().filter(({ status }) => ["quarantined", "spam"].includes(status));
      assert.deepEqual(held.map(({ name }) => name).sort(), ["Held", "Spam"]);
      for (const { id } of held) leads("release", id);
      await until("the news of them", () => held.every(({ id }) => news.some(({ body }) => JSON.parse(body).lead.id === id)));
    });

    test("a failed delivery is retried", async () => {
      fails = 1;
      assert.equal(await post(lead({ name: "Late" })), "200 null");
      const [{ id }] = stored();
      const shown = () => JSON.parse(leads("show", id, "--format", "json")).deliveries[0];
      await until("the trouble", () => shown().trouble === "status 500");
      await until("the second try", () => shown().state === "done");
      assert.equal(shown().attempts, 2);
    });

    test("a delivery that was given up is sent when it is retried", async () => {
      [fails, failure] = [1, 410];
      assert.equal(await post(lead({ name: "Gone" })), "200 null");
      const [{ id }] = stored();
      const shown = () => JSON.parse(leads("show", id, "--format", "json")).deliveries[0];
      await until("its end", () => shown().state === "dead");
      failure = 500;
      leads("retry", id);
      await until("the delivery", () => shown().state === "done");
    });

    test("leads are listed newest first over several pages, and can be deleted by e-mail address", async () => {
      for (let at = 0; at < 12; at += 1)
        assert.equal(await post(lead({ name: `N${at}`, email: "many@example.com" })), "200 null");
      const ids = stored().map(({ id }) => id);
      assert.deepEqual(ids, [...ids].sort().reverse());
      assert.deepEqual(
        leads("export")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).id),
        [...ids].reverse(),
      );
      leads("forget", "MANY@example.com");
      const left = stored();
      assert.equal(left.length, ids.length - 12);
      assert.ok(left.every(({ email }) => email !== "many@example.com"));
    });

    test("a lead is delivered that is released in a shell without the variables of the API", async () => {
      const body = new URLSearchParams({ name: "Elsewhere", phone: "12" });
      await fetch(`${api.found}/api/leads`, { method: "POST", body, redirect: "manual" });
      const [{ id }] = stored();
      const { LEADS_WEBHOOK_URL, LEADS_WEBHOOK_SECRET, ...shell } = environment;
      const made = spawnSync(SITEGEN, ["leads", "release", id, "--root", folder], {
        encoding: "utf8",
        env: { ...process.env, ...shell },
      });
      assert.equal(made.stderr, `${id} was released\n`);
      await until("the news of it", () => news.some(({ body }) => JSON.parse(body).lead.id === id));
      assert.equal(leads("show", id, "--format", "json").includes('"channel":"webhook"'), true);
    });

    test("an address is forgotten in each of its spellings", async () => {
      const before = stored().length;
      const spellings = ["jos\u00e9@m\u00fcnchen.example", "JOSE\u0301@xn--mnchen-3ya.example"];
      for (const email of [...spellings, "jose@m\u00fcnchen.example"]) assert.equal(await post(lead({ email })), "200 null");
      leads("forget", spellings[0].normalize("NFD"));
      assert.equal(stored().length, before + 1);
    });

    test("leads that expire are deleted when it is confirmed", async () => {
      const counted = spawnSync(SITEGEN, ["leads", "expire", "--days", "0", "--root", folder], {
        encoding: "utf8",
        env: { ...process.env, ...environment },
      });
      const all = stored().length;
      assert.equal(counted.stderr, `${all} of ${all} leads have expired; \`--yes\` deletes them\n`);
      leads("expire", "--days", "0", "--yes");
      assert.deepEqual(stored(), []);
    });

    test("rate limits apply to all servers that share a store", async () => {
      if (store === "SQLite") return; // SQLite is used by one process; the Rust tests cover it.
      const limited = { ...environment, LEADS_PER_MINUTE_TOTAL: "3" };
      const machines = await Promise.all([run(limited), run(limited)]);
      const answers = [];
      for (let at = 0; at < 12; at += 1) answers.push(await post(lead(), {}, machines[at % 2]));
      for (const { child } of machines) child.kill();
      // A new minute may start during the test, which doubles the limit.
      assert.ok(answers.filter((answer) => answer === "200 null").length <= 6, answers.join());
      assert.ok(answers.includes("429 rate_limited"));
    });
  });
}
