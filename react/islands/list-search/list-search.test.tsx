// Tests of the search within a list of entries.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import ListSearch from "./list-search";

const messages = {
  clear: "Clear",
  siteSearchOne: "1 result",
  siteSearchMany: "{count} results",
  siteSearchNone: "Nothing found for “{query}”.",
};

const item = (text: string): string => `<li class="entries__item">${text}</li>`;

const page = (): HTMLElement => {
  document.body.innerHTML = `<section class="entries"><div id="island"></div>
    <h3 class="entries__group">Madrid</h3><ul class="entries__list">${item("<b>Ana Ruíz</b> Dentist")}${item("Li Wei")}</ul>
    <h3 class="entries__group">Berlin</h3><ul class="entries__list">${item("Jonas Weiß")}${item("Li Wei")}</ul></section>`;
  const container = document.querySelector<HTMLElement>("#island");
  assert.ok(container);
  render(<ListSearch label="Find a person" messages={messages} />, { container });
  return container;
};

const shown = (): string[] =>
  [...document.querySelectorAll<HTMLElement>(".entries__item:not([hidden])")].map((entry) => entry.textContent ?? "");
const headings = (): string[] =>
  [...document.querySelectorAll<HTMLElement>(".entries__group:not([hidden])")].map((heading) => heading.textContent ?? "");
const type = (value: string): void => {
  fireEvent.change(screen.getByLabelText("Find a person"), { target: { value } });
};

describe("the search within a list", () => {
  beforeEach(() => history.replaceState(null, "", "/team/"));
  afterEach(cleanup);

  it("shows what contains each word, without regard to case and accents", () => {
    const island = page();
    assert.equal(shown().length, 4);
    type("dentist RUIZ");
    assert.deepEqual(shown(), ["Ana Ruíz Dentist"]);
    assert.deepEqual(headings(), ["Madrid"]);
    assert.ok(island.textContent?.includes("1 result"));
    type("weiss");
    assert.deepEqual([shown(), headings()], [["Jonas Weiß"], ["Berlin"]]);
  });

  it("counts an entry of two groups once", () => {
    const island = page();
    type("li wei");
    assert.deepEqual(
      [shown(), headings()],
      [
        ["Li Wei", "Li Wei"],
        ["Madrid", "Berlin"],
      ],
    );
    assert.ok(island.textContent?.includes("1 result"));
  });

  it("says that nothing was found, and shows all again", () => {
    const island = page();
    type("nobody <b>");
    assert.deepEqual([shown(), headings()], [[], []]);
    assert.ok(island.textContent?.includes("Nothing found for “nobody <b>”."));
    fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    assert.equal(shown().length, 4);
    assert.ok(!island.textContent?.includes("result"));
  });

  it("keeps the query in the address", () => {
    page();
    type("li");
    assert.equal(location.search, "?q=li");
    cleanup();
    page();
    assert.deepEqual(shown(), ["Li Wei", "Li Wei"]);
    type("");
    assert.equal(location.search, "");
  });
});
