// Puts a text where the visitor can paste it from, and says so.

import { useState } from "react";
import { fill } from "./words";

interface Words {
  /** With `{text}`. */
  copied: string;
  cannotCopy: string;
}

/** What was said last, for an element of role `status`, and a function that copies. */
export function useCopy({ copied, cannotCopy }: Words): [string, (text: string, name?: string) => void] {
  const [status, setStatus] = useState("");
  const copy = (text: string, name = text): void => {
    // Without the right to it, or on a page without TLS, there is no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    written.then(
      () => setStatus(fill(copied, { text: name })),
      () => setStatus(cannotCopy),
    );
  };
  return [status, copy];
}
