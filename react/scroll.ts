// Sets `data-scrolled` on the root element while the page is scrolled, for style sheets.

/** Scroll distance after which the header takes its scrolled style, in CSS pixels. */
const THRESHOLD = 50;

const markScrolled = (): void => {
  document.documentElement.toggleAttribute("data-scrolled", scrollY > THRESHOLD);
};

addEventListener("scroll", markScrolled, { passive: true });
// After a reload or a history navigation, the page may start in a scrolled position without a scroll event.
markScrolled();
