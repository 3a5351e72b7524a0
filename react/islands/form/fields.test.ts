// Tests of the rules of a form: conditions, what is sent, and the messages for what is wrong.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FormControl } from "../../generated/wire";
import { check, wrongFiles } from "./check";
import { groupsOf, isShown, type Values, valuesOf } from "./fields";
import { answersOf } from "./send";

const field = (name: string, takes: FormControl["takes"], more: Partial<FormControl> = {}): FormControl => ({
  name,
  takes,
  label: name,
  hint: null,
  error: null,
  required: false,
  list: false,
  lines: null,
  min: null,
  max: null,
  most: 20,
  pattern: null,
  accept: null,
  choices: [],
  shownWhen: [],
  choicesBy: null,
  autocomplete: null,
  look: null,
  fromQuery: null,
  ...more,
});

const form = {
  fields: [
    field("name", "text", { required: true, pattern: "[^0-9]+" }),
    field("day", "date", { min: "today", max: "2030-12-31" }),
    field("people", "number", { min: "1", max: "4" }),
    field("insured", "flag"),
    field("insurer", "text", { required: true, shownWhen: [{ field: "insured", values: ["true"] }] }),
    field("number", "text", { shownWhen: [{ field: "insurer", values: ["Zahn"] }] }),
    field("email", "email"),
    field("phone", "phone", { error: "With the country code." }),
    field("times", "choice", { list: true }),
  ],
  consents: [{ name: "privacy", html: "", hash: "h" }],
  requireOneOf: [["email", "phone"]],
  errors: { required: "required", one_required: "one", invalid_email: "email", invalid_value: "value", out_of_range: "range" },
  messages: { tooLong: "at most {max}" },
};
const good: Values = { name: ["Ana"], email: ["ana@example.com"], privacy: ["h"] };
const today = new Date(2027, 2, 10, 23, 30);

const wrong = (changes: Values): Record<string, string> => check(form, { ...good, ...changes }, today);

describe("the rules of a form", () => {
  it("accepts what is right, and names what is wrong", () => {
    assert.deepEqual(wrong({ day: ["2027-03-10"], people: ["4"], insured: ["true"], insurer: ["Zahn"] }), {});
    assert.deepEqual(wrong({ name: ["Ana 2"], day: ["2027-03-09"], people: ["5"] }), {
      name: "value",
      day: "range",
      people: "range",
    });
    assert.deepEqual(wrong({ day: ["10.3.2027"], people: ["1.5"], email: ["a@"], phone: ["12"] }), {
      day: "value",
      people: "value",
      email: "email",
      phone: "With the country code.",
    });
    assert.deepEqual(wrong({ name: ["x".repeat(21)] }), { name: "at most 20" });
    assert.deepEqual(wrong({ name: ["🦷".repeat(20)], phone: ["٠٣٠ ١٢٣ ٤٥٦"] }), {});
  });

  it("names what is missing, and of a group the first field", () => {
    assert.deepEqual(check(form, {}, today), { name: "required", email: "one", privacy: "required" });
    assert.deepEqual(check(form, { name: ["Ana"], phone: ["600 123 456"], privacy: ["h"] }, today), {});
  });

  it("asks only for fields that are shown", () => {
    assert.equal(isShown(field("a", "text", { shownWhen: [{ field: "b", values: ["false"] }] }), {}), true);
    assert.deepEqual(wrong({ insured: ["true"] }), { insurer: "required" });
    const data = new FormData();
    for (const [name, value] of [
      ["name", " Ana "],
      ["insurer", "Zahn"],
      ["number", "7"],
      ["times", "a"],
      ["times", "b"],
      ["_website", "x"],
    ] as const)
      data.append(name, value);
    assert.deepEqual(valuesOf(form, data), { name: ["Ana"], times: ["a", "b"] });
    data.append("insured", "true");
    const values = valuesOf(form, data);
    assert.deepEqual(answersOf(form.fields, values), {
      name: "Ana",
      insured: true,
      insurer: "Zahn",
      number: "7",
      times: ["a", "b"],
    });
  });

  it("takes only what another answer offers", () => {
    const option = (value: string): FormControl["choices"][number] => ({
      value,
      label: value.toUpperCase(),
      text: null,
      icon: null,
      preview: null,
      anchors: [],
    });
    const damage = field("damage", "choice", {
      required: true,
      choices: ["crack", "damp", "tiles"].map(option),
      choicesBy: { field: "place", choices: { roof: ["tiles", "damp"], wall: ["crack", "damp"] } },
    });
    const fields = [field("place", "choice", { choices: ["roof", "wall", "cellar"].map(option), list: true }), damage];
    const repair = { ...form, fields, consents: [], requireOneOf: [] };
    assert.deepEqual(check(repair, {}, today), {}, "without the other answer it is not shown, and not required");
    assert.deepEqual(check(repair, { place: ["cellar"] }, today), {}, "nor with one that offers nothing");
    assert.deepEqual(check(repair, { place: ["roof"] }, today), { damage: "required" });
    const data = new FormData();
    data.append("place", "roof");
    data.append("damage", "crack");
    assert.deepEqual(valuesOf(repair, data), { place: ["roof"] }, "what was chosen before is no longer offered");
    data.set("damage", "damp");
    assert.deepEqual(valuesOf(repair, data), { place: ["roof"], damage: ["damp"] });
    data.delete("place");
    assert.deepEqual(valuesOf(repair, data), {});
    const groups = (values: Values | null): [string | null, string[]][] =>
      groupsOf(fields, damage, values).map(({ by, choices }) => [by, choices.map(({ value }) => value)]);
    const all: [string | null, string[]][] = [
      ["WALL", ["crack"]],
      ["ROOF, WALL", ["damp"]],
      ["ROOF", ["tiles"]],
    ];
    assert.deepEqual(groups(null), all, "each choice once");
    assert.deepEqual(groups({ place: ["wall"] }), all.slice(0, 2));
    assert.deepEqual(groups({ place: ["wall", "roof"] }), all);
    assert.deepEqual(groups({}), []);
  });

  it("finds files that are too large, too many, or of another type", () => {
    const scans = field("scans", "file", { list: true, max: "2", most: 10, accept: "application/pdf,image/png" });
    const codes = (...files: File[]): string | undefined => {
      const data = new FormData();
      for (const file of files) data.append("scans", file);
      return wrongFiles([scans], data).scans;
    };
    const pdf = (name: string, size = 5): File => new File(["x".repeat(size)], name, { type: "application/pdf" });
    assert.equal(codes(pdf("a.pdf"), pdf("b.pdf")), undefined);
    assert.equal(codes(new File([], "")), undefined, "a control without a file");
    assert.equal(codes(pdf("a.pdf", 11)), "too_large");
    assert.equal(codes(pdf("a.pdf"), pdf("b.pdf"), pdf("c.pdf")), "out_of_range");
    assert.equal(codes(new File(["x"], "a.exe", { type: "application/x-msdownload" })), "invalid_value");
  });
});
