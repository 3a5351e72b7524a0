// `media`: wakes while a media query holds, now or later (a window that is made wider, a phone that is turned).

export const media = (root: HTMLElement, wake: () => void): void => {
  const query = matchMedia(root.getAttribute("media") ?? "all");
  if (query.matches) wake();
  else query.addEventListener("change", wake, { once: true });
};
