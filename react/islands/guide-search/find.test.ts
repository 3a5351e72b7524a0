// Tests of the style guide's search: which entries it finds, and which parts of them it highlights.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { GuideGroup } from "../../generated/wire";
import { find, mark } from "./find";

const groups: GuideGroup[] = [
  { title: "Styles", page: null, href: "/styles/", entries: [["Colors and space", "", "padding"]] },
  { title: "Spacing", page: "Layout", href: "/layout/#space", entries: [["2", "--space-2 16px", "padding"]] },
  {
    title: "Growth",
    page: "Colors",
    href: "/colors/#growth",
    entries: [
      ["Growth 400", "#56DA00 --color-growth-400", "green"],
      ["Growth 50", "#F3FDEB --color-growth-50", "green"],
    ],
  },
];

function check(query: string, expect: string[]): void {
  it(`finds ${JSON.stringify(query)}`, () => {
    assert.deepEqual(
      find(groups, query).map((group) => `${group.title} ${group.entries.length}`),
      expect,
    );
  });
}

check("", ["Styles 1", "Spacing 1", "Growth 2"]);
check("green", ["Growth 2"]);
check("GROWTH 400", ["Growth 1"]);
check("56da", ["Growth 1"]);
check("#56DA00", ["Growth 1"]);
check("padding", ["Spacing 1", "Styles 1"]);
check("xylophone", []);

it("highlights the beginnings of words, ignoring case", () => {
  assert.deepEqual(mark("Growth 400", "grow"), [
    ["Grow", true],
    ["th 400", false],
  ]);
  assert.deepEqual(mark("#56DA00", "56da"), [
    ["#56DA", true],
    ["00", false],
  ]);
  assert.deepEqual(mark("a.b (c)", "("), [["a.b (c)", false]]);
});

it("highlights words that are written with accents", () => {
  assert.deepEqual(mark("La migracio\u0301n, Migración", "migracion"), [
    ["La ", false],
    ["migracio\u0301n", true],
    [", ", false],
    ["Migración", true],
  ]);
  assert.deepEqual(mark("Straßen", "stras"), [
    ["Straß", true],
    ["en", false],
  ]);
});
