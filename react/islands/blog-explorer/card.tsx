// A post in the list. The markup matches the macro `post_card` in `templates/components/post-card/`.

import { memo, type ReactNode } from "react";
import type { BlogExplorer } from "../../generated/wire";
import { fill } from "../../lib/words";
import type { Post } from "./state";

/**
 * Formats a date such as `2025-03-14T09:30:00` in the language of the page; null if it is invalid. `Intl` is not used,
 * because its output differs between browser versions.
 */
const longDate = (date: string | null, { pattern, months }: BlogExplorer["dates"]): string | null => {
  const iso = date?.split("T")[0] ?? "";
  // A day that a month does not have is read as one of the next month.
  if (new Date(iso).toJSON()?.split("T")[0] !== iso) return null;
  const [year, month, day] = iso.split("-").map(Number) as [number, number, number];
  return fill(pattern, { day: String(day), month: months[month - 1] ?? "", year: String(year) });
};

/**
 * Shows a picture at half its opacity until it has loaded and is near the viewport, then fades it in. A picture that has
 * loaded before hydration must not fade.
 */
const fadeIn = (image: HTMLImageElement): void => {
  if (image.complete) return;
  const waiting = "blog-explorer__waiting";
  image.classList.add(waiting);
  const observer = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      image.classList.remove(waiting);
    },
    { rootMargin: "50px", threshold: 0.1 },
  );
  const watch = (): void => observer.observe(image);
  image.onload = watch;
  image.onerror = watch;
};

/**
 * Attaches a picture with a point that stays in sight: the style sheet of the page knows the classes of its first posts only,
 * and the Content Security Policy allows no `style` attributes.
 */
const attach = (focus: number[] | undefined) => (image: HTMLImageElement | null) => {
  if (!image) return;
  if (focus) image.style.objectPosition = focus.map((share) => `${share * 100}%`).join(" ");
  fadeIn(image);
};

/** What all posts of a list share. */
type ListProps = Pick<BlogExplorer, "base" | "team" | "dates" | "messages">;

interface CardProps {
  post: Post;
  /** The first post of the list is larger, and its picture is loaded with high priority. */
  isFirst: boolean;
  list: ListProps;
}

/** It renders again only if its post has changed, and not with each key that is typed into the search field. */
export const Card = memo(function Card({ post, isFirst, list }: CardProps): ReactNode {
  const { base, team, dates, messages } = list;
  const { id, title, slug, link, date, excerpt, author, cover } = post;
  const day = longDate(date, dates);
  const { source_url, alt_text, media_details: details, focus } = post.featured_image ?? {};
  const sizes = details?.sizes;
  const src = sizes?.medium_large?.source_url || sizes?.large?.source_url || source_url || cover;
  const point = focus?.length === 2 ? focus : undefined;
  // Where the rings of a post are that has neither a picture nor a cover.
  const place = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5;
  return (
    <article className={isFirst ? "post-card post-card--lead" : "post-card"}>
      <div className="post-card__picture">
        <div className={src ? "figure" : `figure blog-explorer__rings blog-explorer__rings--${place}`}>
          {src && (
            <picture>
              {details?.sources?.map(
                ({ mime, srcset }) =>
                  srcset && <source type={mime} srcSet={srcset} sizes="(max-width: 768px) 100vw, 600px" key={mime} />,
              )}
              <img
                ref={attach(point)}
                // The class of `content_types/focus.rs`.
                className={point && `focus-${point.map((share) => Math.round(share * 1000)).join("-")}`}
                src={src}
                alt={alt_text ?? ""}
                width={details?.width || 600}
                height={details?.height || 200}
                decoding="async"
                {...(isFirst ? { fetchPriority: "high" } : { loading: "lazy" })}
              />
            </picture>
          )}
        </div>
      </div>
      <div className="post-card__words">
        <h2 className="post-card__title">
          <a className="post-card__link stretched-link" href={link || `${base.href}${encodeURIComponent(slug)}/`}>
            {title || messages.untitledPost}
          </a>
        </h2>
        {excerpt && <p className="post-card__excerpt">{excerpt}</p>}
        <p className="post-card__facts">
          <span>{fill(messages.byAuthor, { author: author?.name || team })}</span>{" "}
          {day ? <time dateTime={date?.slice(0, 10)}>{day}</time> : <span>{messages.recent}</span>}
        </p>
      </div>
    </article>
  );
});
