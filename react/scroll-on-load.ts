// What a page brings into sight when a visitor arrives. Loaded only by pages that ask for it: phones are taken to the main
// heading (`data-scroll-to-hero`), and a list of links shows the link to the page itself (`data-in-view`).

/** How long after loading a phone is taken to the main heading, in milliseconds. */
const HERO_DELAY = 500;

document.querySelector("[data-in-view] [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Not against the visitor: whoever has scrolled, follows an anchor or wants less motion stays where they are.
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
  // This module may come after the page has loaded.
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}
