// The menu: what it offers, and when it closes by itself.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { Menu as Props } from "../../generated/wire";
import Menu from "./menu";

const link = (href: string, more: Partial<Props["links"][0]["link"]> = {}) => ({
  href,
  external: false,
  hreflang: null,
  ...more,
});

const props: Props = {
  links: [
    { label: "About", link: link("/about/") },
    { label: "Studies", link: link("/studies/", { hreflang: "en" }) },
    { label: "Here", link: link("/#here") },
  ],
  action: { label: "App", link: link("https://app.example/", { external: true }) },
  messages: { menu: "Menu", mainNavigation: "Main navigation", opensExternal: "external site" },
};

describe("the menu", () => {
  let open: boolean;
  let closed: number;

  beforeEach(() => {
    open = true;
    closed = 0;
    // The test's DOM knows no popovers; the browser tests use real ones.
    const matches = HTMLElement.prototype.matches;
    Object.defineProperty(HTMLElement.prototype, "matches", {
      configurable: true,
      value(this: HTMLElement, selector: string) {
        return selector === ":popover-open" ? open : matches.call(this, selector);
      },
    });
    HTMLElement.prototype.hidePopover = () => {
      open = false;
      closed += 1;
    };
    render(<Menu {...props} />);
  });
  afterEach(cleanup);

  it("offers every link by its name, and says what is special about it", () => {
    const navigation = screen.getByRole("navigation", { name: "Main navigation" });
    assert.equal(navigation.querySelectorAll("a").length, 4);
    assert.equal(screen.getByRole("link", { name: "Studies" }).getAttribute("hreflang"), "en");
    const app = screen.getByRole("link", { name: "App (external site)" });
    assert.equal(app.getAttribute("rel"), "noopener");
  });

  it("has a button that is tied to it", () => {
    const button = screen.getByRole("button", { name: "Menu" });
    assert.equal(button.getAttribute("popovertarget"), screen.getByRole("navigation").id);
  });

  it("closes when the focus goes elsewhere", () => {
    const outside = document.body.appendChild(document.createElement("a"));
    fireEvent.blur(screen.getByRole("link", { name: "About" }), { relatedTarget: outside });
    assert.equal(closed, 1);
    outside.remove();
  });

  it("stays open when the focus goes to its button or to another entry", () => {
    const about = screen.getByRole("link", { name: "About" });
    fireEvent.blur(about, { relatedTarget: screen.getByRole("button", { name: "Menu" }) });
    fireEvent.blur(about, { relatedTarget: screen.getByRole("link", { name: "Studies" }) });
    fireEvent.blur(about, { relatedTarget: null });
    assert.equal(closed, 0);
  });

  it("closes when a link leads to a place on this page, which does not load again", () => {
    fireEvent.click(screen.getByRole("link", { name: "Here" }));
    assert.equal(closed, 1);
  });

  it("is left to the browser when a link leads to another page", () => {
    fireEvent.click(screen.getByRole("link", { name: "About" }));
    assert.equal(closed, 0);
  });
});
