// The entry point that every page loads, as a module. It marks scrolled pages, and defers the hydration of each island
// until its directive fires. What a page can do without for a moment is in on-load.ts. React is not part of this bundle; it is loaded with the first island that hydrates.

import "./opened";
import "./scroll";
import { directives } from "./directives";
import { deferHydration } from "./hydrate";

void import("./on-load");

for (const root of document.querySelectorAll<HTMLElement>("sitegen-island")) {
  directives[root.getAttribute("when") ?? ""]?.(root, deferHydration(root));
}
