// Tests of the lead form's state machine: every event in every state, and common sequences.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeadChoice } from "../../generated/wire";
import { type Action, begin, byHash, farthest, picked, reduce, type State } from "./state";

const service = (id: string, hashes: string[] = []): LeadChoice["services"][0] => ({
  id,
  icon: "",
  title: id,
  request: "",
  description: "",
  details: null,
  hashes,
});
const choices: LeadChoice[] = [
  {
    id: "help",
    icon: "",
    title: "",
    text: "",
    services: [service("support", ["ai-support"]), service("seo", ["seo", "search"]), service("plans")],
  },
  { id: "create", icon: "", title: "", text: "", services: [service("website")] },
];

const after = (state: State, ...events: Action[]): State => events.reduce(reduce, state);
const chose: Action = { type: "chose", choice: "help" };
const pick: Action = { type: "picked", service: "support" };
const next: Action = { type: "continued" };
const back: Action = { type: "back" };

const states: Record<string, State> = {
  "step 1": begin,
  "step 1 after going back": after(begin, chose, pick, back),
  "step 2": after(begin, chose),
  "step 2 with a preview": after(begin, chose, pick),
  "step 3": after(begin, chose, pick, next),
  "step 4": after(begin, chose, pick, next, next),
  sending: after(begin, chose, pick, next, next, { type: "sent" }),
  failed: after(begin, chose, pick, next, next, { type: "sent" }, { type: "failed", message: "no" }),
  "step 5": after(begin, chose, pick, next, next, { type: "sent" }, { type: "succeeded" }),
};
const events: Action[] = [
  chose,
  { type: "chose", choice: "create" },
  pick,
  { type: "picked", service: "seo" },
  next,
  back,
  { type: "went", step: 1, isContactValid: true },
  { type: "went", step: 2, isContactValid: true },
  { type: "went", step: 3, isContactValid: true },
  { type: "went", step: 4, isContactValid: true },
  { type: "went", step: 4, isContactValid: false },
  { type: "deep-linked", choice: "help", service: "seo" },
  { type: "restored", step: 4, choice: "help", service: "plans", isContactValid: true },
  { type: "restored", step: 4, choice: "help", service: "plans", isContactValid: false },
  { type: "restored", step: 3, choice: "help", service: null, isContactValid: true },
  { type: "sent" },
  { type: "succeeded" },
  { type: "failed", message: "no" },
  { type: "failed", message: "no", isCaptchaRefused: true },
  { type: "dismissed" },
  { type: "restarted" },
];

describe("every event in every state", () => {
  for (const [where, state] of Object.entries(states)) {
    for (const event of events) {
      it(`${where}: ${JSON.stringify(event)}`, () => {
        const frozen = structuredClone(state);
        const result = reduce(state, event);
        assert.deepEqual(state, frozen, "the state before is left alone");
        // Continue is only pressed, and steps are only sent, with a valid contact.
        const isContactValid = "isContactValid" in event ? event.isContactValid || result === state : true;
        assert.ok(result.step === 5 || result.step <= farthest(result, isContactValid), "no step without what it needs");
        if (event.type === "went" && result !== state) assert.ok(result.step <= event.step, "no farther than the history entry");
        if (result.sending.state !== "idle") assert.equal(result.step, 4, "only the fourth step is sent");
        if (result.step === 5 && state.step !== 5) assert.equal(event.type, "succeeded");
        if (state.step === 5 && !["restarted", "deep-linked"].includes(event.type))
          assert.equal(result, state, "what was sent stays sent");
        if (state.sending.state === "sending" && !["succeeded", "failed"].includes(event.type))
          assert.equal(result, state, "nothing changes while it is sent");
      });
    }
  }
});

