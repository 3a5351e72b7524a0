// Tests of the frame that loads after a click.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import Embed from "./embed";

const props = { src: "https://map.example/?a=1&b=2", title: "Map of Madrid", label: "Show the map" };

describe("an embed", () => {
  afterEach(cleanup);

  it("has no frame before a click", () => {
    const { container } = render(<Embed {...props} />);
    assert.equal(container.querySelector("iframe"), null);
    assert.ok(!container.innerHTML.includes("map.example"));
    assert.ok(screen.getByRole("button", { name: "Show the map" }));
  });

  it("moves the focus into the frame, which cannot navigate the page", () => {
    const { container } = render(<Embed {...props} />);
    fireEvent.click(screen.getByRole("button"));
    const frame = container.querySelector("iframe");
    assert.equal(frame?.src, props.src);
    assert.equal(frame?.title, props.title);
    assert.equal(document.activeElement, frame);
    assert.ok(!frame?.getAttribute("sandbox")?.includes("allow-top-navigation"));
    assert.equal(screen.queryByRole("button"), null);
  });
});
