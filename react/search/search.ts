// The script that pages of a site with a search load: it opens the dialog of the header, and starts the form of the search
// page. Both are loaded when a visitor reaches for them. Without it, the link in the header leads to that page.

const link = document.querySelector<HTMLAnchorElement>("[data-search]");
const form = document.querySelector<HTMLElement>("[data-search-form]");

const startPage = (): Promise<{ focus: () => void }> | undefined =>
  form ? import("./page").then(({ start }) => start(form)) : undefined;
const page = startPage();

let dialog: Promise<{ open: () => void }> | undefined;
const load = (at: HTMLAnchorElement): Promise<{ open: () => void }> => {
  dialog ??= import("./dialog").then(({ create }) => create(at.href));
  return dialog;
};

const open = (at: HTMLAnchorElement): void => {
  const opened = page ? page.then((started) => started.focus()) : load(at).then((loaded) => loaded.open());
  // Without a connection the page may still be in the browser's cache.
  opened.catch(() => location.assign(at.href));
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

if (link) {
  const prepare = (): void => {
    if (!page) load(link).catch(() => undefined);
  };
  link.addEventListener("pointerenter", prepare, { once: true });
  link.addEventListener("focus", prepare, { once: true });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(link);
  });
  addEventListener("keydown", (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
    if ((!isShortcut && !isSlash) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    open(link);
  });
}
