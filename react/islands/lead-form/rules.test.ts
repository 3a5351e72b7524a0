// Tests of the rules of the fields.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeadForm } from "../../generated/wire";
import { EMPTY, type Fields, leadOf } from "./lead";
import { isContactValid, roomOf, ruleOf } from "./rules";

const limits = {
  name: 200,
  email: 254,
  company: 200,
  phone: 50,
  position: 200,
  projectType: 200,
  message: 10_000,
  appName: 200,
  appDescription: 5_000,
} satisfies LeadForm["limits"];
const messages = {
  enterName: "name",
  enterContact: "contact",
  enterValidEmail: "email",
  tooLong: "at most {max}",
} as LeadForm["messages"];
const form = { limits, messages };
const ana: Fields = { ...EMPTY, name: "Ana", email: "ana@example.com" };
const judge = (name: keyof Fields, fields: Partial<Fields>): true | string => {
  const all = { ...EMPTY, ...fields };
  return ruleOf(name, form)(all[name], all);
};

describe("the rules of the fields", () => {
  it("require a name, and an email address or a phone number", () => {
    assert.equal(judge("name", { name: " " }), "name");
    assert.equal(judge("email", {}), "contact");
    assert.equal(judge("email", { phone: "602" }), true);
    assert.equal(judge("email", { email: "ana", phone: "602" }), "email");
  });
  for (const name of Object.keys(EMPTY) as (keyof Fields)[]) {
    if (name === "hasApp" || name === "appType") continue;
    it(`limit ${name} to what the API takes, in characters`, () => {
      const max = name === "message" ? roomOf(limits) : limits[name];
      assert.equal(judge(name, { [name]: "x".repeat(10_000) }), `at most ${max}`);
      assert.notEqual(judge(name, { [name]: ` ${"\u{1F309}".repeat(max)} ` }), `at most ${max}`);
      assert.equal(judge(name, { [name]: "\u{1F309}".repeat(max + 1) }), `at most ${max}`);
    });
  }
  it("take names of any script, and markup as text", () => {
    for (const name of ["محمد بن راشد", "李小龍", "👩🏽‍💻", "<script>alert(1)</script>", "O’Neil & Sons"])
      assert.equal(judge("name", { name }), true);
  });
  it("leave room for the longest message", () => {
    const long = (length: number): string => "x".repeat(length);
    const all: Fields = {
      ...ana,
      company: "c",
      position: long(limits.position),
      hasApp: "yes",
      appName: long(limits.appName),
      appType: "website",
      appDescription: long(limits.appDescription),
      message: long(roomOf(limits)),
    };
    const label = `${long(40)}: {value}`;
    const labels = {
      messageService: label,
      messagePosition: label,
      messageHasApp: label,
      messageAppName: label,
      messageAppType: label,
      messageAppDescription: label,
    };
    const words = { messages: { ...labels, hasAppYes: "Yes" } as LeadForm["messages"], appTypes: [] };
    assert.ok(leadOf(all, long(limits.projectType), words).message.length <= limits.message);
  });
});

describe("a contact", () => {
  it("is valid if Continue would accept it", () => {
    assert.ok(isContactValid(ana, form));
    assert.ok(isContactValid({ ...ana, email: "", phone: "602" }, form));
    for (const wrong of [{ name: "" }, { email: "" }, { email: "ana" }, { phone: "1".repeat(51) }])
      assert.ok(!isContactValid({ ...ana, ...wrong }, form));
  });
  it("does not depend on a position that is hidden", () => {
    const position = "x".repeat(201);
    assert.ok(isContactValid({ ...ana, position }, form));
    assert.ok(!isContactValid({ ...ana, position, company: "Mill" }, form));
  });
});
