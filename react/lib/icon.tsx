// An icon as inline SVG. It is hidden from screen readers, because there is always text next to it. The markup matches
// the template function `icon()`.

import type { ReactNode } from "react";

/** `svg` is the source of an icon: `import list from "@phosphor-icons/core/assets/regular/list.svg"`. */
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
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the source is a file of a pinned package.
      dangerouslySetInnerHTML={{ __html: inner }}
    />
  );
}
