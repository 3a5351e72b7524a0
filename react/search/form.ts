// The form of the search, on its page and in the dialog: searches while the visitor types, and lists the results. Its words
// and addresses are in the markup of `templates/sections/search/search.html`.

import { fill } from "../lib/words";
import { attach as attachChoices } from "./choices";
import { Client, type Page, type Place, type Results } from "./client";
import type { Query } from "./query";

/** How many results are shown at a time. */
const AT_ONCE = 6;
/** How many places at headings are shown of a page. */
const MAX_PLACES = 3;

export interface Form {
  field: HTMLInputElement;
  /** The names of what a search can be narrowed to. */
  names: string[];
  /** Starts to load the index. */
  prepare: () => void;
  /** Shows a query and its results. */
  show: (query: Query) => void;
  /** The query as it is now. */
  query: () => Query;
}

/** The text of an excerpt, in which Pagefind has escaped the two signs of markup. */
const unescaped = (text: string): string => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">");

/** An excerpt, with the words that were found in `<mark>`. Nothing of it is read as markup. */
const excerptOf = (excerpt: string): Node[] =>
  excerpt.split(/<mark>(.*?)<\/mark>/s).map((part, index) => {
    if (index % 2 === 0) return document.createTextNode(unescaped(part));
    const mark = document.createElement("mark");
    mark.textContent = unescaped(part);
    return mark;
  });

const element = (name: string, className: string, ...children: (Node | string)[]): HTMLElement => {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
};

const linkTo = ({ url, title }: Place, className: string): HTMLElement => {
  const link = element("a", className, title);
  link.setAttribute("href", url);
  return link;
};

/** Waits until what was shown is on the screen: the task after the next frame. */
const painted = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Moves the focus between the field and the links below it. */
const moveFocus = (root: HTMLElement, field: HTMLInputElement, event: KeyboardEvent): void => {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const stops = [field, ...root.querySelectorAll<HTMLElement>("[data-search-results] a")];
  const at = stops.indexOf(event.target as HTMLElement);
  const next = stops[at + step];
  if (at === -1 || !next) return;
  event.preventDefault();
  next.focus();
};

/** Starts a form. `changed` is told of each query that the visitor makes. */
export const attach = (root: HTMLElement, changed: (query: Query, isSubmitted: boolean) => void): Form => {
  const find = <T extends HTMLElement>(selector: string): T => root.querySelector<T>(selector) as T;
  const form = find<HTMLFormElement>("form");
  const field = find<HTMLInputElement>("input[name=q]");
  const [status, list] = [find("[data-search-status]"), find("[data-search-results]")];
  const more = find<HTMLButtonElement>("[data-search-more]");
  const choices = attachChoices(root, () => search(false));
  const pages = root.querySelector<HTMLElement>("[data-search-pages]");
  const art = element("div", "art-missing");
  const word = (name: string): string => root.getAttribute(`data-${name}`) ?? "";
  const client = new Client(word("index"), word("base"), choices.hasFilters);
  let number = 0;
  let shown: Results | undefined;

  const query = (): Query => ({ words: field.value.trim(), choices: choices.chosen() });

  const item = (page: Page): HTMLElement => {
    const label = choices.kind(page.kind);
    const places = page.places
      .slice(0, MAX_PLACES)
      .map((place) =>
        element(
          "li",
          "site-search__place",
          linkTo(place, "site-search__link"),
          element("p", "site-search__text", ...excerptOf(place.excerpt)),
        ),
      );
    const title = element("p", "site-search__title", linkTo(page, "site-search__link"));
    if (label) title.append(" ", element("span", "site-search__kind", label));
    const text = element("p", "site-search__text", ...excerptOf(page.excerpt));
    const made = element(
      "li",
      "site-search__item",
      title,
      text,
      ...(places.length ? [element("ul", "site-search__places", ...places)] : []),
    );
    // A page may be in another language than this one.
    made.dir = "auto";
    return made;
  };

  /** Draws what is missing above the results: nothing was found, or the search failed. */
  const draw = (isLoose: boolean): void => {
    art.classList.toggle("art-missing--loose", isLoose);
    list.before(art);
  };

  const fail = (): void => {
    const link = element("a", "", word("pages"));
    link.setAttribute("href", word("pages-at"));
    status.replaceChildren(word("failed"), " ", link);
    list.replaceChildren();
    more.hidden = true;
    draw(true);
  };

  const extend = async (results: Results, mine: number, from: number): Promise<void> => {
    if (results.length === 0) list.replaceChildren();
    // Each is shown as soon as it is there, in order. The others do not delay the first one, nor the frame that shows it.
    const show = async (loading: Promise<Page>[]): Promise<void> => {
      for (const page of loading) {
        const made = item(await page);
        if (mine !== number) return;
        if (next === 0) list.replaceChildren(made);
        else list.append(made);
        if (next === from && from > 0) made.querySelector("a")?.focus();
        next += 1;
      }
    };
    let next = from;
    await show(results.load(from, from + 1));
    if (!document.hidden) await painted();
    if (mine !== number) return;
    await show(results.load(from + 1, from + AT_ONCE));
    if (mine !== number) return;
    more.hidden = from + AT_ONCE >= results.length;
  };

  const run = async (asked: Query): Promise<void> => {
    const mine = ++number;
    const { words } = asked;
    if (words === "") art.remove();
    if (pages) pages.hidden = words !== "";
    if (words === "") {
      shown = undefined;
      status.textContent = "";
      list.replaceChildren();
      more.hidden = true;
      return;
    }
    try {
      const results = await client.search(asked);
      if (mine !== number) return;
      shown = results;
      document.dispatchEvent(new CustomEvent("sitegen:search", { detail: { query: words, count: results.length } }));
      const text = word(results.length === 0 ? "none" : results.length === 1 ? "one" : "many");
      status.textContent = fill(text, { count: String(results.length), query: words.slice(0, 100) });
      if (results.length === 0) draw(false);
      else art.remove();
      await extend(results, mine, 0);
      if (mine === number) await choices.offer(results, () => mine === number);
    } catch (error) {
      if (mine !== number) return;
      console.error(error);
      fail();
    }
  };

  const search = (isSubmitted: boolean): void => {
    const now = query();
    changed(now, isSubmitted);
    void run(now);
  };

  field.addEventListener("focus", () => client.prepare(), { once: true });
  field.addEventListener("input", () => search(false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search(true);
  });
  more.addEventListener("click", () => {
    if (shown) extend(shown, number, list.childElementCount).catch(fail);
  });
  root.addEventListener("keydown", (event) => moveFocus(root, field, event));

  return {
    field,
    names: choices.names,
    query,
    prepare: () => client.prepare(),
    show: (shown) => {
      field.value = shown.words;
      choices.choose(shown.choices);
      void run(shown);
    },
  };
};
