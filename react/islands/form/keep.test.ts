// Tests of what a form is filled in from: the address of its page, and the draft of the tab.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { FormControl, SiteForm } from "../../generated/wire";
import { type Draft, draftOf, enter, fillIn, forget, nameChoice, save } from "./keep";
import { controlsOf, type Store } from "./store";

const PLACE = { name: "visit", locale: "en" };
const KEY = "form:visit:en";
const field = (name: string, takes = "text", fromQuery: string | null = null, ...values: string[]): FormControl =>
  ({
    name,
    takes,
    fromQuery,
    list: false,
    shownWhen: [],
    choices: values.map((value) => ({ value, anchors: [] })),
    choicesBy: null,
  }) as unknown as FormControl;
const storeOf = ({ id }: HTMLFormElement): Store => controlsOf(id);
const props = {
  ...PLACE,
  draft: true,
  fields: [
    field("name"),
    field("topic", "choice", "about", "a", "b"),
    { ...field("times", "choice", null, "am", "pm"), list: true },
    field("agree", "flag"),
    field("xray", "file"),
  ],
} as unknown as SiteForm;

const named = (name: string): FormControl => props.fields.find((field) => field.name === name) as FormControl;

const page = (): HTMLFormElement => {
  document.body.innerHTML = `<form id="form-test">
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
      enter(storeOf(form), named(name ?? ""), values);
    enter(storeOf(form), field("nothing"), ["x"]);
    assert.deepEqual(valuesOf(form), [
      ["name", "Ana"],
      ["topic", "b"],
      ["times", "pm"],
      ["agree", "true"],
    ]);
    const other = page();
    enter(storeOf(other), named("topic"), ["c"]);
    assert.deepEqual(valuesOf(other), []);
  });
  it("keeps what the visitor has entered", () => {
    const form = page();
    (form.elements.namedItem("name") as HTMLInputElement).value = "Eva";
    (form.elements.namedItem("agree") as HTMLInputElement).checked = true;
    enter(storeOf(form), named("name"), ["Ana"]);
    enter(storeOf(form), named("agree"), []);
    assert.deepEqual(valuesOf(form), [
      ["name", "Eva"],
      ["agree", "true"],
    ]);
  });
  it("takes the address before the draft", () => {
    save(props, { values: { name: ["Ana"], topic: ["a"], xray: ["a.png"] }, step: 2, submission: { key: "k", lead: "{}" } });
    history.replaceState(null, "", "/?about=b&name=Eva");
    const form = page();
    assert.deepEqual(fillIn(storeOf(form), props, false), { asked: 2, submission: { key: "k", lead: "{}" }, isLinked: false });
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
      fillIn(storeOf(page()), props, false);
    }
  });
});

describe("a link that makes a choice", () => {
  const choice = (value: string, ...anchors: string[]): unknown => ({ value, anchors });
  const place = { ...field("place", "choice"), choices: [choice("roof"), choice("wall")] };
  const damage = {
    ...field("damage", "choice"),
    choices: [choice("tiles", "tiles", "broken-tiles"), choice("damp", "damp"), choice("crack")],
    choicesBy: { field: "place", choices: { roof: ["tiles", "damp"], wall: ["damp", "crack"] } },
  };
  const repair = { ...PLACE, id: "form-repair", draft: true, fields: [place, damage] } as unknown as SiteForm;
  const radios = (name: string, ...values: string[]): string =>
    values.map((value) => `<input type="radio" name="${name}" value="${value}">`).join("");
  const page = (): HTMLFormElement => {
    document.body.innerHTML = `<form id="form-test">${radios("place", "roof", "wall")}${radios("damage", "tiles", "damp", "crack")}</form>`;
    return document.querySelector("form") as HTMLFormElement;
  };
  const follow = (hash: string, draft: Draft | null = null, isOwnEntry = false): [unknown, [string, string][]] => {
    history.replaceState(null, "", `/${hash}`);
    if (draft === null) forget(repair);
    else save(repair, draft);
    const form = page();
    const { asked, isLinked } = fillIn(storeOf(form), repair, isOwnEntry);
    return [isLinked ? asked : undefined, valuesOf(form)];
  };
  const draft = (damage: string, place = "wall") => ({ values: { place: [place], damage: [damage] }, step: 2, submission: null });

  it("makes the choice, and before it the one that it depends on", () => {
    const tiles: [string, string][] = [
      ["place", "roof"],
      ["damage", "tiles"],
    ];
    assert.deepEqual(follow("#broken-tiles"), ["damage", tiles]);
    assert.deepEqual(follow("#cellar"), [undefined, []]);
    assert.deepEqual(follow(""), [undefined, []]);
    assert.deepEqual(follow("#tiles", draft("crack")), ["damage", tiles]);
    const damp: [string, string][] = [
      ["place", "wall"],
      ["damage", "damp"],
    ];
    assert.deepEqual(follow("#damp", draft("crack")), ["damage", damp], "an answer that offers it stays");
  });
  it("leaves the visitor where they were when the page is loaded again", () => {
    assert.equal(follow("#tiles", draft("tiles", "roof"), true)[0], undefined);
    assert.equal(follow("#tiles", draft("damp"), true)[0], "damage", "another choice was not made by the form");
  });
  it("is what the address says once the choice is made", () => {
    const named = (values: Record<string, string[]>, before: string): string => {
      history.replaceState({ kept: 1 }, "", `/repair/?a=1${before}`);
      nameChoice(repair, values);
      assert.deepEqual(history.state, { kept: 1 });
      return location.search + location.hash;
    };
    assert.equal(named({ damage: ["tiles"] }, ""), "?a=1#tiles");
    assert.equal(named({ damage: ["tiles"] }, "#broken-tiles"), "?a=1#broken-tiles");
    assert.equal(named({ damage: ["crack"] }, "#tiles"), "?a=1", "it names no other choice");
    assert.equal(named({}, "#main"), "?a=1#main", "a fragment of the page itself stays");
  });
});
