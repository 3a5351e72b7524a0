// A post in the list. The markup matches the macro `post_card` in `templates/components/post-card/`.

import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { BlogExplorer, FeaturedImage, Post } from "../../generated/wire";
import { fill } from "../../lib/words";

/** Values that all cards of a list share. */
export interface Frame {
  /** Base path of posts, for responses without a `link`. */
  base: string;
  team: string;
  dates: BlogExplorer["dates"];
  messages: BlogExplorer["messages"];
}

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
export const longDate = (date: string | null, { pattern, months }: Frame["dates"]): string | null => {
  const known = parts(date);
  if (!known) return null;
  const [year, month, day] = known;
  return fill(pattern, { day: String(day), month: months[month - 1] ?? "", year: String(year) });
};

/** The URL of a picture for a card: `medium_large` if available, then `large`, then the original. */
export const source = ({ source_url, media_details }: FeaturedImage): string =>
  media_details.sizes.medium_large?.source_url ?? media_details.sizes.large?.source_url ?? source_url;

/** Returns the class of a picture that has not loaded or is not yet near the viewport. It fades in afterwards. */
function useFade(image: RefObject<HTMLImageElement | null>): string | undefined {
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    const element = image.current;
    // A picture that has loaded before hydration must not fade.
    if (!element || element.complete) return undefined;
    setWaiting(true);
    const loaded = (): void => {
      const observer = new IntersectionObserver(
        (entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          setWaiting(false);
          observer.disconnect();
        },
        { rootMargin: "50px", threshold: 0.1 },
      );
      observer.observe(element);
    };
    element.addEventListener("load", loaded, { once: true });
    element.addEventListener("error", () => setWaiting(false), { once: true });
    return () => element.removeEventListener("load", loaded);
  }, [image]);
  return isWaiting ? "blog-explorer__waiting" : undefined;
}

function CardPicture({ post, isFirst }: { post: Post; isFirst: boolean }): ReactNode {
  const image = useRef<HTMLImageElement>(null);
  const fade = useFade(image);
  const picture = post.featured_image;
  const src = (picture && source(picture)) || (post.cover ?? "");
  if (src === "") return null;
  const { width, height, sources } = picture?.media_details ?? { width: 0, height: 0, sources: [] };
  return (
    <div className="figure">
      <picture>
        {sources.map(({ mime, srcset }) => (
          <source type={mime} srcSet={srcset} sizes={SIZES} key={mime} />
        ))}
        <img
          ref={image}
          className={fade}
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
  frame: Frame;
  /** The first post of the list is larger, and its picture is loaded with high priority. */
  isFirst: boolean;
}

export function Card({ post, frame: { base, team, dates, messages }, isFirst }: CardProps): ReactNode {
  const day = longDate(post.date, dates);
  return (
    <article className={isFirst ? "post-card post-card--lead" : "post-card"}>
      <div className="post-card__picture">
        <CardPicture post={post} isFirst={isFirst} />
      </div>
      <div className="post-card__words">
        <h2 className="post-card__title">
          <a className="post-card__link" href={post.link || `${base}${encodeURIComponent(post.slug)}/`}>
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
}
