// What narrows a list: beside it where there is room, and on phones a sheet that a button opens. The browser opens and closes it,
// also without script. Its styles are in `sheet.css`.

import sliders from "@phosphor-icons/core/assets/regular/sliders-horizontal.svg";
import x from "@phosphor-icons/core/assets/regular/x.svg";
import type { ReactNode } from "react";
import { Icon } from "./icon";

interface Props {
  /** The buttons refer to the sheet by this id. */
  id: string;
  className: string;
  title: string;
  /** How many choices narrow the list. */
  active?: number;
  children: ReactNode;
}

export function Sheet({ id, className, title, active = 0, children }: Props): ReactNode {
  return (
    <>
      <button className="sheet__open button button--secondary" type="button" popoverTarget={id}>
        {title}
        {active > 0 && <span className="sheet__active">{active}</span>}
        <Icon svg={sliders} />
      </button>
      <div className={`sheet ${className}`} id={id} popover="auto">
        <button className="sheet__close" type="button" popoverTarget={id} popoverTargetAction="hide">
          {title}
          <Icon svg={x} />
        </button>
        {children}
      </div>
    </>
  );
}
