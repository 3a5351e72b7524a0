// `visible`: wakes when the island comes into sight, a little before it does. The element itself has no box (its style
// is `display: contents`), so its children are watched.

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
