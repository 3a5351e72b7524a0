// Announces visible changes to screen readers.

import { useEffect, useRef, useState } from "react";

/** Delay between the last change and its announcement, in milliseconds, so that quick changes are announced once. */
const ANNOUNCE_DELAY = 600;

/** Returns the text for an element with the role `status`, delayed and empty until the first change. */
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
