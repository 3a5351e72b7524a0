// `load`: hydrates as soon as the page has been painted, so that scripts do not delay the first paint. It is meant for
// the main content of a page, such as a form.

export const load = (_root: HTMLElement, hydrate: () => void): void => {
  requestAnimationFrame(() => setTimeout(hydrate));
};
