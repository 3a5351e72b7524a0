// `media`: hydrates when the media query in the `media` attribute matches, now or later (for example after a resize).

export const media = (root: HTMLElement, hydrate: () => void): void => {
  const query = matchMedia(root.getAttribute("media") ?? "all");
  if (query.matches) hydrate();
  else query.addEventListener("change", hydrate, { once: true });
};
