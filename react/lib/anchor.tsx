// A link as the build resolved it: it says in which language its target is, and that it leads to another site.

import type { AnchorHTMLAttributes, ReactNode } from "react";
import type { Link } from "../generated/wire";

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "hrefLang" | "rel"> {
  link: Link;
}

export function Anchor({ link, ...rest }: Props): ReactNode {
  return (
    <a
      {...rest}
      href={link.href}
      {...(link.hreflang === null ? {} : { hrefLang: link.hreflang })}
      {...(link.external ? { rel: "noopener" } : {})}
    />
  );
}
