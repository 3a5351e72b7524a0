// Tests of the steps of a form: which are shown, where a field is, how far the answers lead, and what leads from one to another.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FormControl, SiteForm } from "../../generated/wire";
import { START } from "../form/state";
import { allowed, back, cleared, delayOf, errorsOf, onward, placeOf, refusedIn, stepOf, stepsFor, went } from "./steps";

const field = (name: string, shownWhen: FormControl["shownWhen"] = []): FormControl =>
  ({ name, takes: "text", shownWhen, choices: [], choicesBy: null }) as unknown as FormControl;
const step = (...fields: string[]): SiteForm["steps"][number] => ({ fields, label: "", title: "", text: "" });

const form = {
  fields: [
    field("insured"),
    field("insurer", [{ field: "insured", values: ["true"] }]),
    field("number", [{ field: "insured", values: ["true"] }]),
    field("email"),
    field("more", [{ field: "insured", values: ["true"] }]),
  ],
  steps: [step("insured"), step("insurer", "number"), step("email"), step("more")],
  consents: [],
  captcha: null,
};
const insured = { insured: ["true"] };

describe("the steps of a form", () => {
  it("leave out those that have nothing to show", () => {
    assert.deepEqual(stepsFor(form, {}), [0, 2]);
    assert.deepEqual(stepsFor(form, insured), [0, 1, 2, 3]);
  });
  it("are shown as far as the answers show something in the one asked for", () => {
    assert.deepEqual(placeOf(form, { values: {}, step: 1 }), { order: [0, 2], at: 0, number: 1 });
    assert.deepEqual(placeOf(form, { values: {}, step: 3 }), { order: [0, 2], at: 2, number: 2 });
    assert.deepEqual(placeOf(form, { values: insured, step: 3 }), { order: [0, 1, 2, 3], at: 3, number: 4 });
  });
  it("keep the last one if it has a consent or the captcha", () => {
    assert.deepEqual(stepsFor({ ...form, consents: [{ name: "privacy", html: "", hash: "" }] }, {}), [0, 2, 3]);
    assert.deepEqual(
      stepsFor(
        { ...form, captcha: { script: "", siteKey: "", language: null, languageParameter: "hl", interface: "grecaptcha" } },
        {},
      ),
      [0, 2, 3],
    );
  });
  it("count one whose choices an answer will offer that has to be given", () => {
    const service = { ...field("service"), choicesBy: { field: "reason", choices: { help: ["care"], none: [] } } };
    const care = { value: "care" } as FormControl["choices"][number];
    const chosen = { ...form, fields: [{ ...field("reason"), required: true }, { ...service, choices: [care] }, field("name")] };
    const steps = [step("reason"), step("service"), step("name")];
    assert.deepEqual(stepsFor({ ...chosen, steps }, {}), [0, 1, 2]);
    assert.deepEqual(stepsFor({ ...chosen, steps }, { reason: ["help"] }), [0, 1, 2]);
    assert.deepEqual(stepsFor({ ...chosen, steps }, { reason: ["none"] }), [0, 2], "nothing is offered");
  });
  it("are scrolled to after a while, which is shorter in other languages than the first one", () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((step) => delayOf({ isBrisk: false }, step)),
      [100, 150, 200, 200, 500, 200],
    );
    assert.equal(delayOf({ isBrisk: true }, 5), 300);
  });
  it("hold each field once, and in the last one what belongs to none", () => {
    assert.deepEqual(
      ["insured", "number", "email", "privacy", "_captcha"].map((name) => stepOf(form, name)),
      [0, 1, 2, 3, 3],
    );
    assert.deepEqual(errorsOf(form, 1, { insured: "a", insurer: "b", privacy: "c" }), { insurer: "b" });
    assert.deepEqual(errorsOf(form, 3, { insured: "a", insurer: "b", privacy: "c" }), { privacy: "c" });
  });
  it("end at the first one with an error", () => {
    assert.equal(allowed(form, 3, insured, {}), 3);
    assert.equal(allowed(form, 3, insured, { insurer: "missing" }), 1);
    assert.equal(allowed(form, 0, insured, { insurer: "missing" }), 0);
    assert.equal(allowed(form, 1, {}, {}), 0, "a step without anything to show is passed over");
    assert.equal(allowed(form, 9, {}, {}), 2);
  });
});

describe("what leads from one step to another", () => {
  const open = { ...START, isAwake: true, values: insured };
  const said = (errors: Record<string, string>): object => ({ errors, attempt: errors });

  it("is an error: the first one, whatever their order, or the list if its step has several", () => {
    const wrong = { email: "wrong", insured: "missing" };
    const refused = refusedIn(form, wrong)({ ...went(2)(open), phase: "sending" });
    assert.deepEqual(refused, { ...open, ...said(wrong), step: 0, focus: { on: "field", name: "insured" } });
    const both = { number: "missing", insurer: "missing" };
    assert.deepEqual(refusedIn(form, both)(open), { ...open, ...said(both), step: 1, focus: { on: "summary" } });
  });
  it("is no error of the whole form, which has a panel without the focus", () => {
    const wrong = { "": "no network" };
    const sent = { ...went(3)(open), phase: "sending" as const };
    assert.deepEqual(refusedIn(form, wrong)(sent), { ...open, ...said(wrong), step: 3, focus: null });
  });
  it("is what the visitor presses, unless the step has an error; messages go", () => {
    const wrong = { ...open, ...said({ insured: "missing" }) };
    assert.deepEqual(onward(form, 0, {}, { email: "missing" })(wrong), { ...open, step: 2, focus: { on: "step" } });
    assert.deepEqual(onward(form, 3, insured, {})(wrong), cleared(wrong));
    assert.deepEqual(cleared(wrong), open);
    assert.equal(onward(form, 0, {}, { insured: "missing" })(open).focus?.on, "field");
  });
  it("goes back from where the form then is, and nowhere while it is sent", () => {
    const end = { ...open, values: {}, step: 2 };
    assert.equal(back(form)(end).step, 0);
    assert.equal(back(form)(back(form)(end)).step, 0);
    assert.equal(back(form)({ ...end, phase: "sending" }).step, 2);
  });
});
