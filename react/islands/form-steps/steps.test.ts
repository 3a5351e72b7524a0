// Tests of the steps of a form: which are shown, where a field is, and how far the answers lead.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FormControl, SiteForm } from "../../generated/wire";
import { allowed, delayOf, errorsOf, placeOf, stepOf, stepsFor } from "./steps";

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
  it("are all there before the form is awake, and then as far as the answers show something in the one asked for", () => {
    assert.deepEqual(placeOf(form, { isAwake: false, values: {}, step: 0 }), { order: [0, 1, 2, 3], at: 0, number: 1 });
    assert.deepEqual(placeOf(form, { isAwake: true, values: {}, step: 1 }), { order: [0, 2], at: 0, number: 1 });
    assert.deepEqual(placeOf(form, { isAwake: true, values: {}, step: 3 }), { order: [0, 2], at: 2, number: 2 });
    assert.deepEqual(placeOf(form, { isAwake: true, values: insured, step: 3 }), { order: [0, 1, 2, 3], at: 3, number: 4 });
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
