// An icon of the set as inline SVG, hidden from screen readers: the words stand beside it. The same markup as the
// function `icon()` of templates.

import type { ReactNode } from "react";

/** `svg` is the text of an icon's file: `import list from "@phosphor-icons/core/assets/regular/list.svg"`. */
export function Icon({ svg }: { svg: string }): ReactNode {
  const inner = svg.slice(svg.indexOf(">") + 1, svg.lastIndexOf("</svg>"));
  return (
    <svg
      className="icon"
      viewBox="0 0 256 256"
      width="1em"
      height="1em"
      fill="currentColor"
      aria-hidden="true"
      focusable="false"
      dangerouslySetInnerHTML={{ __html: inner }}
    />
  );
}
