// Tests of the search of case studies: which fields it searches, and what a key stroke costs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StudyCard } from "../../generated/wire";
import { fill } from "../../lib/words";
import { nameOf, search, searchable } from "./filter";

const study = (more: Partial<StudyCard>): StudyCard => ({
  title: "",
  client: "",
  description: "",
  metric: "",
  metricLabel: "",
  ids: [],
  sectors: [],
  link: { href: "/", external: false, hreflang: null },
  picture: null,
  ...more,
});

const mill = study({
  title: "Orders on one screen",
  client: "Ñandú Mill",
  description: "Steel, certified.",
  ids: ["operations-automation", "python"],
});
const clinic = study({
  title: "Rooms",
  client: "Clinic",
  description: "A calm morning.",
  ids: ["infrastructure-scale", "health"],
  metric: "38%",
});

const finds = (query: string, ...expected: StudyCard[]): void =>
  assert.deepEqual(search(searchable([mill, clinic]), query), expected);

describe("the search", () => {
  it("returns all studies for an empty query", () => finds("", mill, clinic));
  it("ignores whitespace around the query", () => finds("  ", mill, clinic));
  it("searches titles", () => finds("one scr", mill));
  it("searches clients, ignoring case", () => finds("ÑANDÚ", mill));
  it("searches without accents, and finds what is written with them", () => finds("nandu mill", mill));
  it("searches with accents, and finds what is written without them", () => finds("cálm", clinic));
  it("finds what is written in full-width letters, or with a ligature", () => finds("ｃａｌｍ", clinic));
  it("searches descriptions", () => finds("calm", clinic));
  it("searches ids", () => finds("infrastructure-sc", clinic));
  it("searches no other fields", () => finds("38%"));
  it("finds all words, in any place", () => finds("python nandu screen", mill));
  it("finds nothing that lacks a word", () => finds("python clinic"));
  it("does not match one word across two fields", () => finds("screenñandú"));
  it("treats special characters of regular expressions as text", () => finds(".*"));

  // The texts of the studies are folded before. A key stroke folds the query, and looks into each text once for a word.
  it("costs one comparison for each study and word, however long its texts are", (test) => {
    const description = "Somewhere a system carries more than it was built for, and nobody has looked below. ".repeat(3);
    const many = Array.from({ length: 2000 }, (_, index) => study({ title: `Study ${index}`, description }));
    const all = searchable(many);
    const normalize = test.mock.method(String.prototype, "normalize");
    const includes = test.mock.method(String.prototype, "includes");
    for (const query of ["s", "stu", "study 19", "no such word", "below. x"]) {
      normalize.mock.resetCalls();
      includes.mock.resetCalls();
      search(all, query);
      assert.deepEqual(
        normalize.mock.calls.filter(({ this: text }) => String(text).length > query.length),
        [],
        "only the query is folded",
      );
      assert.ok(includes.mock.callCount() <= many.length * query.split(" ").length, query);
    }
  });
});

describe("the name of a filter", () => {
  it("is the id, split at hyphens, with each word capitalized", () => {
    assert.equal(nameOf("development-support"), "Development Support");
    assert.equal(nameOf("ngo"), "Ngo");
  });
});

describe("a message", () => {
  it("replaces placeholders, and keeps those without a value", () => {
    assert.equal(fill("{count} of {total}", { count: "3" }), "3 of {total}");
  });
});
