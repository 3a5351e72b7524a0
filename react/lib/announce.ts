// What screen readers are told of a change that others see.

import { useEffect, useRef, useState } from "react";

/** How long after the last change it is announced, in milliseconds: a screen reader must not stammer. */
const ANNOUNCE_DELAY = 600;

/** The text for an element of role `status`, a while after it last changed; nothing at first. */
export function useAnnouncement(text: string): string {
  const [announced, setAnnounced] = useState("");
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return undefined;
    }
    const timer = setTimeout(() => setAnnounced(text), ANNOUNCE_DELAY);
    return () => clearTimeout(timer);
  }, [text]);
  return announced;
}
