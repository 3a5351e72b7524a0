// The site's menu, a native popover. The browser opens and closes it on clicks and Escape, also without JavaScript.
// This component also closes it when focus leaves it and its button, and on links to anchors of the current page.

import list from "@phosphor-icons/core/assets/regular/list.svg";
import x from "@phosphor-icons/core/assets/regular/x.svg";
import { type FocusEvent, type MouseEvent, type ReactNode, useRef } from "react";
import type { Menu as Props } from "../../generated/wire";
import { Action } from "../../lib/action";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";
import { Group } from "./group";

/** The button and the style sheet refer to the menu by this id, so a page can have only one menu. */
const ID = "site-menu";

export default function Menu({ links, action, messages }: Props): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLElement>(null);

  const close = (): void => {
    if (menu.current?.matches(":popover-open")) menu.current.hidePopover();
  };

  const closeWhenLeft = (event: FocusEvent): void => {
    const next = event.relatedTarget;
    // `relatedTarget` is null if the window lost focus, or after a click outside, which closes the popover natively.
    if (next !== null && next !== button.current && !menu.current?.contains(next)) close();
  };

  const closeAtAnchor = (event: MouseEvent): void => {
    const link = (event.target as Element).closest("a");
    if (link?.hash && link.pathname === location.pathname) close();
  };

  return (
    <>
      <button className="header__toggle" type="button" ref={button} popoverTarget={ID} onBlur={closeWhenLeft}>
        <span className="visually-hidden">{messages.menu}</span>
        <Icon svg={list} />
        <Icon svg={x} />
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveElementInteractions: the events come from the links inside. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click. */}
      <nav
        className="header__nav"
        id={ID}
        popover="auto"
        aria-label={messages.mainNavigation}
        ref={menu}
        onBlur={closeWhenLeft}
        onClick={closeAtAnchor}
      >
        <ul className="header__menu">
          {links.map(({ label, link, children }) => (
            <li key={label}>
              {link ? (
                <Anchor className="header__link" link={link}>
                  {label}
                </Anchor>
              ) : (
                <Group label={label} links={children ?? []} />
              )}
            </li>
          ))}
        </ul>
        {action.label && <Action action={action} variant="header" opensExternal={messages.opensExternal} />}
      </nav>
    </>
  );
}
