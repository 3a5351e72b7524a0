// A post in the list. The markup matches the macro `post_card` in `templates/components/post-card/`.

import { memo, type ReactNode } from "react";
import type { BlogExplorer, FeaturedImage } from "../../generated/wire";
import { fill } from "../../lib/words";
import { useShared } from "./context";
import type { Post } from "./state";

const SIZES = "(max-width: 768px) 100vw, 600px";
/** Default size of pictures whose size is unknown, in CSS pixels. */
const WIDTH = 600;
const HEIGHT = 200;

/** Year, month and day of an ISO date such as `2025-03-14T09:30:00`; null if the date is invalid. */
const parts = (date: string | null): [number, number, number] | null => {
  const match = /^(\d{4})-(\d{2})-(\d{2})(T|$)/.exec(date ?? "");
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= days ? [year, month, day] : null;
};

/**
 * Formats a date in the language of the page. `Intl` is not used, because its output differs between browser versions.
 */
export const longDate = (date: string | null, { pattern, months }: BlogExplorer["dates"]): string | null => {
  const known = parts(date);
  if (!known) return null;
  const [year, month, day] = known;
  return fill(pattern, { day: String(day), month: months[month - 1] ?? "", year: String(year) });
};

/** The URL of a picture for a card: `medium_large` if available, then `large`, then the original. */
export const source = ({ source_url, media_details }: FeaturedImage): string =>
  media_details.sizes.medium_large?.source_url ?? media_details.sizes.large?.source_url ?? source_url;

/**
 * Shows a picture at half its opacity until it has loaded and is near the viewport, then fades it in. It is a ref: React
 * calls it with the element, and calls the function that it returns when the element is removed.
 */
const fadeIn = (image: HTMLImageElement): (() => void) => {
  const observer = new IntersectionObserver(
    (seen) => {
      if (seen.some((entry) => entry.isIntersecting)) show();
    },
    { rootMargin: "50px", threshold: 0.1 },
  );
  const show = (): void => {
    observer.disconnect();
    image.classList.remove("blog-explorer__waiting");
  };
  const watch = (): void => observer.observe(image);
  // A picture that has loaded before hydration must not fade.
  if (!image.complete) {
    image.classList.add("blog-explorer__waiting");
    image.addEventListener("load", watch, { once: true });
    image.addEventListener("error", show, { once: true });
  }
  return () => {
    observer.disconnect();
    image.removeEventListener("load", watch);
  };
};

/**
 * Rings for a post without a picture, from a response without the cover that sitegen draws. The same id has the same
 * rings.
 */
function Rings({ id }: { id: string }): ReactNode {
  const hash = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const radii = [30, 70, 110, 150, 190].slice(0, 2 + (hash % 4));
  return (
    <svg className="blog-explorer__rings" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      {radii.map((radius) => (
        <circle cx={100 + (hash % 5) * 100} cy={HEIGHT / 2} r={radius} key={radius} />
      ))}
    </svg>
  );
}

/** The class of a picture's point. It is that of `content_types/focus.rs`, whose rule is in the style sheet of the list. */
const focusClass = ([x, y]: [number, number]): string => `focus-${Math.round(x * 1000)}-${Math.round(y * 1000)}`;

/**
 * Attaches a picture: see {@link fadeIn}. A post that was found later has a point that the style sheet of the page does not
 * know; it is set by script, because the Content Security Policy allows no `style` attributes.
 */
const attach = (focus: FeaturedImage["focus"]) =>
  focus === undefined
    ? fadeIn
    : (image: HTMLImageElement): (() => void) => {
        image.style.objectPosition = focus.map((share) => `${share * 100}%`).join(" ");
        return fadeIn(image);
      };

function CardPicture({ post, isFirst }: { post: Post; isFirst: boolean }): ReactNode {
  const picture = post.featured_image;
  const src = (picture && source(picture)) || (post.cover ?? "");
  if (src === "") {
    return (
      <div className="figure">
        <Rings id={post.id} />
      </div>
    );
  }
  const { width, height, sources } = picture?.media_details ?? { width: 0, height: 0, sources: [] };
  const focus = picture?.focus;
  return (
    <div className="figure">
      <picture>
        {sources.map(({ mime, srcset }) => (
          <source type={mime} srcSet={srcset} sizes={SIZES} key={mime} />
        ))}
        <img
          ref={attach(focus)}
          {...(focus ? { className: focusClass(focus) } : {})}
          src={src}
          alt={picture?.alt_text ?? ""}
          width={width || WIDTH}
          height={height || HEIGHT}
          decoding="async"
          {...(isFirst ? { fetchPriority: "high" } : { loading: "lazy" })}
        />
      </picture>
    </div>
  );
}

interface CardProps {
  post: Post;
  /** The first post of the list is larger, and its picture is loaded with high priority. */
  isFirst: boolean;
}

/** It renders again only if its post has changed, and not with each key that is typed into the search field. */
export const Card = memo(function Card({ post, isFirst }: CardProps): ReactNode {
  const { base, team, dates, messages } = useShared();
  const day = longDate(post.date, dates);
  return (
    <article className={isFirst ? "post-card post-card--lead" : "post-card"}>
      <div className="post-card__picture">
        <CardPicture post={post} isFirst={isFirst} />
      </div>
      <div className="post-card__words">
        <h2 className="post-card__title">
          <a className="post-card__link stretched-link" href={post.link || `${base.href}${encodeURIComponent(post.slug)}/`}>
            {post.title || messages.untitledPost}
          </a>
        </h2>
        {post.excerpt !== "" && <p className="post-card__excerpt">{post.excerpt}</p>}
        <p className="post-card__facts">
          <span>{fill(messages.byAuthor, { author: post.author.name || team })}</span>{" "}
          {day === null ? <span>{messages.recent}</span> : <time dateTime={post.date?.slice(0, 10)}>{day}</time>}
        </p>
      </div>
    </article>
  );
});
