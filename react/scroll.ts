// Tells the stylesheet whether the page is scrolled, and takes phones to the main heading of pages that ask for it.

/** How far a page scrolls, in CSS pixels, before its header takes the scrolled style. */
const THRESHOLD = 50;

const markScrolled = (): void => {
  document.documentElement.toggleAttribute("data-scrolled", window.scrollY > THRESHOLD);
};

addEventListener("scroll", markScrolled, { passive: true });
// A reload or the back button may begin in the middle of the page, where no scroll event comes.
markScrolled();

/** How long after loading a phone is taken to the main heading of a page that asks for it, in milliseconds. */
const HERO_DELAY = 500;

// Not against the visitor: whoever has scrolled, follows an anchor or wants less motion stays where they are.
const goesToHero =
  document.querySelector("[data-scroll-to-hero]") !== null &&
  location.hash === "" &&
  matchMedia("(max-width: 768px) and (prefers-reduced-motion: no-preference)").matches;

if (goesToHero) {
  addEventListener("load", () => {
    setTimeout(() => {
      if (window.scrollY === 0) document.querySelector("h1")?.scrollIntoView({ behavior: "smooth" });
    }, HERO_DELAY);
  });
}
