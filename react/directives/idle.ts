// `idle`: wakes when the page is there and the browser has nothing better to do. Before that an idle moment says only that
// the network is slow, and scripts would compete with what the page shows. Safari has no idle callback; there a short wait
// does.

export const idle = (_root: HTMLElement, hydrate: () => void): void => {
  const rest = (): unknown => (window.requestIdleCallback ?? setTimeout)(hydrate);
  if (document.readyState === "complete") rest();
  else addEventListener("load", rest, { once: true });
};
