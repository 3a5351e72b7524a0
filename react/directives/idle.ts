// `idle`: hydrates once the page has loaded and the browser is idle. Before the load event, an idle period only means
// that the network is slow, and scripts would compete with visible content. Browsers without `requestIdleCallback`
// (Safari) use `setTimeout` instead.

export const idle = (_root: HTMLElement, hydrate: () => void): void => {
  const rest = (): unknown => (window.requestIdleCallback ?? setTimeout)(hydrate);
  if (document.readyState === "complete") rest();
  else addEventListener("load", rest, { once: true });
};
