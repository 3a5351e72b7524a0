// Reserves room for the next posts below the list, so that nothing that is in sight moves when they arrive, and asks for
// them when the end of the posts comes into sight.
//
// The list is higher than its posts while there are more to come. Room is made and taken back only while the end of the
// list is below the viewport. A visitor who has reached the end sees room that is filled, then a list that stays as it
// is, with the footer below it, until the end is out of sight again.

import { type RefObject, useEffectEvent, useLayoutEffect, useSyncExternalStore } from "react";
import { listen } from "../../lib/listen";

/** Fraction of the end of the posts that must be in sight before the next page is requested, from 0 to 1. */
const VISIBLE_RATIO = 0.1;

const onResize = (changed: () => void): (() => void) => listen("resize", changed);

/** The width of the viewport; 0 in prerendered markup and while it is hydrated. */
export const useWidth = (): number =>
  useSyncExternalStore(
    onResize,
    () => innerWidth,
    () => 0,
  );

/** The element that takes the rest of the list. */
const roomOf = (list: HTMLElement): HTMLElement => list.querySelector(".blog-explorer__room") as HTMLElement;

/** Makes room for a number of posts that are as high as the highest one, and for no less than the rest of the viewport. */
export const makeRoom = (list: HTMLElement, posts: number): void => {
  const { top, height } = list.getBoundingClientRect();
  const cards = [...list.querySelectorAll<HTMLElement>(".post-card:not(.post-card--lead)")];
  const card = Math.max(0, ...cards.map(({ offsetHeight }) => offsetHeight));
  list.style.setProperty("--card-height", `${card}px`);
  // The outlines have pictures as high as those of the posts.
  list.style.setProperty(
    "--picture-height",
    `${cards[0]?.querySelector<HTMLElement>(".post-card__picture")?.offsetHeight ?? 0}px`,
  );
  list.style.minHeight = `${Math.ceil(Math.max(height - roomOf(list).offsetHeight + posts * card, innerHeight - top))}px`;
};

interface Room {
  list: RefObject<HTMLElement | null>;
  /** What the list shows; `null` while it is about to be replaced. */
  posts: unknown;
  /** Number of posts that the next page has; 0 on the last page. */
  next: number;
  /** Width of the viewport. At another one, the posts have other heights. */
  width: number;
  /** Requests the next page. */
  onEnd: () => void;
}

/** Makes room whenever the list has changed. */
export function useRoom({ list: ref, posts, next, width, onEnd }: Room): void {
  const end = useEffectEvent(onEnd);
  useLayoutEffect(() => {
    ref.current?.style.removeProperty("min-height");
  }, [ref, width]);
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list || !posts || width === 0) return undefined;
    let observer: IntersectionObserver | undefined;
    const settle = (): void => {
      if (observer || list.getBoundingClientRect().bottom <= innerHeight) return;
      makeRoom(list, next);
      // The room lies between the last post and the button, so the end of the posts is in sight while the button is as far
      // below. On the last page, there is no button.
      observer = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && end(), {
        threshold: VISIBLE_RATIO,
        rootMargin: `0px 0px ${roomOf(list).offsetHeight}px`,
      });
      const button = list.querySelector(".blog-explorer__more");
      if (button) observer.observe(button);
    };
    // In the frame that shows it: if the page were scrolled between the two, what is below the list would move in sight.
    const frame = requestAnimationFrame(settle);
    const unlisten = listen("scroll", settle);
    return () => {
      cancelAnimationFrame(frame);
      unlisten();
      observer?.disconnect();
    };
  }, [ref, posts, next, width]);
}
