// Wakes an island: fetches React and the component, and hands over what the visitor has done in the meantime.
//
// What the platform does by itself (links, popovers, details, typing) goes on while the scripts are on their way; only
// what needs the component is held back and repeated once it is there.

/** Where this page was opened. Another path before an island wakes means that its props belong to another page. */
const address = location.pathname;

/** What is held back until the island answers: a click on a button, a form that is sent, a key that moves. */
const REPLAYED_EVENTS = ["click", "submit", "keydown"] as const;
const NAVIGATION_KEYS = /^(Arrow|Esc|Home$|End$)/;

/** Tells whoever develops or watches the site; the page itself stays as it was built. */
export const report = (root: Element, error: unknown): void => {
  console.error(error);
  root.setAttribute("failed", "");
  root.dispatchEvent(new CustomEvent("sitegen:error", { bubbles: true, detail: error }));
};

/** The control that an event is about, unless the browser answers it without help. */
const controlOf = (event: Event): HTMLElement | undefined => {
  const target = event.target as HTMLElement;
  if (event.type === "submit") return target;
  if (event.type === "keydown") return NAVIGATION_KEYS.test((event as KeyboardEvent).key) ? target : undefined;
  return target.closest<HTMLElement>("button:not([popovertarget], [commandfor])") ?? undefined;
};

const fetchAndHydrate = async (root: HTMLElement): Promise<void> => {
  const name = root.getAttribute("name");
  const src = root.getAttribute("src");
  const [{ hydrateIsland }, island] = await Promise.all([import("./hydrate-island"), src ? import(src) : undefined]);
  if (typeof island?.default !== "function") {
    throw new Error(`${address}: the island "${name}" has no component`);
  }
  if (location.pathname !== address) {
    throw new Error(`${address}: the URL was manipulated before hydration of "${name}" finished (now ${location.pathname})`);
  }
  hydrateIsland(root, island.default, report);
};

/** Gives a function that wakes the island, once. */
export const deferHydration = (root: HTMLElement): (() => void) => {
  let hasStarted = false;
  let held: Event | undefined;

  const replay = (): void => {
    for (const type of REPLAYED_EVENTS) root.removeEventListener(type, holdBack, true);
    const target = held && controlOf(held);
    if (!held || !target?.isConnected) return;
    if (held.type === "submit") (target as HTMLFormElement).requestSubmit((held as SubmitEvent).submitter);
    else if (held.type === "click") target.click();
    else target.dispatchEvent(new KeyboardEvent("keydown", held));
  };

  const hydrate = (): void => {
    if (hasStarted) return;
    hasStarted = true;
    fetchAndHydrate(root)
      .catch((error: unknown) => report(root, error))
      // Whether or not it worked: then the native link or form does what it can.
      .finally(replay);
  };

  const holdBack = (event: Event): void => {
    if (event.type !== "keydown" || controlOf(event)) hydrate();
    if (!controlOf(event)) return;
    held = event;
    if (event.type !== "keydown") {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  // An island for some screens may never wake here, so nothing is held for it.
  if (root.getAttribute("when") !== "media") {
    for (const type of REPLAYED_EVENTS) root.addEventListener(type, holdBack, true);
  }
  return hydrate;
};
