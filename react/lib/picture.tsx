// A picture in the best form and width that the browser knows, as the macro `figure` of `templates/components/figure/`
// draws photographs.

import type { ReactNode } from "react";
import type { Picture as Props } from "../generated/wire";

/** `sizes` says how wide the picture stands. It is always loaded late: islands are not at the top of a page. */
export function Picture({ picture, sizes }: { picture: Props; sizes: string }): ReactNode {
  const { src, alt, width, height, tint, sources } = picture;
  return (
    <picture>
      {sources.map(({ mime, srcset }) => (
        <source type={mime} srcSet={srcset} sizes={sizes} key={mime} />
      ))}
      <img
        {...(tint === null ? {} : { className: tint })}
        src={src}
        alt={alt}
        width={width}
        height={height}
        loading="lazy"
        decoding="async"
      />
    </picture>
  );
}
