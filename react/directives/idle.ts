// `idle`: hydrates once the page has loaded and the browser is idle, or 2 seconds after the page has loaded if the
// browser stays busy. Before the load event, an idle period only means that the network is slow, and scripts would
// compete with visible content. Browsers without `requestIdleCallback` (Safari) use `setTimeout` instead.

/** The longest that an island waits for an idle browser, in milliseconds. A page that never rests still works. */
const LONGEST = 2000;

export const idle = (_root: HTMLElement, hydrate: () => void): void => {
  const rest = (): unknown =>
    "requestIdleCallback" in window ? requestIdleCallback(hydrate, { timeout: LONGEST }) : setTimeout(hydrate);
  if (document.readyState === "complete") rest();
  else addEventListener("load", rest, { once: true });
};