describe("the sequence of steps", () => {
  it("starts with a choice, which clears an earlier service", () => {
    assert.deepEqual(
      { ...after(states["step 1 after going back"] as State, chose) },
      { ...begin, step: 2, choice: "help", service: null },
    );
  });
  it("requires a service to continue", () => {
    assert.equal((states["step 2"] as State).step, 2);
    assert.equal(after(states["step 2"] as State, next).step, 2);
    assert.equal((states["step 3"] as State).step, 3);
  });
  it("goes one step back from each step", () => {
    assert.deepEqual(
      [2, 3, 4].map((step) => after(states[`step ${step}`] as State, back).step),
      [1, 2, 3],
    );
    assert.equal(after(begin, back), begin);
  });
  it("keeps choice and service when going back", () => {
    const state = after(states["step 4"] as State, back, back, back);
    assert.deepEqual([state.step, state.choice, state.service], [1, "help", "support"]);
  });
  it("accepts a choice only in the first step", () => {
    assert.equal(after(states["step 3"] as State, { type: "chose", choice: "create" }), states["step 3"]);
  });
  it("submits once, regardless of the number of clicks", () => {
    assert.equal(after(states.sending as State, { type: "sent" }), states.sending);
  });
  it("cannot be submitted while an error is shown, but can be after it is dismissed", () => {
    assert.equal(after(states.failed as State, { type: "sent" }), states.failed);
    assert.equal(after(states.failed as State, { type: "dismissed" }, { type: "sent" }).sending.state, "sending");
  });
  it("shows a new captcha after one was refused, and only then", () => {
    const failed = (isCaptchaRefused: boolean): State =>
      after(states.sending as State, { type: "failed", message: "no", isCaptchaRefused });
    assert.deepEqual([failed(false).round, failed(true).round], [0, 1]);
  });
  it("can be restarted after success or failure", () => {
    for (const where of ["failed", "step 5"]) assert.deepEqual(after(states[where] as State, { type: "restarted" }), begin);
  });
});

describe("the URL", () => {
  it("selects a service by any of its fragments", () => {
    assert.deepEqual(byHash(choices, "#search"), { choice: "help", service: "seo" });
    assert.deepEqual(byHash(choices, "seo"), { choice: "help", service: "seo" });
    for (const none of ["", "#", "#plans", "#SEO"]) assert.equal(byHash(choices, none), null);
  });
  it("opens the second step with the preview from any step", () => {
    const state = after(states["step 4"] as State, { type: "deep-linked", choice: "help", service: "seo" });
    assert.deepEqual([state.step, picked(choices, state)?.id], [2, "seo"]);
  });
  it("opens no step that requires a missing choice", () => {
    assert.equal(after(begin, { type: "went", step: 4, isContactValid: true }).step, 1);
    assert.equal(after(states["step 2"] as State, { type: "went", step: 4, isContactValid: true }).step, 2);
  });
  it("opens the fourth step only with a valid contact", () => {
    const went = (isContactValid: boolean): number =>
      after(states["step 3"] as State, { type: "went", step: 4, isContactValid }).step;
    assert.deepEqual([went(false), went(true)], [3, 4]);
    assert.equal(after(states["step 2 with a preview"] as State, { type: "went", step: 4, isContactValid: false }).step, 3);
  });
});

describe("an unfinished form", () => {
  it("is restored at its last step", () => {
    const state = after(begin, { type: "restored", step: 4, choice: "help", service: "plans", isContactValid: true });
    assert.deepEqual([state.step, state.service], [4, "plans"]);
    const without = after(begin, { type: "restored", step: 4, choice: "help", service: "plans", isContactValid: false });
    assert.equal(without.step, 3, "without a valid contact");
  });
  it("opens no step that requires missing values, and does not replace newer input", () => {
    assert.equal(after(begin, { type: "restored", step: 4, choice: null, service: null, isContactValid: true }).step, 1);
    assert.equal(
      after(states["step 2"] as State, { type: "restored", step: 4, choice: "create", service: "website", isContactValid: true }),
      states["step 2"],
    );
  });
});
