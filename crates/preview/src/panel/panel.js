// The panel of the preview: closed until it is asked for, by its button or by Alt and P. Only the preview adds it to pages.

import { mark } from "./drafts.js";
import { ask, h } from "./elements.js";
import { listen } from "./open.js";
import { style } from "./style.js";
import { FIRST, TABS } from "./tabs.js";

/** What is remembered over a reload: whether the panel is open, and its tab. */
const MEMORY = "sitegen-panel";
/** Milliseconds for which a message stays. */
const MESSAGE = 4000;

/** @typedef {{ open?: boolean, tab?: string }} Memory */
/** @typedef {import("./wire").PageAnswer} PageAnswer */
/** @typedef {import("./clicked.js").Answer} Answer */

/** @returns {Memory} */
const remembered = () => {
  try {
    return JSON.parse(sessionStorage.getItem(MEMORY) ?? "{}");
  } catch {
    return {};
  }
};
/** @param {Memory} state */
const remember = (state) => {
  try {
    sessionStorage.setItem(MEMORY, JSON.stringify({ ...remembered(), ...state }));
  } catch {
    // A browser that stores nothing begins anew after a reload.
  }
};

const known = await ask("page", { query: { path: location.pathname } });
// Beside a form, the page is what matters.
if (known && window.top === window) start(known);

/** @param {PageAnswer} known */
function start(known) {
  const host = document.createElement("sitegen-preview");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [style];
  const waiting = TABS.reduce((sum, tab) => sum + tab.waits(known), 0);
  /** @param {number} number */
  const badge = (number) => (number > 0 ? h("span", { class: "badge" }, String(number)) : null);
  const launcher = h(
    "button",
    {
      class: "launcher",
      type: "button",
      "aria-expanded": "false",
      "aria-keyshortcuts": "Alt+P",
      title: "Alt+P",
      click: () => open(),
    },
    "Preview",
    waiting > 0 ? h("span", { class: "badge", "aria-label": `${waiting} to review` }, String(waiting)) : null,
  );
  const message = h("div", { class: "toast", role: "status" });
  const tabs = TABS.map((tab) =>
    h(
      "button",
      {
        role: "tab",
        type: "button",
        id: `tab-${tab.id}`,
        "aria-controls": "body",
        click: () => select(tab.id),
        keydown: (/** @type {KeyboardEvent} */ event) => step(event, tab.id),
      },
      tab.name,
      badge(tab.waits(known)),
    ),
  );
  const body = h("div", { class: "body", role: "tabpanel", id: "body", tabindex: "0" });
  const panel = h(
    "div",
    { class: "panel", hidden: true, id: "panel" },
    h(
      "div",
      { class: "head" },
      h("h2", { id: "heading" }, "Preview"),
      h("button", { type: "button", click: () => close(), "aria-keyshortcuts": "Escape" }, "Close"),
    ),
    h("div", { class: "tabs", role: "tablist", "aria-labelledby": "heading" }, tabs),
    body,
  );
  const aside = h("aside", { "aria-label": "Preview", lang: "en" }, launcher, panel, message);
  root.append(aside);
  document.body.append(host);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {string} text */
  const notify = (text) => {
    clearTimeout(timer);
    message.textContent = text;
    timer = setTimeout(() => message.replaceChildren(), MESSAGE);
  };
  // Where the focus goes when the panel closes.
  /** @type {Element | null} */
  let before = null;
  /** @type {Answer | null} */
  let clicked = null;
  let shown = remembered().tab ?? FIRST.id;

  /** @param {Answer} answer */
  const show = (answer) => {
    clicked = answer;
    if (!panel.hidden || answer.found.length === 0) {
      open("page", false);
    }
  };
  const { pick } = listen(root, { notify, show, host });
  const context = () => ({
    clicked,
    notify,
    pick: () => {
      close();
      pick(true);
      notify("Click text, an image or a section. Press Escape to stop.");
    },
  });

  /**
   * @param {string} id
   * @param {boolean} isFocused
   */
  async function select(id, isFocused = false) {
    const tab = TABS.find((one) => one.id === id) ?? FIRST;
    shown = tab.id;
    remember({ tab: shown });
    for (const [index, button] of tabs.entries()) {
      const isShown = TABS[index] === tab;
      button.setAttribute("aria-selected", String(isShown));
      button.tabIndex = isShown ? 0 : -1;
      if (!isShown) continue;
      button.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (isFocused) button.focus();
    }
    body.setAttribute("aria-labelledby", `tab-${tab.id}`);
    body.replaceChildren();
    body.scrollTop = 0;
    const parts = await tab.show(known, context());
    if (shown === tab.id) body.replaceChildren(...parts.filter((part) => part !== null && part !== undefined));
  }

  /**
   * Arrow keys, Home and End move between tabs.
   * @param {KeyboardEvent} event
   * @param {string} id
   */
  function step(event, id) {
    const at = TABS.findIndex((tab) => tab.id === id);
    const to = new Map([
      ["ArrowRight", at + 1],
      ["ArrowLeft", at - 1],
      ["Home", 0],
      ["End", TABS.length - 1],
    ]).get(event.key);
    if (to === undefined) return;
    event.preventDefault();
    select((TABS[(to + TABS.length) % TABS.length] ?? FIRST).id, true);
  }

  function open(id = shown, isFocused = true) {
    if (panel.hidden) before = document.activeElement === host ? null : document.activeElement;
    panel.hidden = false;
    launcher.hidden = true;
    launcher.setAttribute("aria-expanded", "true");
    remember({ open: true });
    return select(id, isFocused);
  }

  function close() {
    const hadFocus = root.activeElement !== null;
    panel.hidden = true;
    launcher.hidden = false;
    launcher.setAttribute("aria-expanded", "false");
    remember({ open: false });
    const back = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : launcher;
    if (hadFocus) back.focus();
  }

  aside.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    close();
  });
  addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.code !== "KeyP") return;
    event.preventDefault();
    if (panel.hidden) open();
    else close();
  });

  mark(root, known);
  // The page was reloaded after a save: the focus stays where it is.
  if (remembered().open) open(shown, false);
}
