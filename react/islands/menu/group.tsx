// Links below a label of the menu, as a native disclosure: it opens without JavaScript, and one is open at a time. This
// component also closes it on Escape, and when the focus or a click goes elsewhere.

import caret from "@phosphor-icons/core/assets/regular/caret-down.svg";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { LabeledLink } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";

interface Props {
  label: string;
  links: LabeledLink[];
}

export function Group({ label, links }: Props): ReactNode {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);

  const close = (): void => {
    if (details.current) details.current.open = false;
  };

  useEffect(() => {
    if (!isOpen) return undefined;
    const closeOutside = (event: PointerEvent): void => {
      if (details.current && !details.current.contains(event.target as Node)) details.current.open = false;
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);

  const closeWhenLeft = (event: FocusEvent): void => {
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) close();
  };

  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !details.current?.open) return;
    // The menu around it stays open.
    event.preventDefault();
    event.stopPropagation();
    close();
    details.current.querySelector("summary")?.focus();
  };

  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: the events come from the label and the links inside.
    <details
      className="header__group"
      name="site-menu"
      ref={details}
      onToggle={() => setOpen(details.current?.open ?? false)}
      onBlur={closeWhenLeft}
      onKeyDown={closeOnEscape}
    >
      <summary className="header__link">
        {label}
        <Icon svg={caret} />
      </summary>
      {/* A wide menu shows the label again, as the heading of its columns. */}
      <ul className="header__submenu" data-label={label}>
        {links.map(({ label: name, link }) => (
          <li key={link.href}>
            <Anchor className="header__sublink" link={link}>
              {name}
            </Anchor>
          </li>
        ))}
      </ul>
    </details>
  );
}
