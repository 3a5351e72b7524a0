// The form for menus: shows the entries of the header and of the footer, moves them with buttons, and saves them. A button keeps
// the focus when its entry has moved, and what has happened is told.

import { canMove, moveEntry, newEntry, placeOf, removeEntry } from "./tree.js";
import { WORDS } from "./words.js";

/**
 * @typedef {import("./tree.js").Entry} Entry @typedef {import("./tree.js").Move} Move
 * @typedef {"header" | "footer"} Menu
 * @typedef {object} Answer
 * @property {string} base @property {Entry[]} header @property {Entry[]} footer @property {keyof typeof WORDS} interface
 * @property {[string, string][]} languages @property {string[]} targets
 */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

/** How soon to ask again while the site is being built, in milliseconds. */
const AGAIN = 500;
/** @type {[Move, string][]} */
const MOVES = [
  ["up", "↑"],
  ["down", "↓"],
  ["outdent", "←"],
  ["indent", "→"],
];

const [form, status, failed] = [byId("form"), byId("status"), byId("failed")];
let words = WORDS.en;
/** @type {Answer} */
let state = { base: "", header: [], footer: [], interface: "en", languages: [], targets: [] };
let before = "";

/** @param {string} text @param {Record<string, string | number>} values */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** @template {keyof HTMLElementTagNameMap} N @param {N} name @param {string} [text] @param {string} [className] */
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
};

/** The name of an entry in the first language that has one. @param {Entry} entry */
function nameOf(entry) {
  const [first] = state.languages[0] ?? [];
  const label = entry.label[first] || Object.values(entry.label).find(Boolean);
  return label || (entry.collection ? fill(words.each, { name: entry.collection }) : words.untitled);
}

/** @param {Entry} entry */
const datesOf = (entry) =>
  [entry.from && fill(words.from, { at: entry.from }), entry.until && fill(words.until, { at: entry.until })]
    .filter(Boolean)
    .join(" ");

/** A field. @param {string} text @param {string} value @param {(value: string) => void} change @param {string} [list] */
function field(text, value, change, list) {
  const [label, input] = [element("label"), element("input")];
  input.value = value;
  if (list) input.setAttribute("list", list);
  input.addEventListener("input", () => change(input.value));
  label.append(element("span", text), input);
  return label;
}

/** The words and the target of an entry. @param {Entry} entry @param {HTMLElement} name */
function fields(entry, name) {
  const made = element("details");
  const summary = element("summary", words.edit);
  summary.setAttribute("aria-label", fill(words.editOf, { name: nameOf(entry) }));
  made.append(summary);
  for (const [code, language] of state.languages) {
    const text = field(fill(words.label, { language }), entry.label[code] ?? "", (value) => {
      entry.label[code] = value;
      name.textContent = nameOf(entry);
    });
    text.lang = code;
    /** @type {HTMLElement} */ (text.firstElementChild).lang = state.interface;
    made.append(text);
  }
  if (!entry.links) {
    const change = (/** @type {string} */ value) => {
      entry.to = value;
    };
    made.append(field(words.target, entry.to ?? "", change, "targets"));
  }
  // A new entry has nothing but its fields.
  made.open = entry.id === null;
  return made;
}

/** A button of an entry. @param {string} sign @param {string} label @param {() => void} act @param {boolean} can */
function button(sign, label, act, can) {
  const made = element("button", sign);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.title = label;
  // With the attribute `disabled` it would lose the focus at the end of the list.
  made.setAttribute("aria-disabled", String(!can));
  made.addEventListener("click", () => made.getAttribute("aria-disabled") !== "true" && act());
  return made;
}

