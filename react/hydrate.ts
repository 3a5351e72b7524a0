// Hydrates an island on demand: loads React and the component, then replays the visitor's last event.
//
// Native behavior (links, popovers, `<details>`, typing) keeps working while the scripts load. Only events that need
// the component are held back, and the last of them is dispatched again after hydration.

/** The path at which the page was opened. If the path changes before hydration, the props belong to another page. */
const address = location.pathname;

/** Events that are held back until hydration: clicks on buttons, form submissions and navigation keys. */
const REPLAYED_EVENTS = ["click", "submit", "keydown"] as const;
const NAVIGATION_KEYS = /^(Arrow|Esc|Home$|End$)/;

/** Reports an error to the console and to listeners of `sitegen:error`. The prerendered markup stays in place. */
export const report = (root: Element, error: unknown): void => {
  console.error(error);
  root.setAttribute("failed", "");
  root.dispatchEvent(new CustomEvent("sitegen:error", { bubbles: true, detail: error }));
};

/** The element to dispatch an event on again, or undefined if the browser handles the event natively. */
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

/** Starts to hold back events, and returns a function that hydrates the island. Only its first call has an effect. */
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
      // After a failure the event is replayed too, so that the browser handles the link or form natively.
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

  // An island with the `media` directive may never hydrate on this screen, so its events are not held back.
  if (root.getAttribute("when") !== "media") {
    for (const type of REPLAYED_EVENTS) root.addEventListener(type, holdBack, true);
  }
  return hydrate;
};
