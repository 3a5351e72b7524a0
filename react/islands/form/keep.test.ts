// Tests of what a form is filled in from: the address of its page, and the draft of the tab.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { SiteForm } from "../../generated/wire";
import { draftOf, enter, fillIn, forget, save } from "./keep";

const PLACE = { name: "visit", locale: "en" };
const KEY = "form:visit:en";
const field = (name: string, takes = "text", fromQuery: string | null = null): unknown => ({ name, takes, fromQuery });
const props = {
  ...PLACE,
  draft: true,
  fields: [
    field("name"),
    field("topic", "choice", "about"),
    field("times", "choice"),
    field("agree", "flag"),
    field("xray", "file"),
  ],
} as unknown as SiteForm;

const page = (): HTMLFormElement => {
  document.body.innerHTML = `<form>
    <input name="name"><textarea name="note"></textarea>
    <select name="topic"><option value="">–</option><option value="a">A</option><option value="b">B</option></select>
    <input type="checkbox" name="times" value="am"><input type="checkbox" name="times" value="pm">
    <input type="checkbox" name="agree" value="true"><input type="file" name="xray">
  </form>`;
  return document.querySelector("form") as HTMLFormElement;
};
const valuesOf = (form: HTMLFormElement): [string, string][] =>
  [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "");

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

describe("a form that is filled in", () => {
  it("takes values of every kind of control, and none that a control does not offer", () => {
    const form = page();
    for (const [name, ...values] of [
      ["name", "Ana"],
      ["topic", "b"],
      ["times", "pm", "x"],
      ["agree", "true"],
      ["xray", "a.png"],
    ])
      enter(form, name ?? "", values);
    enter(form, "nothing", ["x"]);
    assert.deepEqual(valuesOf(form), [
      ["name", "Ana"],
      ["topic", "b"],
      ["times", "pm"],
      ["agree", "true"],
    ]);
    const other = page();
    enter(other, "topic", ["c"]);
    assert.deepEqual(valuesOf(other), []);
  });
  it("keeps what the visitor has entered", () => {
    const form = page();
    (form.elements.namedItem("name") as HTMLInputElement).value = "Eva";
    (form.elements.namedItem("agree") as HTMLInputElement).checked = true;
    enter(form, "name", ["Ana"]);
    enter(form, "agree", []);
    assert.deepEqual(valuesOf(form), [
      ["name", "Eva"],
      ["agree", "true"],
    ]);
  });
  it("takes the address before the draft", () => {
    save(props, { values: { name: ["Ana"], topic: ["a"], xray: ["a.png"] }, step: 2, submission: { key: "k", lead: "{}" } });
    history.replaceState(null, "", "/?about=b&name=Eva");
    const form = page();
    assert.deepEqual(fillIn(form, props), {
      values: { name: ["Ana"], topic: ["a"] },
      step: 2,
      submission: { key: "k", lead: "{}" },
    });
    assert.deepEqual(
      valuesOf(form),
      [
        ["name", "Ana"],
        ["topic", "b"],
      ],
      "`name` has no parameter",
    );
  });
});

describe("a draft", () => {
  it("is one per form and language, and goes when it is sent or emptied", () => {
    const draft = { values: { name: ["Ana"] }, step: 0, submission: null };
    save(props, draft);
    assert.equal(draftOf({ ...PLACE, locale: "es" }), null);
    assert.deepEqual(draftOf(PLACE), draft);
    save(props, { ...draft, values: {} });
    assert.equal(sessionStorage.getItem(KEY), null);
    save(props, draft);
    forget(PLACE);
    assert.equal(draftOf(PLACE), null);
  });
  it("survives what another version of the form has saved", () => {
    for (const odd of ["", "[]", "3", '{"values":3,"step":"x","submission":1}', '{"values":{"name":"Ana"}}']) {
      sessionStorage.setItem(KEY, odd);
      const draft = draftOf(PLACE);
      if (draft) assert.deepEqual(draft, { values: {}, step: 0, submission: null });
      fillIn(page(), props);
    }
  });
});
