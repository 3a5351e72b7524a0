// The style guide's search, over an index that is generated at build time. `/` focuses the field, arrow keys select a
// result, and Enter follows it. Without JavaScript, all entries are listed by page.

import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { GuideSearch as Props } from "../../generated/wire";
import { useAnnouncement } from "../../lib/announce";
import { SearchField } from "../../lib/search-field";
import { fill } from "../../lib/words";
import { find, mark } from "./find";

function Highlight({ text, query }: { text: string; query: string }): ReactNode {
  return mark(text, query).map(([part, isFound], index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to be told apart by, and no state.
    isFound ? <mark key={index}>{part}</mark> : part,
  );
}

export default function GuideSearch({ groups, messages }: Props): ReactNode {
  const [query, setQuery] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const found = find(groups, query);
  const count = found.reduce((sum, group) => sum + Math.max(group.entries.length, 1), 0);
  const result =
    count === 0
      ? messages.guideNoResults
      : fill(count === 1 ? messages.guideResult : messages.guideResults, { count: String(count) });
  const announced = useAnnouncement(result);

  useEffect(() => {
    const reach = (event: globalThis.KeyboardEvent): void => {
      const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable]") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", reach);
    return () => removeEventListener("keydown", reach);
  }, []);

  const move = (event: KeyboardEvent): void => {
    const links = [...(root.current?.querySelectorAll<HTMLAnchorElement>("a.guide-search__link") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? field.current : links[Math.min(next, links.length - 1)])?.focus();
    } else if (event.key === "Enter" && event.target === field.current && query.trim() !== "") {
      event.preventDefault();
      links[0]?.click();
    } else if (event.key === "Escape" && at >= 0) {
      field.current?.focus();
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are pressed in the field and the links inside.
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: the keys are pressed in the field and the links inside.
    <div className="guide-search__results" ref={root} onKeyDown={move}>
      <SearchField
        field={field}
        value={query}
        label={messages.searchGuideLabel}
        placeholder={messages.searchGuide}
        clear={messages.clear}
        onType={setQuery}
      >
        <p className="guide-search__keys" data-needs-script="">
          {messages.guideKeys}
        </p>
      </SearchField>
      <p className="visually-hidden" role="status">
        {announced}
      </p>
      {count === 0 ? (
        <p className="guide-search__empty">
          <strong>{messages.guideNoResults}</strong> {messages.guideNoResultsHint}
        </p>
      ) : (
        <ul className="guide-search__groups">
          {found.map((group) => (
            <li key={group.href}>
              <a className="guide-search__link" href={group.href}>
                {group.page !== null && <span className="guide-search__page">{group.page}: </span>}
                <Highlight text={group.title} query={query} />
              </a>
              {group.entries.length > 0 && (
                <ul>
                  {group.entries.map(([name, value]) => (
                    <li key={`${name} ${value}`}>
                      <Highlight text={name} query={query} />
                      {value !== "" && (
                        <span className="guide-search__value">
                          {" "}
                          <Highlight text={value} query={query} />
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
