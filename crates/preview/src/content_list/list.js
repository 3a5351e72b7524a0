// The list of all content: asks the preview for the rows that fit, a part at a time, and keeps the question in the address.

import { attachActions } from "./actions.js";
import { WORDS } from "./words.js";

/**
 * @typedef {object} Row
 * @property {string} title @property {string} locale @property {string} kind @property {string | null} person
 * @property {keyof typeof WORDS.en.states} state @property {string | null} at @property {boolean} is_stale
 * @property {number} problems @property {string} file @property {string | null} address @property {string | null} form
 *
 * @typedef {object} Answer @property {string} build
 * @property {keyof typeof WORDS} interface @property {number} total @property {number} page @property {number} pages
 * @property {Row[]} rows @property {Record<string, number>} states @property {[string, string][]} languages
 * @property {string[]} kinds @property {string[]} people
 */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

/** @type {HTMLFormElement} */
const form = byId("filters");
const [status, table, rows] = [byId("status"), byId("table"), byId("rows")];
const [pages, place, previous, next] = [byId("pages"), byId("place"), byId("previous"), byId("next")];
const NAMES = ["q", "state", "language", "kind", "person"];
/** @param {string} name @returns {HTMLInputElement | HTMLSelectElement} */
const control = (name) => /** @type {any} */ (form.elements.namedItem(name));

/** How long the visitor has to pause before a search, in milliseconds. The server answers within a tenth of a second. */
const PAUSE = 25;

/** How soon to ask again while the site is being built, in milliseconds. */
const AGAIN = 300;
/** How long to wait for the build that follows a change, in milliseconds. */
const BUILD_LIMIT = 30_000;

let words = WORDS.en;
let part = 0;
let asked = 0;
let build = "";

/** @param {string} text @param {Record<string, string | number>} values */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** @param {string} name @param {string} text @param {string} [className] */
const element = (name, text, className) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};

/** @param {string} href @param {string} text */
const linkTo = (href, text) => {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  return link;
};

/** The name of a kind: a collection is called as its folder. @param {string} kind */
const kindName = (kind) => /** @type {Record<string, string>} */ (words.kinds)[kind] ?? kind;

/** The states of a row, each as a label. @param {Row} row */
function labels(row) {
  const at = row.at ? new Date(row.at).toLocaleString(document.documentElement.lang) : "";
  const time = row.state === "scheduled" ? words.from : words.until;
  const made = [element("span", words.states[row.state] + (at ? ` ${fill(time, { at })}` : ""), `is-${row.state}`)];
  if (row.is_stale) made.push(element("span", words.states.stale, "is-stale"));
  if (row.problems) {
    const text = row.problems === 1 ? words.problem : fill(words.problems, { count: row.problems });
    made.push(element("span", text, "is-problems"));
  }
  return made;
}

/** @param {Row} row @param {Map<string, string>} languages */
function line(row, languages) {
  const made = document.createElement("tr");
  const title = document.createElement("th");
  title.scope = "row";
  const name = row.title || row.file;
  title.append(row.form ? linkTo(row.form, name) : name, element("small", row.file));
  const state = document.createElement("td");
  state.append(...labels(row));
  const page = document.createElement("td");
  if (row.address) {
    const link = linkTo(row.address, row.address);
    link.setAttribute("aria-label", `${words.open}: ${name}, ${row.address}`);
    page.append(link);
  } else page.append(words.noPage);
  made.append(
    title,
    state,
    element("td", languages.get(row.locale) ?? row.locale),
    element("td", kindName(row.kind)),
    element("td", row.person ?? ""),
    page,
    more(row, name),
  );
  return made;
}

/** The button that opens what else can be done. @param {Row} row @param {string} name */
function more(row, name) {
  const cell = document.createElement("td");
  if (!row.form) return cell;
  const button = element("button", words.more);
  button.setAttribute("aria-label", fill(words.moreOf, { name }));
  button.addEventListener("click", () => openActions(row, words));
  cell.append(button);
  return cell;
}

