// A filter with the number of its matches. The markup matches the macro `chip` in
// `templates/components/chip/`.

import type { ReactNode } from "react";
import type { Link } from "../generated/wire";
import { Anchor } from "./anchor";

interface Props {
  name: string;
  link: Link;
  count: number;
  /** Whether its page is the one that is open. */
  isCurrent: boolean;
}

export function Chip({ name, link, count, isCurrent }: Props): ReactNode {
  return (
    <Anchor className="chip" link={link} aria-current={isCurrent ? "page" : undefined}>
      <span className="chip__name">{name}</span>
      <span className="chip__count">{count}</span>
    </Anchor>
  );
}
