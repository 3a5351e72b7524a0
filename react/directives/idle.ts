// `idle`: wakes when the browser has nothing better to do. Safari has no idle callback; there a short wait does.

export const idle = (_root: HTMLElement, wake: () => void): void => {
  (window.requestIdleCallback ?? setTimeout)(wake);
};
