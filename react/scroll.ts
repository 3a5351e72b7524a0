// Tells the stylesheet whether the page is scrolled.

/** How far a page scrolls, in CSS pixels, before its header takes the scrolled style. */
const THRESHOLD = 50;

const markScrolled = (): void => {
  document.documentElement.toggleAttribute("data-scrolled", window.scrollY > THRESHOLD);
};

addEventListener("scroll", markScrolled, { passive: true });
// A reload or the back button may begin in the middle of the page, where no scroll event comes.
markScrolled();
