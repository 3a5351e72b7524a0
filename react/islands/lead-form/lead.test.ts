// Tests of the payload, the idempotency key, the parser for responses, and drafts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, describe, it } from "node:test";
import type { LeadForm } from "../../generated/wire";
import { removeDraft, saveDraft } from "../../lib/draft";
import { draftOf, loadDraft, placeOf } from "./draft";
import { EMPTY, type Fields, leadOf, send, submissionOf } from "./lead";
import { begin } from "./state";

const messages = {
  messageService: "Service: {value}",
  messagePosition: "Position: {value}",
  messageHasApp: "App development wanted: {value}",
  messageAppName: "App name: {value}",
  messageAppType: "App type: {value}",
  messageAppDescription: "App description: {value}",
  hasAppYes: "Yes",
  hasAppNo: "No",
} as LeadForm["messages"];
const words = { messages, appTypes: [{ id: "website", name: "Website" }] };
const ana: Fields = { ...EMPTY, name: " Ana ", email: "ana@example.com" };

describe("the payload", () => {
  it("has the specified keys with trimmed values, and no app fields without an app", () => {
    const lead = leadOf({ ...ana, appName: "typed before no was chosen", appType: "website" }, "Maintenance Plans", words);
    assert.deepEqual(lead, {
      name: "Ana",
      email: "ana@example.com",
      company: "",
      phone: "",
      projectType: "Maintenance Plans",
      message: "Service: Maintenance Plans\nApp development wanted: No",
    });
  });
  it("has the app in the message and in separate fields", () => {
    const lead = leadOf(
      {
        ...ana,
        company: "Mill",
        position: "CTO",
        hasApp: "yes",
        appName: "Sails",
        appType: "website",
        appDescription: "Turns.\nSlowly.",
      },
      "SEO",
      words,
    );
    assert.equal(
      lead.message,
      "Service: SEO\nPosition: CTO\nApp development wanted: Yes\nApp name: Sails\nApp type: Website\nApp description: Turns.\nSlowly.",
    );
    assert.deepEqual([lead.appName, lead.appType, lead.appDescription], ["Sails", "website", "Turns.\nSlowly."]);
  });
  it("ends with what else the visitor says", () => {
    const said = { ...ana, hasApp: "yes", appName: "Sails", message: " Call me.\n\nAfter six. " } as const;
    assert.equal(
      leadOf(said, "SEO", words).message,
      "Service: SEO\nApp development wanted: Yes\nApp name: Sails\n\nCall me.\n\nAfter six.",
    );
    assert.ok(!leadOf({ ...ana, message: " \n " }, "SEO", words).message.endsWith("\n"));
  });
  it("omits a position without a company", () => {
    assert.ok(!leadOf({ ...ana, position: "CTO" }, "SEO", words).message.includes("CTO"));
  });
  it("omits empty app fields", () => {
    const lead = leadOf({ ...ana, hasApp: "yes", appName: "  " }, "SEO", words);
    assert.ok(!("appName" in lead) && !("appType" in lead) && !("appDescription" in lead));
  });
});

describe("a submission", () => {
  it("keeps its key on retries, and another lead gets another key", () => {
    const lead = leadOf(ana, "SEO", words);
    const first = submissionOf(lead, null);
    assert.equal(submissionOf(leadOf(ana, "SEO", words), first).key, first.key);
    assert.notEqual(submissionOf(leadOf({ ...ana, phone: "1" }, "SEO", words), first).key, first.key);
    assert.match(first.key, /^[0-9a-f]{32}$/);
  });
});

