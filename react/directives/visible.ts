// `visible`: hydrates when the island is within 200 CSS pixels of the viewport. The element has no box of its own (it
// is styled with `display: contents`), so the observer watches its children.

export const visible = (root: HTMLElement, hydrate: () => void): void => {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      hydrate();
    },
    { rootMargin: "200px" },
  );
  for (const child of root.children) observer.observe(child);
};
