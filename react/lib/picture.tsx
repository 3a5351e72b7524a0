// A responsive image with a source for each format. The markup matches photographs of the macro `figure` in
// `templates/components/figure/`.

import type { ReactNode } from "react";
import type { Picture as Props } from "../generated/wire";

/** `sizes` is the attribute of the same name. Loading is lazy, because islands are below the first screen. */
export function Picture({ picture, sizes }: { picture: Props; sizes: string }): ReactNode {
  const { src, alt, width, height, classes, sources } = picture;
  return (
    <picture>
      {sources.map(({ mime, srcset }) => (
        <source type={mime} srcSet={srcset} sizes={sizes} key={mime} />
      ))}
      <img
        {...(classes === null ? {} : { className: classes })}
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
