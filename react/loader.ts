// The entry point that every page loads, as a module. It marks scrolled pages, and defers the hydration of each island
// until its directive fires. React is not part of this bundle; it is loaded with the first island that hydrates.

import "./opened";
import "./scroll";
import { directives } from "./directives";
import { deferHydration } from "./hydrate";

if (document.querySelector("[data-scroll-to-hero], [data-in-view], [data-copy]")) void import("./on-load");
if (location.search.includes("page=")) void import("./pagination");

for (const root of document.querySelectorAll<HTMLElement>("sitegen-island")) {
  directives[root.getAttribute("when") ?? ""]?.(root, deferHydration(root));
}
