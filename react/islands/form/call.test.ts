// Tests of what a form with `endpoint: leads` sends: the keys of the call, the message, and the requests that the tests of the
// API replay.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { FormControl } from "../../generated/wire";
import { leadOf, messageOf } from "./call";
import type { Values } from "./fields";

const field = (name: string, key: string | null = name, ...choices: [string, string][]): FormControl =>
  ({
    name,
    ...(key === null ? { unsent: true } : { key }),
    choices: choices.map(([value, label]) => ({ value, label })),
  }) as unknown as FormControl;

const form = {
  keys: [
    ...["name", "email", "company", "phone", "projectType"].map((name) => ({ name, optional: false })),
    ...["appName", "appType", "appDescription"].map((name) => ({ name, optional: true })),
  ],
  fields: [
    {
      ...field("service", "projectType", ["seo", "SEO"], ["plans", "Maintenance Plans"], ["services", "SEO Services"]),
      labelled: true,
    },
    field("name"),
    field("email"),
    field("company"),
    field("phone"),
    field("position"),
    field("has_app", null, ["no", "No"], ["yes", "Yes"]),
    field("app_name", "appName"),
    field("app_type", "appType", ["website", "Website"]),
    field("app_description", "appDescription"),
    field("message"),
  ],
  message: `Service: {service}
Position: {position}
App development wanted: {has_app}
App name: {app_name}
App type: {app_type}
App description: {app_description}

{message}
`,
};
const ana: Values = { service: ["seo"], name: ["Ana"], email: ["ana@example.com"], has_app: ["no"] };

describe("the call of a lead", () => {
  it("has the specified keys, and no app fields without an app", () => {
    assert.deepEqual(leadOf(form, { ...ana, service: ["plans"] }), {
      name: "Ana",
      email: "ana@example.com",
      company: "",
      phone: "",
      projectType: "Maintenance Plans",
      message: "Service: Maintenance Plans\nApp development wanted: No",
    });
  });
  it("has the app in the message and in separate fields", () => {
    const app = { app_name: ["Sails"], app_type: ["website"], app_description: ["Turns.\nSlowly."] };
    const lead = leadOf(form, { ...ana, company: ["Mill"], position: ["CTO"], has_app: ["yes"], ...app });
    assert.equal(
      lead.message,
      "Service: SEO\nPosition: CTO\nApp development wanted: Yes\nApp name: Sails\nApp type: Website\nApp description: Turns.\nSlowly.",
    );
    assert.deepEqual([lead.appName, lead.appType, lead.appDescription], ["Sails", "website", "Turns.\nSlowly."]);
    assert.ok(!("position" in lead), "only a form without script sends it");
  });
  it("ends with what else the visitor says", () => {
    const said = { ...ana, has_app: ["yes"], app_name: ["Sails"], message: ["Call me.\n\nAfter six."] };
    assert.equal(messageOf(form, said), "Service: SEO\nApp development wanted: Yes\nApp name: Sails\n\nCall me.\n\nAfter six.");
  });
  it("leaves braces and placeholders that a visitor types as they are", () => {
    assert.ok(messageOf(form, { ...ana, message: ["{service} {nothing}"] }).endsWith("\n\n{service} {nothing}"));
  });
});

const exchanges: { request: string; headers?: Record<string, string>; body?: unknown }[] = JSON.parse(
  readFileSync("tests/api/exchanges.json", "utf8"),
);

describe("requests that the tests of the API replay", () => {
  it("begin with what the form sends", () => {
    const sent = exchanges.filter(
      ({ request, headers }) => request.startsWith("POST /api/leads") && headers?.["content-type"] === "application/json",
    );
    assert.ok(sent.length > 10);
    const lead = leadOf(form, { ...ana, name: ["Ana Ruiz"], service: ["services"] });
    assert.deepEqual({ ...lead, recaptchaToken: "good-1" }, sent[0]?.body);
  });
});
