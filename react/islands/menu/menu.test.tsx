// Component tests of the menu: its links, and when it closes automatically.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { Link, Menu as Props } from "../../generated/wire";
import Menu from "./menu";

const link = (href: string, more: Partial<Link> = {}) => ({
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
    { label: "More", children: [{ label: "Team", link: link("/team/") }] },
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
    // The emulated DOM does not support popovers. Browser tests cover real ones.
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

  it("has all links, with their language and external markers", () => {
    const navigation = screen.getByRole("navigation", { name: "Main navigation" });
    assert.equal(navigation.querySelectorAll("a").length, 5);
    assert.equal(screen.getByRole("link", { name: "Studies" }).getAttribute("hreflang"), "en");
    const app = screen.getByRole("link", { name: "App (external site)" });
    assert.equal(app.getAttribute("rel"), "noopener");
  });

  it("closes a group on Escape, and when the focus or a click goes elsewhere", async () => {
    const label = screen.getByText("More");
    const details = label.closest("details") as HTMLDetailsElement;
    const unfold = async (): Promise<void> => {
      details.open = true;
      fireEvent(details, new Event("toggle"));
      await new Promise((done) => setTimeout(done));
    };
    await unfold();
    fireEvent.keyDown(screen.getByRole("link", { name: "Team" }), { key: "Escape" });
    assert.equal(details.open, false);
    assert.equal(document.activeElement, label);
    assert.equal(open, true, "the menu around it stays open");
    await unfold();
    fireEvent.blur(screen.getByRole("link", { name: "Team" }), { relatedTarget: screen.getByRole("link", { name: "About" }) });
    assert.equal(details.open, false);
    await unfold();
    fireEvent.pointerDown(label);
    assert.equal(details.open, true, "a click inside changes nothing");
    fireEvent.pointerDown(document.body);
    assert.equal(details.open, false);
  });

  it("is connected to its button", () => {
    const button = screen.getByRole("button", { name: "Menu" });
    assert.equal(button.getAttribute("popovertarget"), screen.getByRole("navigation").id);
  });

  it("closes when focus moves outside", () => {
    const outside = document.body.appendChild(document.createElement("a"));
    fireEvent.blur(screen.getByRole("link", { name: "About" }), { relatedTarget: outside });
    assert.equal(closed, 1);
    outside.remove();
  });

  it("closes when focus moves from its button backwards, out of the menu", () => {
    const button = screen.getByRole("button", { name: "Menu" });
    fireEvent.blur(button, { relatedTarget: screen.getByRole("link", { name: "About" }) });
    assert.equal(closed, 0, "the menu is what follows the button");
    const before = document.body.appendChild(document.createElement("a"));
    fireEvent.blur(button, { relatedTarget: before });
    assert.equal(closed, 1);
    before.remove();
  });

  it("stays open when focus moves to its button or another link", () => {
    const about = screen.getByRole("link", { name: "About" });
    fireEvent.blur(about, { relatedTarget: screen.getByRole("button", { name: "Menu" }) });
    fireEvent.blur(about, { relatedTarget: screen.getByRole("link", { name: "Studies" }) });
    fireEvent.blur(about, { relatedTarget: null });
    assert.equal(closed, 0);
  });

  it("closes on a link to an anchor of the current page, which causes no navigation", () => {
    fireEvent.click(screen.getByRole("link", { name: "Here" }));
    assert.equal(closed, 1);
  });

  it("stays open on a link to another page", () => {
    fireEvent.click(screen.getByRole("link", { name: "About" }));
    assert.equal(closed, 0);
  });
});
