// Tests of the store of a form in steps: what it holds of controls that are shown, and of those that are not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FormControl } from "../../generated/wire";
import { storeOf } from "./store";

const field = (name: string, more: object = {}): FormControl => ({ name, ...more }) as unknown as FormControl;
const form = {
  fields: [field("service", { key: "projectType" }), field("times", { list: true }), field("app", { default: "no" })],
};
const entries = (store: ReturnType<typeof storeOf>): [string, string][] => [...store.data()] as [string, string][];

describe("the store of a form in steps", () => {
  it("holds what is set, whether or not a control is shown", () => {
    const store = storeOf(form);
    assert.deepEqual(entries(store), [["app", "no"]], "the choice that is made at first");
    store.set("projectType", ["seo"]);
    store.set("times", ["am", "pm"]);
    store.set("app", ["yes"]);
    assert.deepEqual(Object.fromEntries(entries(store)), { app: "yes", projectType: "seo", times: "pm" });
    assert.deepEqual(store.data().getAll("times"), ["am", "pm"]);
    store.reset();
    assert.deepEqual(entries(store), [["app", "no"]]);
  });
  it("takes what was typed before it was connected, and follows its controls", () => {
    const store = storeOf(form);
    const input = document.createElement("input");
    input.name = "name";
    input.value = "Ana";
    const { ref, onChange } = store.register("name");
    ref?.(input);
    assert.equal(store.data().get("name"), "Ana");
    input.value = "Eva";
    void onChange?.({ target: input, type: "change" });
    assert.equal(store.data().get("name"), "Eva");
    store.set("name", ["Zoë"]);
    assert.equal(input.value, "Zoë");
  });
});
