// Scrolls elements into view after the page has loaded: the main heading on phones (`data-scroll-to-hero`), and the
// link to the current page in a scrollable list (`data-in-view`). Only pages with one of these attributes load this
// module.

/** Delay between the load event and the scroll to the main heading, in milliseconds. */
const HERO_DELAY = 500;

document.querySelector("[data-in-view] [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// The page must not scroll away from an anchor in the URL, from a position that the visitor chose, or against the
// visitor's preference for reduced motion.
const goesToHero =
  document.querySelector("[data-scroll-to-hero]") !== null &&
  location.hash === "" &&
  matchMedia("(max-width: 768px) and (prefers-reduced-motion: no-preference)").matches;

if (goesToHero) {
  const wait = (): void => {
    setTimeout(() => {
      if (window.scrollY === 0) document.querySelector("h1")?.scrollIntoView({ behavior: "smooth" });
    }, HERO_DELAY);
  };
  // This module is imported dynamically, so it may run after the load event.
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}
