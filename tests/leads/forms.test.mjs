// Runs the same tests of forms, with and without files, against both stores of leads, with the built programs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aws, leadsCommand, listen, mailServer, runApi, SITEGEN, started, until } from "./harness.mjs";

const HOST = "horizon.example";
const pdf = (text) => Buffer.concat([Buffer.from(`%PDF-1.7\n${text}`), Buffer.alloc(200, " ")]);
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(300, 7)]);
const SIGNALS = { "x-form-signals": "elapsed=9000&page=%2Fappointment%2F" };

/** Builds a copy of the site with three forms. Its `leads.json` is in the folder. */
function buildSite(folder, uploads) {
  cpSync("examples/dental-clinics", folder, { recursive: true });
  const settings = join(folder, "content/site.yaml");
  const text = readFileSync(settings, "utf8");
  if (uploads !== undefined) writeFileSync(settings, text.replace("leads:\n", `leads:\n  uploads: ${uploads}\n`));
  const built = spawnSync(SITEGEN, ["build", "--root", folder], { encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
}

for (const store of ["SQLite", "DynamoDB"]) {
  describe(store, () => {
    const used = new Set();
    const inDynamo = store === "DynamoDB";
    let folder, environment, api, captcha, emulator, mail, privacy, letters;
    let number = 0;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "leads-"));
      if (inDynamo) emulator = await aws();
      buildSite(folder, emulator?.uploads);
      const forms = JSON.parse(readFileSync(join(folder, "leads.json"), "utf8")).forms;
      const consent = (form, name) => forms.find((other) => other.name === form).languages.en.consents[name].hash;
      [privacy, letters] = [consent("appointment", "privacy"), consent("newsletter", "letters")];
      captcha = await listen((_, body, response) => {
        const token = new URLSearchParams(body).get("response");
        const success = token.startsWith("good") && !used.has(token);
        used.add(token);
        response.end(JSON.stringify({ success, hostname: HOST }));
      });
      mail = await mailServer();
      environment = {
        CAPTCHA_SECRET: "s",
        CAPTCHA_VERIFY_URL: captcha.url,
        LEADS_PER_MINUTE: "0",
        LEADS_PER_MINUTE_TOTAL: "0",
        TRUSTED_PROXIES: "127.0.0.1",
        LEADS_STORE: "leads.sqlite3",
        SMTP_URL: mail.url,
        LEADS_MAIL_TO: "office@horizon.example",
        LEADS_MAIL_FROM: "forms@horizon.example",
        ...emulator?.variables,
      };
      api = await runApi(folder, environment);
    });

    after(() => {
      for (const child of [api?.child, emulator?.child]) child?.kill();
      captcha?.close();
      mail?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const leads = (...args) => leadsCommand(folder, environment, args).stdout;
    const stored = () => JSON.parse(leads("list", "--format", "json", "--limit", "1000"));
    const request = (form, body, headers = {}) =>
      fetch(`${api.found}/api/forms/${form}`, { method: "POST", body, headers, redirect: "manual" });
    const said = async (answer) => {
      const { code, errors } = await answer.json();
      return `${answer.status} ${code ?? null}${Object.keys(errors ?? {}).length > 0 ? ` ${Object.keys(errors).join()}` : ""}`;
    };
    const post = async (form, answer, headers = {}) =>
      said(await request(form, JSON.stringify(answer), { "content-type": "application/json", ...SIGNALS, ...headers }));
    const appointment = (more = {}) => ({ name: "Ana", clinic: "madrid", email: "ana@example.com", privacy, ...more });
    const solved = () => ({ _captcha: `good${number++}` });

    /** Asks where files may be sent. */
    const sign = async (files, form = "appointment") => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ files });
      const answer = await fetch(`${api.found}/api/forms/${form}/uploads`, { method: "POST", headers, body });
      return answer.status === 200 ? (await answer.json()).uploads : said(answer);
    };
    /** Sends a file to the bucket. Returns the status. */
    const upload = async ({ url, fields }, bytes, more = {}) => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...fields, ...more })) body.append(name, value);
      body.append("file", new Blob([bytes]));
      return (await fetch(url, { method: "POST", body })).status;
    };
    /** Sends an appointment as the script of the form does: with uploads, if the API signs them, and else as one form. */
    const send = async (files, headers = {}, answer = appointment()) => {
      const signed = await sign(files.map(({ name, bytes }) => ({ field: "xray", name, size: bytes.length })));
      if (typeof signed === "string") return signed;
      if (signed.length > 0) {
        for (const [at, { bytes }] of files.entries()) assert.equal(await upload(signed[at], bytes), 204);
        return post("appointment", { ...answer, xray: signed.map(({ token }) => token), ...solved() }, headers);
      }
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...answer, ...solved() })) body.append(name, value);
      for (const { name, bytes } of files) body.append("xray", new Blob([bytes]), name);
      // One that is too large is read to its end, so that its sender gets the answer.
      return said(await request("appointment", body, { ...SIGNALS, ...headers }));
    };
    /** The files in the store. */
    const kept = async () => (inDynamo ? (await emulator.keys()).filter((key) => key.startsWith("files/")).length : undefined);

    test("answers to every form are stored, listed by form, counted and exported", async () => {
      assert.equal(await post("callback", { phone: "+34 600 000 000", time: "morning" }), "200 null");
      assert.equal(await post("callback", { phone: "+34 600 000 001" }), "200 null");
      assert.equal(await post("appointment", { ...appointment(), ...solved() }), "200 null");
      assert.equal(await post("callback", { phone: "1" }), "422 invalid_value phone");
      assert.equal(await post("callback", { phone: "+34 600 000 000", other: "x" }), "400 bad_request other");
      assert.deepEqual(
        stored().map(({ form }) => form.form),
        ["appointment", "callback", "callback"],
      );
      assert.equal(JSON.parse(leads("list", "--form", "callback", "--format", "json")).length, 2);
      const counts = JSON.parse(leads("report", "--by", "form,page", "--format", "json"));
      assert.deepEqual(counts.map(({ form, page, count }) => [form, page, count]).sort(), [
        ["appointment", "/appointment/", 1],
        ["callback", "/appointment/", 2],
      ]);
      const lines = leads("export", "--form", "appointment", "--csv").trim().split("\n");
      assert.ok(lines.length === 2 && lines[1].includes('"Horizon Madrid"'), lines.join("\n"));
    });

    test("a mail goes to the clinic that was chosen, and one to the visitor", async () => {
      await until("both mails", () => mail.mails.filter((text) => text.includes("ana@example.com")).length >= 2);
      const to = mail.mails.map((text) => text.match(/^To: (.*)$/m)?.[1]);
      assert.ok(to.some((address) => address.includes("madrid")) && to.includes("ana@example.com"), to.join());
    });

    test("an answer without script is held, and is forwarded once it is released", async () => {
      const body = new FormData();
      for (const [name, value] of Object.entries(appointment({ name: "Held", email: "held@example.com" })))
        body.append(name, value);
      body.append("xray", new Blob([png]), "tooth.png");
      assert.equal((await request("appointment", body)).status, 200);
      assert.equal((await request("appointment", body)).status, 200, "the same again");
      const held = JSON.parse(leads("list", "--status", "quarantined", "--format", "json"));
      assert.deepEqual(
        held.map(({ name, reason }) => `${name} ${reason.includes("the same text")}`),
        ["Held true", "Held false"],
      );
      const [file] = held[0].form.answers.xray;
      assert.equal(file.sha256, createHash("sha256").update(png).digest("hex"));
      leads("release", held[0].id);
      await until("the mail", () => mail.mails.some((text) => text.includes("held@example.com") && text.includes("tooth.png")));
      leads("forget", "held@example.com");
    });

    test("visitors without script who send the same words are all stored, and a repeat says so", async () => {
      const before = stored().length;
      const send = async (address) => {
        const headers = { "x-forwarded-for": address };
        const body = new URLSearchParams(appointment({ email: "same@example.com" }));
        const answer = await request("appointment", body, headers);
        assert.equal(answer.status, 200, await answer.text());
      };
      await Promise.all(["192.0.2.1", "192.0.2.2", "2001:db8:1:1::1"].map(send));
      const mine = () => stored().slice(0, stored().length - before);
      const repeats = () => mine().filter(({ reason }) => reason.includes("the same text")).length;
      assert.deepEqual([mine().length, repeats()], [3, 0]);
      await Promise.all(["192.0.2.2", "2001:db8:1:1::2"].map(send));
      assert.deepEqual([mine().length, repeats()], [5, 2]);
      leads("forget", "same@example.com");
    });

    test("an address gets five mails a day from all servers, and an answer that is sent again uses up none", async () => {
      const email = "often@example.com";
      const mails = () => mail.mails.filter((text) => /^To: often@example.com$/m.test(text)).length;
      const first = { ...appointment({ email }), ...solved() };
      for (let at = 0; at < 8; at += 1) {
        assert.equal(await post("appointment", first, { "idempotency-key": "again" }), "200 null");
      }
      await until("the first mail", () => mails() === 1);
      assert.equal(await post("appointment", { ...appointment({ email, name: "Bea" }), ...solved() }), "200 null");
      await until("the second mail", () => mails() === 2);
      const other = await runApi(folder, environment);
      const send = async (at) => {
        const body = JSON.stringify({ ...appointment({ email, name: `Ana ${at}` }), ...solved() });
        const headers = { "content-type": "application/json", "idempotency-key": `at-once-${at}`, ...SIGNALS };
        const ask = () => fetch(`${(at % 2 ? api : other).found}/api/forms/appointment`, { method: "POST", body, headers });
        let answer = await ask();
        // One of several that the table counts at the same time is sent again, as browsers do.
        for (let again = 0; answer.status === 503 && again < 20; again += 1) answer = await ask();
        return answer.status;
      };
      assert.deepEqual(new Set(await Promise.all(Array.from({ length: 12 }, (_, at) => send(at)))), new Set([200]));
      other.child.kill();
      const mine = stored().filter((lead) => lead.email === email);
      assert.equal(mine.length, 14);
      const deliveries = mine.flatMap(({ id }) => JSON.parse(leads("show", id, "--format", "json")).deliveries);
      assert.equal(deliveries.filter(({ channel }) => channel === "answer").length, 5, JSON.stringify(deliveries));
      leads("forget", email);
    });

    test("an address is confirmed by mail, and once", async () => {
      assert.equal(await post("newsletter", { email: "eva@example.com", letters }), "200 null");
      assert.equal(stored()[0].status, "unconfirmed");
      const asked = () => mail.mails.find((text) => /^To: eva@example.com$/m.test(text));
      await until("the mail", () => asked() !== undefined);
      const text = asked().replaceAll("=\n", "").replaceAll("=3D", "=");
      const link = text.match(/https:\/\/horizon.example(\/api\/forms\/newsletter\/confirm\?lead=\w+&mark=\w+)/);
      assert.ok(link, text);
      const open = async (path, method) => (await fetch(api.found + path, { method })).status;
      assert.equal(await open(`${link[1].slice(0, -1)}x`, "POST"), 410);
      assert.equal(await open(link[1], "GET"), 200);
      assert.equal(stored()[0].status, "unconfirmed", "who opens a link presses no button");
      assert.equal(await open(link[1], "POST"), 200);
      assert.equal(await open(link[1], "POST"), 200);
      assert.equal(stored()[0].status, "confirmed");
      await until("the letters", () => mail.mails.some((text) => /^To: letters@horizon.example$/m.test(text)));
    });

    test("a lead is read, marked and found in the inbox", async () => {
      const arguments_ = ["leads", "serve", "--port", "0", "--allow-changes", "--trust-header", "X-User", "--root", folder];
      const { child, found } = await started(
        SITEGEN,
        arguments_,
        { env: { ...process.env, ...environment } },
        /(http:\/\/[^\s/]+)/,
      );
      try {
        const get = async (path) => (await fetch(found + path, { headers: { "x-user": "eva" } })).text();
        const [{ id }] = JSON.parse(leads("list", "--form", "callback", "--format", "json"));
        const count = async () => (await get("/?form=callback&unread=1")).split(`/lead/`).length - 1;
        const before = await count();
        const token = (await get(`/lead/${id}`)).match(/name="token" value="([^"]+)"/)[1];
        const headers = { "x-user": "eva", origin: found, "content-type": "application/x-www-form-urlencoded" };
        const marked = await fetch(`${found}/mark`, {
          method: "POST",
          headers,
          body: `token=${token}&id=${id}&as=read`,
          redirect: "manual",
        });
        assert.equal(marked.status, 303, await marked.text());
        assert.ok((await count()) < before);
        assert.ok((await get("/?q=600+000+001&form=callback")).includes(`/lead/${id}`));
      } finally {
        child.kill();
      }
    });

    test("files are stored with their lead, and only the export reads them", async () => {
      const files = [
        { name: "../../tooth.pdf", bytes: pdf("one") },
        { name: "scan.exe", bytes: png },
      ];
      assert.equal(await send(files, { "idempotency-key": "files" }), "200 null");
      const [lead] = stored();
      assert.deepEqual(
        lead.form.answers.xray,
        ["tooth.pdf", "scan.exe.png"].map((name, at) => ({
          name,
          type: ["application/pdf", "image/png"][at],
          size: files[at].bytes.length,
          sha256: createHash("sha256").update(files[at].bytes).digest("hex"),
        })),
      );
      const out = join(folder, "out");
      leads("export", "--files", out);
      assert.deepEqual(readdirSync(join(out, lead.id)).sort(), ["xray-1-tooth.pdf", "xray-2-scan.exe.png"]);
      assert.ok(readFileSync(join(out, lead.id, "xray-2-scan.exe.png")).equals(png));
      if (inDynamo) {
        // Nothing is left where files arrive, and nobody may read where they are.
        assert.ok(
          (await emulator.keys()).every((key) => key.startsWith(`files/${lead.id}/`)),
          (await emulator.keys()).join(),
        );
        for (const key of await emulator.keys()) assert.ok(!key.includes("tooth"), key);
      }
    });

    test("the bytes that a sender sends a day are counted by the table for all servers", async () => {
      if (!inDynamo) return; // A file serves one machine, whose process counts them.
      const limited = { ...environment, LEADS_PER_MINUTE: "1000" };
      const servers = await Promise.all([runApi(folder, limited), runApi(folder, limited)]);
      const from = (address) => ({ "x-forwarded-for": address });
      /** Sends a hundredth of 250 MB that is no form. */
      const waste = async ({ found }) => {
        const headers = { "content-type": "multipart/form-data; boundary=b", ...from("203.0.113.7") };
        const options = { method: "POST", body: Buffer.alloc(2_621_440), headers };
        return (await fetch(`${found}/api/forms/appointment`, options)).text();
      };
      const ask = async ({ found }, address) => {
        const body = new FormData();
        for (const [name, value] of Object.entries({ ...appointment({ email: "bytes@example.com" }), ...solved() }))
          body.append(name, value);
        body.append("xray", new Blob([png]), "a.png");
        const headers = { ...SIGNALS, ...from(address) };
        return fetch(`${found}/api/forms/appointment`, { method: "POST", body, headers });
      };
      try {
        // Neither of the two has received 250 MB.
        for (let at = 0; at < 50; at += 1) await Promise.all(servers.map(waste));
        for (const server of servers) {
          const refused = await ask(server, "203.0.113.7");
          assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3600"]);
          assert.equal((await ask(server, "198.51.100.7")).status, 200);
        }
      } finally {
        for (const { child } of servers) child.kill();
      }
      leads("forget", "bytes@example.com");
    });

    test("what lies, is too much, or is a bomb is refused in the words of the form", async () => {
      const before = stored().length;
      const bomb = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(4096)]);
      const program = Buffer.from(`MZ this is a program, whatever its name says, ${"x".repeat(200)}`);
      assert.equal(await send([{ name: "tooth.pdf", bytes: program }]), "422 invalid_value xray");
      assert.equal(await send([{ name: "tooth.pdf", bytes: bomb }]), "422 invalid_value xray");
      const one = { name: "a.pdf", bytes: pdf("a") };
      assert.equal(await send([one, one, one]), "422 out_of_range xray");
      assert.match(await send([{ name: "a.pdf", bytes: Buffer.concat([pdf("a"), Buffer.alloc(2 << 20)]) }]), /^413 too_large/);
      assert.equal(stored().length, before);
      if (inDynamo)
        assert.deepEqual(
          (await emulator.keys()).filter((key) => key.startsWith("incoming/")),
          [],
        );
    });

    test("an uploaded file belongs to one answer, of the form it was signed for", async () => {
      if (!inDynamo) return; // An SQLite store takes files with the answer.
      const before = stored().length;
      const file = { field: "xray", name: "a.pdf", size: pdf("a").length };
      const [one] = await sign([file]);
      const answer = (xray, more = {}) => ({ ...appointment(more), xray, ...solved() });
      assert.equal(await post("appointment", answer([one.token])), "422 upload_missing xray", "it was never sent");
      assert.equal(await upload(one, pdf("a")), 204);
      for (const wrong of ["x", `${one.token}x`, one.token.replace(".", "."), one.token.slice(1)].filter(
        (text) => text !== one.token,
      ))
        assert.equal(await post("appointment", answer([wrong])), "422 upload_missing xray", wrong);
      assert.equal(await post("appointment", answer([one.token, one.token])), "422 upload_missing xray", "it comes twice");
      const key = { "idempotency-key": "one" };
      const first = answer([one.token]);
      assert.equal(await post("appointment", first, key), "200 null");
      assert.equal(await post("appointment", { ...first, ...solved() }, key), "200 null", "the same answer again");
      assert.equal(await post("appointment", answer([one.token])), "422 upload_missing xray", "another answer");
      assert.equal(
        await post("appointment", answer([one.token], { name: "Eva" }), { "idempotency-key": "two" }),
        "422 upload_missing xray",
      );
      // It is uploaded again under the same name, and belongs to nobody.
      assert.equal(await upload(one, pdf("b")), 204);
      assert.equal(await post("appointment", answer([one.token])), "422 upload_missing xray");
      assert.equal(stored().length, before + 1);
      assert.equal(await sign([file], "callback"), "404 not_found");
      assert.equal(await sign([{ ...file, field: "name" }]), "400 bad_request");
      assert.equal(await sign([{ ...file, size: 3 << 20 }]), "413 too_large xray");
      await emulator.s3(`/incoming/${one.fields.key.split("/")[1]}`, "DELETE");
    });

    test("two answers that claim a file at once do not both get it", async () => {
      if (!inDynamo) return;
      const [one] = await sign([{ field: "xray", name: "a.pdf", size: pdf("c").length }]);
      assert.equal(await upload(one, pdf("c")), 204);
      const answers = await Promise.all(
        ["Ana", "Eva", "Bob", "Mia"].map((name) =>
          post("appointment", { ...appointment({ name }), xray: [one.token], ...solved() }),
        ),
      );
      assert.deepEqual(answers.sort(), ["200 null", ...Array(3).fill("422 upload_missing xray")]);
    });

    test("the bucket takes what was signed and nothing else", async () => {
      if (!inDynamo) return;
      const before = await emulator.keys();
      const [one] = await sign([{ field: "xray", name: "a.pdf", size: 300 }]);
      for (const [what, bytes, more] of [
        ["more", Buffer.alloc(301), {}],
        ["less", Buffer.alloc(299), {}],
        ["another name", Buffer.alloc(300), { key: "files/x/y" }],
        ["another type", Buffer.alloc(300), { "content-type": "text/html" }],
        ["a field that is not signed", Buffer.alloc(300), { acl: "public-read" }],
        [
          "another policy",
          Buffer.alloc(300),
          { policy: Buffer.from('{"expiration":"2099-01-01T00:00:00Z","conditions":[]}').toString("base64") },
        ],
      ]) {
        assert.ok((await upload(one, bytes, more)) >= 400, what);
      }
      assert.deepEqual(await emulator.keys(), before);
    });

    test("while the bucket fails, the visitor hears so, and what is stored stays stored", async () => {
      if (!inDynamo) return;
      const before = stored().length;
      const file = { name: "a.pdf", bytes: pdf("d") };
      await emulator.trouble([{ method: "GET", path: "incoming/", status: 503, count: 99 }]);
      assert.equal(await send([file]), "503 unavailable");
      await emulator.trouble([{ method: "GET", path: "incoming/", status: 403, count: 99 }]);
      assert.equal(await send([file]), "503 unavailable");
      await emulator.trouble([{ method: "GET", path: "incoming/", status: 503, count: 1 }]);
      assert.equal(await send([file]), "200 null", "a failure that passes");
      await emulator.trouble([{ method: "GET", path: "incoming/", status: 503, seconds: 20, count: 1 }]);
      assert.equal(await send([file]), "503 unavailable", "it hangs");
      const whole = new FormData();
      for (const [name, value] of Object.entries({ ...appointment(), ...solved() })) whole.append(name, value);
      whole.append("xray", new Blob([file.bytes]), file.name);
      await emulator.trouble([{ method: "PUT", path: "incoming/", status: 503, count: 99 }]);
      assert.equal(await said(await request("appointment", whole, SIGNALS)), "503 unavailable");
      assert.equal(stored().length, before + 1);
      await emulator.trouble([]);
    });

    test("a file whose move was interrupted is there all the same, and gets to its place", async () => {
      if (!inDynamo) return;
      await emulator.trouble([{ method: "PUT", path: "files/files/", status: 503, count: 99 }]);
      assert.equal(await send([{ name: "late.pdf", bytes: pdf("late") }]), "200 null");
      const [{ id }] = stored();
      assert.equal((await emulator.keys()).filter((key) => key.startsWith(`files/${id}/`)).length, 0);
      leads("export", "--files", join(folder, "late"));
      assert.ok(readFileSync(join(folder, "late", id, "xray-1-late.pdf")).equals(pdf("late")));
      await emulator.trouble([]);
      // The next API that starts looks for it.
      const other = await runApi(folder, environment);
      await until("its place", async () => (await emulator.keys()).some((key) => key.startsWith(`files/${id}/`)));
      other.child.kill();
    });

    test("what is forgotten or has expired leaves no file", async () => {
      const email = "gone@example.com";
      assert.equal(await send([{ name: "a.pdf", bytes: pdf("gone") }], {}, appointment({ email })), "200 null");
      const before = await kept();
      if (inDynamo) {
        const made = leadsCommand(folder, { ...environment, LEADS_FILES: "" }, ["forget", email], 3);
        assert.ok(made.stderr.includes("`LEADS_FILES` is not set"), made.stderr);
        await emulator.trouble([{ method: "DELETE", path: "files/", status: 503, count: 99 }]);
        leadsCommand(folder, environment, ["forget", email], 3);
        assert.equal(stored().filter((lead) => lead.email === email).length, 1, "it can be repeated");
        await emulator.trouble([]);
      }
      leads("forget", email);
      assert.equal(stored().filter((lead) => lead.email === email).length, 0);
      if (inDynamo) assert.equal(await kept(), before - 1);
      leads("expire", "--days", "0", "--yes");
      assert.deepEqual(stored(), []);
      if (inDynamo) assert.equal(await kept(), 0);
    });

    test("an API without a bucket says so when it starts, and refuses answers with files", async () => {
      if (!inDynamo) return;
      const other = await runApi(folder, { ...environment, LEADS_FILES: "" });
      try {
        assert.ok(other.log.text.includes("the form `appointment` takes files, but `LEADS_FILES` is not set"), other.log.text);
        const body = new FormData();
        for (const [name, value] of Object.entries({ ...appointment(), ...solved() })) body.append(name, value);
        body.append("xray", new Blob([png]), "a.png");
        const answer = await fetch(`${other.found}/api/forms/appointment`, { method: "POST", body, headers: SIGNALS });
        assert.equal(await said(answer), "503 unavailable");
      } finally {
        other.child.kill();
      }
      const elsewhere = await runApi(folder, { ...environment, LEADS_FILES: "s3://others" });
      other.child.kill();
      elsewhere.child.kill();
      assert.ok(elsewhere.log.text.includes("which is not the bucket in `LEADS_FILES`"), elsewhere.log.text);
    });
  });
}
