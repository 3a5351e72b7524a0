// The query of a search within a list that is in the page, in its field and in the URL.

import { startTransition, useEffect, useState, useSyncExternalStore } from "react";
import { onReturn, queryOfAddress, writeQuery } from "./address";

/** How long the visitor has to pause before a long list follows, in milliseconds: longer than between two keys. */
const PAUSE = 150;

/**
 * The search query, which is stored in the URL. It is empty in the first render to match the prerendered markup, and is
 * read from the URL after hydration. In a long list, the results and the URL follow the field after a pause.
 *
 * Returns the query in the field, the query whose results are shown, and a function that sets the query.
 */
export function useQuery(isLong: boolean): [string, string, (query: string) => void] {
  const kept = useSyncExternalStore(onReturn, queryOfAddress, () => "");
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => onReturn(() => setTyped(null)), []);
  const query = typed ?? kept;
  const [settled, setSettled] = useState(query);
  const shown = isLong ? settled : query;
  useEffect(() => {
    if (!isLong) return undefined;
    const timer = setTimeout(() => startTransition(() => setSettled(query)), PAUSE);
    return () => clearTimeout(timer);
  }, [isLong, query]);
  useEffect(() => {
    if (typed === shown) writeQuery(shown, false);
  }, [typed, shown]);
  return [query, shown, setTyped];
}
