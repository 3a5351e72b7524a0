// A link with the look of a button. The markup matches the macro `action` in `templates/components/action/`.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import arrowUpRight from "@phosphor-icons/core/assets/regular/arrow-up-right.svg";
import type { ReactNode } from "react";
import type { LabeledLink } from "../generated/wire";
import { Anchor } from "./anchor";
import { Icon } from "./icon";

interface Props {
  action: LabeledLink;
  variant: "primary" | "secondary" | "header";
  /** Text for screen readers on links to other sites. */
  opensExternal: string;
}

export function Action({ action: { label, link }, variant, opensExternal }: Props): ReactNode {
  return (
    <Anchor className={`button button--${variant}`} link={link}>
      <span className="button__label">{label}</span>
      <Icon svg={link.external ? arrowUpRight : arrowRight} isArrow />
      {link.external && <span className="visually-hidden"> ({opensExternal})</span>}
    </Anchor>
  );
}
