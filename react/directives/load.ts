// `load`: wakes as soon as the page's script runs. For what a visitor came for, such as a form.

export const load = (_root: HTMLElement, wake: () => void): void => wake();
