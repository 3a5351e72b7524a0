// A link that was resolved at build time, with `hreflang` for targets in other languages and `rel` for external ones.

import type { AnchorHTMLAttributes, ReactNode } from "react";
import type { Link } from "../generated/wire";

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "hrefLang"> {
  link: Link;
}

export function Anchor({ link, ...rest }: Props): ReactNode {
  return (
    <a
      {...(link.external ? { rel: "noopener" } : {})}
      {...rest}
      href={link.href}
      {...(link.hreflang === null ? {} : { hrefLang: link.hreflang })}
    />
  );
}
