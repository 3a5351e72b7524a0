// `load`: wakes as soon as the page has been painted. For what a visitor came for, such as a form: its first sight must not
// wait for scripts.

export const load = (_root: HTMLElement, hydrate: () => void): void => {
  requestAnimationFrame(() => setTimeout(hydrate));
};