describe("the response", () => {
  const props = { api: "/api/leads", locale: "es", keyHeader: "idempotency-key", signalsHeader: "x-form-signals" } as LeadForm;
  const post = { lead: leadOf(ana, "SEO", words), token: "t", key: "k", signals: "elapsed=4" };
  const answering = async (body: () => Promise<unknown>): Promise<unknown> => {
    const asked: RequestInit[] = [];
    globalThis.fetch = (async (_: unknown, init: RequestInit) => {
      asked.push(init);
      return { json: body };
    }) as unknown as typeof fetch;
    const outcome = await send(props, post);
    const headers = asked[0]?.headers as Record<string, string>;
    assert.equal(headers["idempotency-key"], "k");
    assert.equal(JSON.parse(String(asked[0]?.body)).recaptchaToken, "t");
    return outcome;
  };
  const network = { success: false, error: null, code: null, isNetwork: true };

  it("is a success only if `success` is true", async () => {
    assert.deepEqual(await answering(async () => ({ success: true })), { success: true });
    assert.deepEqual(await answering(async () => ({ success: "yes" })), {
      success: false,
      error: null,
      code: null,
      isNetwork: false,
    });
  });
  it("contains the error message of the server", async () => {
    const outcome = await answering(async () => ({ success: false, error: "Demasiado largo.", code: "too_long" }));
    assert.deepEqual(outcome, { success: false, error: "Demasiado largo.", code: "too_long", isNetwork: false });
  });
  for (const wrong of [null, [], "ok", 3]) {
    it(`is a network failure if it is ${JSON.stringify(wrong)}`, async () =>
      assert.deepEqual(await answering(async () => wrong), network));
  }
  it("is a network failure if it is not JSON or does not arrive", async () => {
    assert.deepEqual(await answering(() => Promise.reject(new SyntaxError("<html>"))), network);
    globalThis.fetch = (() => Promise.reject(new TypeError("fetch"))) as typeof fetch;
    assert.deepEqual(await send(props, post), network);
  });
  it("is a network failure if it takes longer than 30 seconds", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    globalThis.fetch = ((_: unknown, { signal }: RequestInit) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))) as typeof fetch;
    const outcome = send(props, post);
    context.mock.timers.tick(30_000);
    assert.deepEqual(await outcome, network);
  });
  it("is shown for a status of 500, if it has a message", async () => {
    globalThis.fetch = (async () => Response.json({ success: false, error: "Later." }, { status: 500 })) as typeof fetch;
    assert.deepEqual(await send(props, post), { success: false, error: "Later.", code: null, isNetwork: false });
  });
});

/** Requests and responses that the tests of the API replay, too. */
const exchanges: {
  request: string;
  headers?: Record<string, string>;
  body?: unknown;
  status: number;
  answer?: Record<string, unknown>;
}[] = JSON.parse(readFileSync("tests/api/exchanges.json", "utf8"));

describe("responses of the API to leads", () => {
  const props = { api: "/api/leads", locale: "en", keyHeader: "idempotency-key", signalsHeader: "x-form-signals" } as LeadForm;
  const sent = exchanges.filter(
    ({ request, headers }) => request.startsWith("POST /api/leads") && headers?.["content-type"] === "application/json",
  );

  it("exist, and the first request is what the form sends", async () => {
    assert.ok(sent.length > 10);
    const first = sent[0];
    const fields: Fields = { ...EMPTY, name: "Ana Ruiz", email: "ana@example.com" };
    let body = "";
    globalThis.fetch = (async (_: unknown, init: RequestInit) => {
      body = String(init.body);
      return Response.json(first?.answer);
    }) as typeof fetch;
    const lead = leadOf(fields, "SEO Services", words);
    assert.deepEqual(await send(props, { lead, token: "good-1", key: "k", signals: "" }), { success: true });
    assert.deepEqual(JSON.parse(body), first?.body);
  });
  for (const { status, answer } of sent) {
    it(`are parsed: ${status} ${String(answer?.code)}`, async () => {
      globalThis.fetch = (async () => Response.json(answer, { status })) as typeof fetch;
      const outcome = await send(props, { lead: leadOf(ana, "SEO", words), token: "t", key: "k", signals: "" });
      const refused = { success: false, error: answer?.error, code: answer?.code, isNetwork: false };
      assert.deepEqual(outcome, status === 200 ? { success: true } : refused);
    });
  }
});

describe("a draft", () => {
  beforeEach(() => sessionStorage.clear());

  it("is saved for one language, without the token", () => {
    saveDraft(placeOf("en"), draftOf({ ...begin, step: 3, choice: "help", service: "seo" }, ana, { key: "k", lead: "{}" }));
    assert.equal(loadDraft("es", EMPTY), null);
    assert.deepEqual(loadDraft("en", EMPTY), {
      step: 3,
      choice: "help",
      service: "seo",
      fields: ana,
      submission: { key: "k", lead: "{}" },
    });
    assert.ok(!JSON.stringify(sessionStorage.getItem("lead-form:en")).includes("oken"));
    removeDraft(placeOf("en"));
    assert.equal(loadDraft("en", EMPTY), null);
  });
  for (const odd of ["", "{", "null", "[]", "3", '{"step":9,"fields":{"name":{}},"choice":7}', '{"step":5}']) {
    it(`is validated: ${odd}`, () => {
      sessionStorage.setItem("lead-form:en", odd);
      const draft = loadDraft("en", EMPTY);
      if (draft) assert.deepEqual([draft.step, draft.choice, draft.fields], [1, null, EMPTY]);
    });
  }
});
