// An icon as inline SVG. It is hidden from screen readers, because there is always text next to it. The markup matches
// the template function `icon()`.

import type { ReactNode } from "react";

interface Props {
  /** The source of an icon: `import list from "@phosphor-icons/core/assets/regular/list.svg"`. */
  svg: string;
  /** Whether it points along the line, and is mirrored in text from right to left. */
  isArrow?: boolean;
}

export function Icon({ svg, isArrow = false }: Props): ReactNode {
  const inner = svg.slice(svg.indexOf(">") + 1, svg.lastIndexOf("</svg>"));
  return (
    <svg
      className={isArrow ? "icon icon--arrow" : "icon"}
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
