// The icon gallery: filters icons by name, and copies their name or SVG source. Each icon is a `<symbol>` in the page,
// so it needs no request and is not repeated in the props.

import { type ReactNode, useId, useState } from "react";
import type { GuideIcons as Props } from "../../generated/wire";
import { useAnnouncement } from "../../lib/announce";
import { useCopy } from "../../lib/copy";
import { hasAll, wordsOf } from "../../lib/match";
import { SearchField } from "../../lib/search-field";
import { fill } from "../../lib/words";

/** The source of an SVG file, generated from a symbol of the page. */
const svg = (symbol: string): string => {
  const inner = document.getElementById(symbol)?.innerHTML ?? "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256" fill="currentColor">${inner}</svg>`;
};

export default function GuideIcons({ names, messages }: Props): ReactNode {
  const [query, setQuery] = useState("");
  const [suffix, setSuffix] = useState("");
  const [status, copy] = useCopy(messages);
  const id = useId();
  const wanted = wordsOf(query);
  const found = names.filter((name) => hasAll(name, wanted));
  const count = fill(messages.iconsFound, { count: String(found.length), total: String(names.length) });
  const announced = useAnnouncement(found.length > 0 ? count : messages.noIcons);
  const styles: [string, string][] = [
    ["", messages.iconLinear],
    ["-fill", messages.iconFilled],
  ];
  return (
    <div className="guide-icons__gallery">
      <div className="guide-icons__tools" data-needs-script="">
        <SearchField
          value={query}
          label={messages.filterIconsLabel}
          placeholder={messages.filterIcons}
          clear={messages.clear}
          onType={setQuery}
        />
        <fieldset className="guide-icons__styles" aria-label={messages.copySvg}>
          {styles.map(([value, label]) => (
            <label className="guide-icons__style" key={value}>
              <input type="radio" name={id} checked={suffix === value} onChange={() => setSuffix(value)} />
              {label}
            </label>
          ))}
        </fieldset>
        <p className="guide-icons__count">{count}</p>
      </div>
      {found.length === 0 && <p>{messages.noIcons}</p>}
      <ul className="guide-icons__list">
        {found.map((name) => (
          <li className="guide-icons__item" key={name}>
            <span className="guide-icons__pair" aria-hidden="true">
              {styles.map(([style]) => (
                // biome-ignore lint/a11y/noSvgWithoutTitle: the pair is hidden from screen readers; its name follows as text.
                <svg
                  className={style === suffix ? "is-chosen" : undefined}
                  viewBox="0 0 256 256"
                  width="32"
                  height="32"
                  fill="currentColor"
                  key={style}
                >
                  <use href={`#icon-${name}${style}`} />
                </svg>
              ))}
            </span>
            <span className="guide-icons__name">{name}</span>
            <span className="guide-icons__copies" data-needs-script="">
              <button type="button" onClick={() => copy(`${name}${suffix}`)}>
                {messages.copyName}
                <span className="visually-hidden"> {name}</span>
              </button>
              <button type="button" onClick={() => copy(svg(`icon-${name}${suffix}`), `${name}${suffix}.svg`)}>
                {messages.copySvg}
                <span className="visually-hidden"> {name}</span>
              </button>
            </span>
          </li>
        ))}
      </ul>
      <p className="guide-icons__said" role="status">
        {status}
      </p>
      <p className="visually-hidden" role="status">
        {announced}
      </p>
    </div>
  );
}
