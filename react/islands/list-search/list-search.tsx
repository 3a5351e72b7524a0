// The search within a list of entries. The list is in the page, prerendered: this component hides what does not contain the
// query, and keeps the query in the URL, so that a reload or a shared link shows the same results.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ListSearch as Props } from "../../generated/wire";
import { useAnnouncement } from "../../lib/announce";
import { wordsOf } from "../../lib/match";
import { useQuery } from "../../lib/query";
import { SearchField } from "../../lib/search-field";
import { fill } from "../../lib/words";
import { narrow } from "./narrow";

export default function ListSearch({ label, messages }: Props): ReactNode {
  const root = useRef<HTMLDivElement>(null);
  const [query, , setQuery] = useQuery(false);
  const [found, setFound] = useState<number | null>(null);
  useEffect(() => {
    const list = root.current?.closest(".entries");
    const wanted = wordsOf(query);
    const count = list ? narrow(list, wanted) : 0;
    setFound(wanted.length === 0 ? null : count);
  }, [query]);

  const words = found === 1 ? messages.siteSearchOne : fill(messages.siteSearchMany, { count: String(found) });
  const state = found === 0 ? fill(messages.siteSearchNone, { query: query.trim() }) : words;
  const announcement = useAnnouncement(found === null ? "" : state);
  return (
    <div ref={root}>
      <SearchField value={query} label={label} placeholder="" clear={messages.clear} onType={setQuery} />
      <p aria-hidden="true">{found === null ? "" : state}</p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </div>
  );
}
