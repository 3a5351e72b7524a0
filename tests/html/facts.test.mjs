// No page contradicts another: what the site says of prices, hours, promises, people and years is in facts.yaml, and each page,
// case study and post that mentions one of these facts says the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { settings } from "../browser/site.mjs";
import { readSite } from "./dist.mjs";

const { facts, never } = parse(readFileSync(fileURLToPath(new URL("facts.yaml", import.meta.url)), "utf8"));
const site = await readSite();
after(site.remove);

const texts = site.pages.map(({ path, locale, document }) => ({
  path,
  locale,
  // The form's words are in the data of its island.
  text: [document.named("body")[0].text, document.meta("description") ?? ""].join(" ").replaceAll("\\u00A0", " "),
}));

/** Contradictions in one text, as `what it says`. */
function contradictions({ find, is }, text) {
  return [...text.matchAll(new RegExp(find, "gu"))]
    .map(([said, ...groups]) => [said, groups.filter((group) => group !== undefined).join(" ")])
    .filter(([, value]) => !is.includes(value))
    .map(([said]) => said);
}

for (const [name, languages] of Object.entries(facts)) {
  for (const [locale, fact] of Object.entries(languages)) {
    test(`${name} (${locale})`, () => {
      const inLanguage = texts.filter((page) => page.locale === locale);
      const wrong = inLanguage.flatMap(({ path, text }) => contradictions(fact, text).map((said) => `${path}: ${said}`));
      assert.deepEqual(wrong, [], `instead of ${fact.is.join(" or ")}`);
      assert.ok(
        inLanguage.some(({ text }) => new RegExp(fact.find, "u").test(text)),
        "no page mentions it anymore",
      );
    });
  }
}

test("a page that contradicts a fact is found", () => {
  for (const [name, languages] of Object.entries(facts)) {
    for (const [locale, fact] of Object.entries(languages)) {
      const [page] = texts.filter((page) => page.locale === locale && new RegExp(fact.find, "u").test(page.text));
      const [said, ...groups] = new RegExp(fact.find, "u").exec(page.text);
      const value = groups.find((group) => group !== undefined);
      // Another last digit, or another word.
      const wrong = value.replace(/[\p{L}\p{N}]$/u, (letter) =>
        /\d/.test(letter) ? String((Number(letter) + 1) % 10) : `${letter}x`,
      );
      const other = page.text.replace(said, said.replace(value, wrong));
      assert.notDeepEqual(contradictions(fact, other), [], `${name} (${locale}) in ${page.path}`);
    }
  }
});

test("sentences that contradicted others do not come back", () => {
  for (const { path, locale, text } of texts) {
    for (const sentence of never[locale] ?? []) assert.ok(!text.includes(sentence), `${path}: ${sentence}`);
  }
});

test("the privacy notice is not newer than the site", () => {
  const posts = site.pages.flatMap(({ document }) =>
    document.all((element) => element.name === "time").map((time) => time.get("datetime") ?? ""),
  );
  const newest = posts
    .filter((date) => /^\d{4}-\d\d-\d\d/.test(date))
    .sort()
    .at(-1)
    .slice(0, 10);
  const dates = { en: /In effect since (\w+ \d+, \d{4})/, es: /Vigente desde el (\d+ de \w+ de \d{4})/ };
  const effective = Object.entries(dates).map(([locale, pattern]) => {
    const said = texts
      .filter((page) => page.locale === locale)
      .map(({ text }) => pattern.exec(text)?.[1])
      .find(Boolean);
    const months = Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2025, month))),
    );
    const [day, year] = said.match(/\d+/g);
    const month = months.findIndex((name) => said.includes(name)) + 1;
    return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  });
  assert.equal(effective[0], effective[1], "the same date in both languages");
  assert.ok(effective[0] <= newest, `${effective[0]} is after the newest post, ${newest}`);
  assert.ok(Number(effective[0].slice(0, 4)) <= settings.copyright_year);
});
