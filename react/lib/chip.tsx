// A topic, or a filter with the number of its matches. The markup matches the macro `chip` in
// `templates/components/chip/`.

import type { ReactNode } from "react";
import type { Link } from "../generated/wire";
import { Anchor } from "./anchor";

interface Props {
  name: string;
  link: Link;
  count?: number;
  /** What the chip is one of, if it is the current one. */
  current?: "page" | "true" | undefined;
}

export function Chip({ name, link, count, current }: Props): ReactNode {
  return (
    <Anchor className="chip" link={link} aria-current={current}>
      {count === undefined ? (
        name
      ) : (
        <>
          <span className="chip__name">{name}</span>
          <span className="chip__count">{count}</span>
        </>
      )}
    </Anchor>
  );
}
