// The search of case studies: what it finds, and that it keeps up with typing.

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

const mill = study({ title: "Orders on one screen", client: "Ñandú Mill", description: "Steel, certified.", ids: ["operations-automation", "python"] });
const clinic = study({ title: "Rooms", client: "Clinic", description: "A calm morning.", ids: ["infrastructure-scale", "health"], metric: "38%" });

const finds = (query: string, ...expected: StudyCard[]): void =>
  assert.deepEqual(search(searchable([mill, clinic]), query), expected);

describe("the search", () => {
  it("finds all without a query", () => finds("", mill, clinic));
  it("ignores space around the query", () => finds("  ", mill, clinic));
  it("looks into the title", () => finds("one scr", mill));
  it("looks into the client, in upper or lower case", () => finds("ÑANDÚ", mill));
  it("looks into the description", () => finds("calm", clinic));
  it("looks into ids", () => finds("infrastructure-sc", clinic));
  it("looks nowhere else", () => finds("38%"));
  it("takes no match across two fields", () => finds("screen ñandú"));
  it("takes signs of patterns for what they are", () => finds(".*"));

  it("keeps up with typing in 2,000 studies", () => {
    const text = "Somewhere a system carries more than it was built for, and nobody has looked below. ".repeat(3);
    const many = Array.from({ length: 2000 }, (_, index) =>
      study({ title: `Study ${index}`, client: `Client ${index}`, description: text, ids: ["development-support", "python", "others"] }),
    );
    const all = searchable(many);
    const times = ["s", "st", "stu", "study 1", "study 19", "no such word", "below. x", "python", "19"].map((query) => {
      const start = performance.now();
      search(all, query);
      return performance.now() - start;
    });
    const median = times.sort((a, b) => a - b)[4] ?? Number.NaN;
    // One frame of a screen. The search takes a millisecond; a busy machine may take a few.
    assert.ok(median < 16, `a key stroke takes ${median.toFixed(1)} ms`);
  });
});

describe("the name of a filter", () => {
  it("is its id, split at hyphens, each word with a capital", () => {
    assert.equal(nameOf("development-support"), "Development Support");
    assert.equal(nameOf("ngo"), "Ngo");
  });
});

describe("a message", () => {
  it("gets its values and keeps what it has none for", () => {
    assert.equal(fill("{count} of {total}", { count: "3" }), "3 of {total}");
  });
});