/** Offers values in a list, and keeps what is chosen. @param {string} name @param {[string, string][]} values */
function offer(name, values) {
  const select = control(name);
  const chosen = select.value || (new URLSearchParams(location.search).get(name) ?? "");
  const options = [["", words.all], ...values].map(([value, text]) => new Option(text, value, false, value === chosen));
  select.replaceChildren(...options);
}

/** @param {Answer} answer */
function show(answer) {
  build = answer.build;
  words = WORDS[answer.interface];
  document.documentElement.lang = answer.interface;
  document.title = words.heading;
  for (const named of document.querySelectorAll("[data-word]")) {
    const name = /** @type {HTMLElement} */ (named).dataset.word ?? "";
    named.textContent = /** @type {any} */ (words)[name];
  }
  const states = /** @type {[keyof typeof words.states, string][]} */ (Object.entries(words.states));
  offer(
    "state",
    states.map(([name, text]) => [name, `${text} (${answer.states[name] ?? 0})`]),
  );
  offer("language", answer.languages);
  offer(
    "kind",
    answer.kinds.map((kind) => [kind, kindName(kind)]),
  );
  offer(
    "person",
    answer.people.map((person) => [person, person]),
  );
  const count = answer.total === 1 ? words.one : fill(words.many, { count: answer.total });
  status.textContent = answer.total === 0 ? words.none : count;
  const languages = new Map(answer.languages);
  rows.replaceChildren(...answer.rows.map((row) => line(row, languages)));
  table.hidden = answer.total === 0;
  part = answer.page;
  pages.hidden = answer.pages < 2;
  pages.setAttribute("aria-label", words.pages);
  place.textContent = fill(words.place, { page: part + 1, pages: answer.pages });
  // A button with the attribute `disabled` would lose the focus at the end of the list.
  previous.setAttribute("aria-disabled", String(part === 0));
  next.setAttribute("aria-disabled", String(part + 1 >= answer.pages));
}

/** Asks for a part of the rows that fit. @param {number} wanted */
async function load(wanted) {
  const mine = ++asked;
  const question = new URLSearchParams();
  const address = new URLSearchParams(location.search);
  for (const name of NAMES) {
    // Before the first answer, the lists have no values yet.
    const value = control(name).value || (rows.childElementCount === 0 && mine === 1 ? (address.get(name) ?? "") : "");
    if (value) question.set(name, value);
  }
  if (wanted > 0) question.set("page", String(wanted));
  history.replaceState(null, "", `?${question}`);
  try {
    const response = await fetch(`rows?${question}`);
    if (response.status === 503) {
      setTimeout(() => mine === asked && load(wanted), AGAIN);
      return;
    }
    if (!response.ok) throw new Error((await response.text()) || response.statusText);
    const answer = await response.json();
    // A late answer to an earlier question is ignored.
    if (mine === asked) show(answer);
  } catch (error) {
    if (mine === asked) status.textContent = fill(words.failed, { reason: error instanceof Error ? error.message : "" });
  }
}

/** Shows the rows of the build that follows a change. @param {string[]} files */
async function follow(files) {
  const [before, end] = [build, Date.now() + BUILD_LIMIT];
  const message = fill(words.changed, { files: files.join(", ") });
  status.textContent = message;
  while (build === before && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    const answer = await fetch("rows?q=%00").catch(() => null);
    if (answer?.ok && (await answer.json()).build !== before) break;
  }
  await load(part);
}
const openActions = attachActions(follow, fill);

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
form.addEventListener("input", ({ target }) => {
  clearTimeout(timer);
  timer = setTimeout(() => load(0), target === control("q") ? PAUSE : 0);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  load(0);
});
/** @param {number} step */
const turn = (step) => (/** @type {Event} */ event) => {
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  if (button.getAttribute("aria-disabled") !== "true") load(part + step);
};
previous.addEventListener("click", turn(-1));
next.addEventListener("click", turn(1));

const start = new URLSearchParams(location.search);
control("q").value = start.get("q") ?? "";
load(Number(start.get("page")) || 0);
