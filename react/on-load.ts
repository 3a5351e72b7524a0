// What some pages do once they are there: they scroll to their heading or to the current link, or have code to copy. The loader
// of every page asks for this module only where one of these attributes is.

import "./scroll-on-load";

if (document.querySelector("[data-copy] :is(pre, .table-scroll)")) void import("./code");
