// The one script of every page, loaded as a module: tells the stylesheet whether the page is scrolled.
//
// The mobile menu is not here: it is a popover, so the platform opens it, closes it on Escape or a click
// outside, and tells assistive technology whether it is open, with or without script.

/** How far a page scrolls, in CSS pixels, before its header takes the scrolled style. */
const THRESHOLD = 50;

const markScrolled = (): void => {
  document.documentElement.toggleAttribute("data-scrolled", window.scrollY > THRESHOLD);
};

addEventListener("scroll", markScrolled, { passive: true });
// A reload or the back button may begin in the middle of the page, where no scroll event comes.
markScrolled();
