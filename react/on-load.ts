// What a page can do without for a moment. The header's button is quiet while another loud one is in sight, and parts that only
// some pages need are loaded there.

if (document.querySelector("[data-scroll-to-hero], [data-in-view]")) void import("./scroll-on-load");
if (document.querySelector("[data-copy] :is(pre, .table-scroll)")) void import("./code");
if (location.search.includes("page=")) void import("./pagination");

/** The loud buttons that are in the viewport. */
const inSight = new Set<Element>();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) inSight.add(target);
    else inSight.delete(target);
  }
  document.documentElement.toggleAttribute("data-loud", inSight.size > 0);
});
for (const button of document.querySelectorAll(":is(main, main ~ aside) .button--primary")) observer.observe(button);
