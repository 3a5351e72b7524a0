// Tests of every change of the state of a form, and of the list of what is wrong with it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listedOf } from "./error-list";
import { TOKEN } from "./fields";
import { solved } from "./form-captcha";
import { kept, renewed, stored } from "./send";
import { answered, type Change, leaving, refused, restarted, START, type State, sending, woke } from "./state";

const after = (...changes: Change[]): State => changes.reduce((state, change) => change(state), START);
const filled = { values: { name: ["Ana"] }, submission: null, step: 0 };
const awake = (...changes: Change[]): State => after(woke(filled, false), ...changes);
const submission = { key: "k", lead: "{}" };

/** A change makes a new state, and leaves the other values of the old one as they are. */
const changes = (before: State, change: Change, expected: Partial<State>): State => {
  const copy = structuredClone(before);
  const next = change(before);
  assert.deepEqual(before, copy, "the old state is as it was");
  assert.deepEqual(next, { ...before, ...expected });
  return next;
};

describe("a form that is not awake", () => {
  it("keeps what is pressed, and what the visitor wants to leave", () => {
    const pressed = changes(START, answered({ reason: ["help"] }, {}), { values: { reason: ["help"] } });
    changes(pressed, leaving, { isLeaving: true });
  });
  it("can be sent, and stays what it is then when it wakes", () => {
    const sent = changes(START, sending({ name: ["Ana"] }), { phase: "sending", values: { name: ["Ana"] } });
    changes(sent, woke(filled, false), { isAwake: true });
  });
  it("is where its draft or a link leads when it wakes; only a link takes the focus", () => {
    const draft = { values: { name: ["Eva"] }, submission, step: 2 };
    changes(START, woke(draft, false), { ...draft, isAwake: true });
    changes(START, woke(draft, true), { ...draft, isAwake: true, focus: { on: "step" } });
  });
});

describe("what is wrong with a form", () => {
  const errors = { name: "required", email: "wrong" };
  it("takes the focus to the first field", () => {
    changes(awake(), refused({ email: "wrong" }), {
      errors: { email: "wrong" },
      attempt: { email: "wrong" },
      focus: { on: "field", name: "email" },
    });
    changes(awake(), refused(errors), { errors, attempt: errors, focus: { on: "field", name: "name" } });
  });
  it("is said of the form, with the focus", () => {
    const said = { "": "no network" };
    changes(awake(sending({})), refused(said), { phase: "open", errors: said, attempt: said, focus: { on: "summary" } });
  });
  it("asks for the focus anew with each attempt", () => {
    const once = awake(refused(errors));
    assert.notEqual(refused(errors)(once).focus, once.focus);
  });
  it("goes as soon as its field is right, and is said anew while it is not", () => {
    const wrong = awake(refused({ ...errors, [TOKEN]: "solve it", "": "no network" }));
    const values = { name: ["Ana"], email: ["ana@"] };
    changes(wrong, answered(values, { email: "still wrong", phone: "missing" }), {
      values,
      errors: { email: "still wrong", [TOKEN]: "solve it" },
    });
  });
  it("is listed whole until the last field is right, without what is said of the form", () => {
    const wrong = awake(refused({ ...errors, "": "no network" }));
    assert.deepEqual(listedOf(wrong), ["name", "email"]);
    assert.deepEqual(listedOf(answered({}, { email: "wrong" })(wrong)), ["name", "email"]);
    assert.deepEqual(listedOf(answered({}, {})(wrong)), []);
    assert.deepEqual(listedOf(awake(refused({ "": "no network" }))), []);
  });
});

describe("a form that is sent", () => {
  it("puts messages away, keeps what is sent, and ends", () => {
    const values = { name: ["Ana"] };
    const sent = changes(awake(refused({ name: "required" })), sending(values), { phase: "sending", values, errors: {} });
    const known = changes(sent, kept(submission), { submission });
    changes(known, stored, { phase: "done", submission: null, focus: { on: "end" } });
    assert.deepEqual(refused({ "": "no network" })(known).submission, submission, "a retry is known to be one");
  });
  it("is emptied for another answer, with another captcha", () => {
    const done = awake(solved("token"), sending({ name: ["Ana"] }), kept(submission), stored);
    changes(done, restarted({ app: ["no"] }), {
      ...START,
      isAwake: true,
      values: { app: ["no"] },
      focus: { on: "start" },
      captcha: 1,
      round: 1,
    });
    assert.equal(after(restarted({}), stored, restarted({})).round, 2);
  });
});

describe("the captcha of a form", () => {
  it("takes the message that it is missing away once it is solved, and no other", () => {
    const wrong = awake(refused({ name: "required", [TOKEN]: "solve it" }));
    const open = changes(wrong, solved("token"), { token: "token", errors: { name: "required" } });
    changes(open, solved(""), { token: "" });
    changes(wrong, solved(""), { token: "" });
  });
  it("is replaced when it was used up", () => {
    changes(awake(), renewed, { captcha: 1 });
  });
});
