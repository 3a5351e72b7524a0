// The one script of every page, loaded as a module: marks scrolled pages, and lets each island sleep until its directive
// wakes it. It holds no React, which comes with the first island that wakes.

import "./scroll";
import { directives } from "./directives";
import { deferHydration } from "./hydrate";

if (document.querySelector("[data-scroll-to-hero], [data-in-view]")) void import("./scroll-on-load");
if (location.search.includes("page=")) void import("./pagination");

for (const root of document.querySelectorAll<HTMLElement>("sitegen-island")) {
  directives[root.getAttribute("when") ?? ""]?.(root, deferHydration(root));
}
