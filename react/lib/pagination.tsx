// Links to numbered pages. The markup matches the macro `pagination` in `templates/components/pagination/`.

import arrowLeft from "@phosphor-icons/core/assets/regular/arrow-left.svg";
import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import type { ReactNode } from "react";
import type { NumberedPage } from "../generated/wire";
import { Anchor } from "./anchor";
import { Icon } from "./icon";
import { fill } from "./words";

interface Props {
  pages: NumberedPage[];
  current: number;
  messages: { pages: string; pageNumber: string; previous: string; next: string };
}

export function Pagination({ pages, current, messages }: Props): ReactNode {
  if (pages.length < 2) return null;
  const at = (wanted: number) => pages.find(({ number }) => number === wanted);
  const [previous, next] = [at(current - 1), at(current + 1)];
  return (
    <nav className="pagination" aria-label={messages.pages}>
      {previous && (
        <Anchor className="pagination__step" rel="prev" link={previous.link}>
          <Icon svg={arrowLeft} isArrow />
          {messages.previous}
        </Anchor>
      )}
      <ol className="pagination__list">
        {pages.map(({ number, link }) => (
          <li key={number}>
            <Anchor
              className="pagination__page"
              link={link}
              aria-label={fill(messages.pageNumber, { number: String(number) })}
              {...(number === current ? { "aria-current": "page" } : {})}
            >
              {number}
            </Anchor>
          </li>
        ))}
      </ol>
      {next && (
        <Anchor className="pagination__step" rel="next" link={next.link}>
          {messages.next}
          <Icon svg={arrowRight} isArrow />
        </Anchor>
      )}
    </nav>
  );
}
