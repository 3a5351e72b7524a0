// What the search of the style guide finds, and what it marks.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { GuideGroup } from "../../generated/wire";
import { find, mark } from "./find";

const link = (href: string): GuideGroup["link"] => ({ href, external: false, hreflang: null });
const groups: GuideGroup[] = [
  { title: "Styles", page: null, link: link("/styles/"), entries: [{ name: "Colors and space", value: "", words: "padding" }] },
  { title: "Spacing", page: "Layout", link: link("/layout/#space"), entries: [{ name: "2", value: "--space-2 16px", words: "padding" }] },
  {
    title: "Growth",
    page: "Colors",
    link: link("/colors/#growth"),
    entries: [
      { name: "Growth 400", value: "#56DA00 --color-growth-400", words: "green" },
      { name: "Growth 50", value: "#F3FDEB --color-growth-50", words: "green" },
    ],
  },
];

function check(query: string, expect: string[]): void {
  it(`finds ${JSON.stringify(query)}`, () => {
    assert.deepEqual(find(groups, query).map((group) => `${group.title} ${group.entries.length}`), expect);
  });
}

check("", ["Styles 1", "Spacing 1", "Growth 2"]);
check("green", ["Growth 2"]);
check("GROWTH 400", ["Growth 1"]);
check("56da", ["Growth 1"]);
check("#56DA00", ["Growth 1"]);
check("padding", ["Spacing 1", "Styles 1"]);
check("xylophone", []);

it("marks the beginnings of words, whatever their case", () => {
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
