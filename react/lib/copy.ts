// Copies text to the clipboard and reports the result.

import { useState } from "react";
import { fill } from "./words";

interface Words {
  /** Contains the placeholder `{text}`. */
  copied: string;
  cannotCopy: string;
}

/** Returns the last result, for an element with the role `status`, and a function that copies text. */
export function useCopy({ copied, cannotCopy }: Words): [string, (text: string, name?: string) => void] {
  const [status, setStatus] = useState("");
  const copy = (text: string, name = text): void => {
    // `navigator.clipboard` is undefined in insecure contexts, and `writeText` rejects if permission is denied.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("the clipboard is not available"));
    written.then(
      () => setStatus(fill(copied, { text: name })),
      () => setStatus(cannotCopy),
    );
  };
  return [status, copy];
}
