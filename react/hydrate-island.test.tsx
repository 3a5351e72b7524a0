// An island that throws after somebody has entered something: its markup comes back, and so does what was entered.

import assert from "node:assert/strict";
import { afterEach, it, mock } from "node:test";
import { waitFor } from "@testing-library/react";
import { type ReactNode, useState } from "react";
import { renderToString } from "react-dom/server";
import { hydrateIsland } from "./hydrate-island";

afterEach(() => mock.restoreAll());

/** Fields, one of which comes later, and a button that makes them throw. */
function Fields(): ReactNode {
  const [state, setState] = useState<"first" | "more" | "broken">("first");
  if (state === "broken") throw new Error("a part that does not work");
  return (
    <form>
      <input name="name" />
      <input type="radio" name="size" value="s" defaultChecked />
      <input type="radio" name="size" value="l" />
      <select name="day">
        <option value="1">1</option>
        <option value="2">2</option>
      </select>
      <textarea name="words" key={state} />
      <button type="button" onClick={() => setState(state === "first" ? "more" : "broken")}>
        Go on
      </button>
    </form>
  );
}

const find = <Found extends Element>(selector: string): Found => {
  const found = document.querySelector<Found>(selector);
  assert.ok(found, selector);
  return found;
};

it("keeps what was entered if an island throws", async () => {
  mock.method(console, "error", () => undefined);
  document.body.innerHTML = `<div id="island" name="fields" props="{}">${renderToString(<Fields />)}</div>`;
  const reports: unknown[] = [];
  hydrateIsland(find("#island"), Fields, (_, error) => reports.push(error));
  const enter = (selector: string, value: string): void => {
    const field = find<HTMLInputElement>(selector);
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const first = find("[name=words]");
  find<HTMLButtonElement>("button").click();
  await waitFor(() => assert.ok(find("[name=words]") !== first));
  enter("[name=name]", "Ana");
  enter("[name=words]", "After six.");
  enter("[name=day]", "2");
  find<HTMLInputElement>("[value=l]").click();
  const before = find("[name=name]");
  find<HTMLButtonElement>("button").click();
  await waitFor(() => assert.ok(find("[name=name]") !== before));
  assert.equal(reports.length, 1);
  const data = new FormData(find<HTMLFormElement>("form"));
  assert.deepEqual(Object.fromEntries(data), { name: "Ana", size: "l", day: "2", words: "After six." });
});