/** @param {Menu} menu @param {Entry} entry @returns {HTMLLIElement} */
function row(menu, entry) {
  const top = state[menu];
  const made = element("li", "", entry.links ? "group" : "");
  const [head, name] = [element("div", "", "entry"), element("strong", nameOf(entry))];
  const about = entry.links ? words.group : (entry.to ?? "");
  head.append(name, element("small", [about, datesOf(entry)].filter(Boolean).join(" · ")));
  const buttons = element("span", "", "buttons");
  for (const [move, sign] of MOVES) {
    const columns = menu === "footer";
    if (columns && (move === "indent" || move === "outdent")) continue;
    const act = () => {
      moveEntry(top, entry, move, columns);
      show(menu, entry, move);
      const { list, group } = placeOf(top, entry);
      const place = group ? nameOf(group) : words[menu];
      status.textContent = fill(words.moved, { name: nameOf(entry), at: list.indexOf(entry) + 1, count: list.length, place });
    };
    const made = button(sign, fill(words[move], { name: nameOf(entry) }), act, canMove(top, entry, move, columns));
    made.dataset.move = move;
    buttons.append(made);
  }
  const remove = () => {
    removeEntry(top, entry);
    show(menu);
    status.textContent = fill(words.removed, { name: nameOf(entry) });
    byId("save").focus();
  };
  buttons.append(button("×", fill(words.remove, { name: nameOf(entry) }), remove, true));
  head.append(buttons);
  made.append(head);
  if (!entry.collection) made.append(fields(entry, name));
  if (entry.links) {
    const list = element("ol");
    list.append(...entry.links.map((link) => row(menu, link)));
    const add = element("button", fill(words.addInto, { name: nameOf(entry) }));
    add.type = "button";
    add.addEventListener("click", () => addTo(menu, entry.links ?? [], false));
    made.append(list, add);
  }
  rows.set(entry, made);
  return made;
}

/** The rows of the entries that are shown. @type {WeakMap<Entry, HTMLLIElement>} */
const rows = new WeakMap();

/** Shows a menu, and gives the focus to a button of an entry. @param {Menu} menu @param {Entry} [entry] @param {Move} [move] */
function show(menu, entry, move) {
  failed.textContent = "";
  byId(`${menu}-entries`).replaceChildren(...state[menu].map((one) => row(menu, one)));
  const made = entry && rows.get(entry);
  /** @type {HTMLElement | null | undefined} */
  const target = made?.querySelector(move ? `[data-move="${move}"]` : "input");
  target?.focus();
  made?.scrollIntoView({ block: "nearest" });
}

/** @param {Menu} menu @param {Entry[]} list @param {boolean} isGroup */
function addTo(menu, list, isGroup) {
  const entry = newEntry(isGroup);
  list.push(entry);
  show(menu, entry);
}

const asked = () => JSON.stringify({ base: state.base, header: state.header, footer: state.footer });

/** Reads the menus, and shows them. */
async function load() {
  const response = await fetch("entries");
  if (!response.ok) {
    status.textContent = words.waiting;
    setTimeout(load, AGAIN);
    return;
  }
  state = await response.json();
  words = WORDS[state.interface];
  document.documentElement.lang = state.interface;
  document.title = words.heading;
  for (const named of document.querySelectorAll("[data-word]")) {
    const name = /** @type {HTMLElement} */ (named).dataset.word ?? "";
    named.textContent = /** @type {any} */ (words)[name];
  }
  byId("targets").replaceChildren(...state.targets.map((target) => new Option(target, target)));
  show("header");
  show("footer");
  form.hidden = false;
  before = asked();
}

for (const add of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-add]"))) {
  const menu = /** @type {Menu} */ (add.dataset.menu);
  add.addEventListener("click", () => addTo(menu, state[menu], add.dataset.add === "group"));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  failed.textContent = "";
  if (asked() === before) {
    status.textContent = words.unchanged;
    return;
  }
  try {
    const response = await fetch("save", { method: "POST", headers: { "content-type": "application/json" }, body: asked() });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    await load();
    status.textContent = words.saved;
  } catch (error) {
    status.textContent = "";
    failed.textContent = error instanceof Error ? error.message : String(error);
  }
});
window.addEventListener("beforeunload", (event) => before && asked() !== before && event.preventDefault());

load();
