// Reserves room for the next posts below the list, so that nothing that is in sight moves when they arrive.
//
// The list is higher than its posts while there are more to come. Room is made and taken back only while the end of the
// list is below the viewport. A visitor who has reached the end sees room that is filled, then a list that stays as it
// is, with the footer below it, until the end is out of sight again.

import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from "react";

/** Fraction of the end of the posts that must be in sight before the next page is requested, from 0 to 1. */
const VISIBLE_RATIO = 0.1;

/** Whether the end of the list is below the viewport. */
const endsBelow = (list: HTMLElement): boolean => list.getBoundingClientRect().bottom > innerHeight;

/** Makes room for a number of posts that are as high as the highest one, and for no less than the rest of the viewport. */
const makeRoom = (list: HTMLElement, posts: number): void => {
  const { top, height } = list.getBoundingClientRect();
  const room = list.querySelector<HTMLElement>(".blog-explorer__room")?.offsetHeight ?? 0;
  const cards = [...list.querySelectorAll<HTMLElement>(".post-card:not(.post-card--lead)")];
  const card = Math.max(0, ...cards.map(({ offsetHeight }) => offsetHeight));
  list.style.setProperty("--card-height", `${card}px`);
  list.style.minHeight = `${Math.ceil(Math.max(height - room + posts * card, innerHeight - top))}px`;
};

interface Room {
  list: RefObject<HTMLElement | null>;
  /** Changes with each change of the list. */
  content: unknown;
  /** Number of posts that the next page has; 0 on the last page. */
  next: number;
  /** Requests the next page. */
  onEnd: () => void;
}

/** Returns a function that makes room at once, for visitors who ask for the next posts themselves. */
export function useRoom({ list, content, next, onEnd }: Room): () => void {
  /** The content of the list for which there is room. */
  const [roomFor, setRoomFor] = useState<unknown>(null);
  const hasRoom = roomFor === content;
  const end = useEffectEvent(onEnd);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element || hasRoom) return undefined;
    const settle = (): void => {
      if (!endsBelow(element)) return;
      makeRoom(element, next);
      setRoomFor(content);
    };
    settle();
    addEventListener("scroll", settle, { passive: true });
    return () => removeEventListener("scroll", settle);
  }, [list, content, next, hasRoom]);

  // At another width, the posts have other heights. On phones, the height changes while the visitor scrolls.
  useEffect(() => {
    let width = innerWidth;
    const forget = (): void => {
      if (innerWidth === width) return;
      width = innerWidth;
      list.current?.style.removeProperty("min-height");
      setRoomFor(null);
    };
    addEventListener("resize", forget);
    return () => removeEventListener("resize", forget);
  }, [list]);

  useEffect(() => {
    const more = list.current?.querySelector(".blog-explorer__more");
    if (!more || !hasRoom || next === 0) return undefined;
    // The room lies between the last post and the button, so the end of the posts is in sight while the button is as far below.
    const room = list.current?.querySelector<HTMLElement>(".blog-explorer__room")?.offsetHeight ?? 0;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((entry) => entry.isIntersecting)) end();
      },
      { threshold: VISIBLE_RATIO, rootMargin: `0px 0px ${room}px` },
    );
    observer.observe(more);
    return () => observer.disconnect();
  }, [list, content, next, hasRoom]);

  return () => {
    if (!list.current || hasRoom) return;
    makeRoom(list.current, next);
    setRoomFor(content);
  };
}
