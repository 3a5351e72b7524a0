// `media`: wakes while a media query holds, now or later (a window that is made wider, a phone that is turned).

export const media = (root: HTMLElement, hydrate: () => void): void => {
  const query = matchMedia(root.getAttribute("media") ?? "all");
  if (query.matches) hydrate();
  else query.addEventListener("change", hydrate, { once: true });
};
