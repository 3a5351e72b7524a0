// The list of case studies. Its filters are links to separate pages, so everything except the search works without
// JavaScript. The search filters the listed studies while the visitor types, and keeps the query in the URL, so that a
// reload or a shared link shows the same results.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import x from "@phosphor-icons/core/assets/regular/x.svg";
import { type MouseEvent, memo, type ReactNode, useMemo, useRef } from "react";
import type { FilterGroup, CaseExplorer as Props, StudyCard } from "../../generated/wire";
import { withQuery } from "../../lib/address";
import { Anchor } from "../../lib/anchor";
import { useAnnouncement } from "../../lib/announce";
import { Chip } from "../../lib/chip";
import { Icon } from "../../lib/icon";
import { Picture } from "../../lib/picture";
import { useQuery } from "../../lib/query";
import { SearchField } from "../../lib/search-field";
import { Sheet } from "../../lib/sheet";
import { fill } from "../../lib/words";
import { nameOf, search, searchable } from "./filter";

/** Number of studies from which the list follows the field after a pause, so that no key waits for the list. */
const MANY = 100;

export default function CaseExplorer({ list: all, groups, filter, studies, messages }: Props): ReactNode {
  const [query, shown, setQuery] = useQuery(studies.length >= MANY);
  const field = useRef<HTMLInputElement>(null);
  const texts = useMemo(() => searchable(studies), [studies]);
  const found = useMemo(() => search(texts, shown), [texts, shown]);
  // All studies stay in the document, and those that are not found are hidden: a key changes attributes, not elements. The
  // list is the same object until the results change, so React skips it when only the field changes.
  const list = useMemo(() => {
    if (studies.length === 0) return null;
    const matches = new Set(found);
    return (
      <ul className="case-explorer__list" hidden={found.length === 0}>
        {studies.map((study) => (
          <Row study={study} isHidden={!matches.has(study)} key={study.link.href} />
        ))}
      </ul>
    );
  }, [studies, found]);

  const isSearching = shown.trim() !== "";
  const number = String(found.length);
  const count = found.length === 0 ? messages.noCaseStudies : fill(messages.caseStudiesFound, { count: number });
  const announcement = useAnnouncement(count);
  const kinds: Record<string, { title: string; type: string }> = {
    service: { title: messages.services, type: messages.filterService },
    tech: { title: messages.technologies, type: messages.filterTech },
    sector: { title: messages.sectors, type: messages.filterSector },
  };
  const filteredBy =
    filter && fill(messages.filteredBy, { type: kinds[filter.kind]?.type ?? filter.kind, name: nameOf(filter.id) });

  // Without a filter, the link would lead to the current page, so it only clears the search.
  const clear = (event: MouseEvent): void => {
    if (filter) return;
    event.preventDefault();
    setQuery("");
    field.current?.focus();
  };
  const clearLink = (className: string, words: string): ReactNode => (
    <Anchor className={className} link={all} onClick={clear}>
      <Icon svg={x} />
      {words}
    </Anchor>
  );

  return (
    <div className="case-explorer">
      <SearchField
        className="case-explorer__search"
        field={field}
        value={query}
        label={messages.searchLabel}
        placeholder={messages.searchCaseStudies}
        clear={messages.clear}
        onType={setQuery}
      />

      <Sheet id="case-filters" className="case-explorer__rail" title={messages.filters} active={filter ? 1 : 0}>
        <h2 className="visually-hidden">{messages.filters}</h2>
        {groups.map((group) => (
          <Group
            key={group.kind}
            group={group}
            title={kinds[group.kind]?.title ?? group.kind}
            current={filter?.kind === group.kind ? filter.id : ""}
            query={shown}
          />
        ))}
      </Sheet>

      <div className="case-explorer__results">
        <div className="case-explorer__summary">
          <h2 className="case-explorer__count">{count}</h2>
          {filteredBy && <p className="case-explorer__filter">{filteredBy}</p>}
          {(filter || isSearching) && found.length > 0 && clearLink("case-explorer__clear", messages.clearFilters)}
        </div>
        <p className="visually-hidden" role="status">
          {announcement}
        </p>
        {found.length === 0 && (
          <div className="case-explorer__none">
            <div className="art-missing" aria-hidden="true" />
            <p>{messages.noCaseStudiesHint}</p>
            {clearLink("button button--primary", messages.clearAllFilters)}
          </div>
        )}
        {list}
      </div>
    </div>
  );
}

interface GroupProps {
  group: FilterGroup;
  title: string;
  /** Id of the active entry; empty if no entry of the group is active. */
  current: string;
  query: string;
}

const Group = memo(function Group({ group, title, current, query }: GroupProps): ReactNode {
  return (
    <section className="case-explorer__group">
      <h3 className="case-explorer__group-title">{title}</h3>
      <ul className="case-explorer__chips">
        {group.entries.map(({ id, name, count, link }) => (
          <li key={id}>
            <Chip name={name} count={count} link={{ ...link, href: withQuery(link.href, query) }} isCurrent={id === current} />
          </li>
        ))}
      </ul>
    </section>
  );
});

/** A study of the list. A key that hides or shows it renders the element around its card, and not the card. */
const Row = memo(function Row({ study, isHidden }: { study: StudyCard; isHidden: boolean }): ReactNode {
  return (
    <li className="case-explorer-card" hidden={isHidden}>
      <Card study={study} />
    </li>
  );
});

/** It renders again only if its study has changed. */
const Card = memo(function Card({ study }: { study: StudyCard }): ReactNode {
  return (
    <>
      {study.picture && (
        <div className="case-explorer-card__picture">
          <Picture picture={study.picture} sizes="(max-width: 620px) 92vw, (max-width: 1000px) 46vw, 30vw" />
        </div>
      )}
      <div className="case-explorer-card__body">
        <p className="case-explorer-card__client">{study.client}</p>
        <h3 className="case-explorer-card__title">
          <Anchor className="case-explorer-card__link stretched-link" link={study.link}>
            {study.title}
          </Anchor>
        </h3>
        <p className="case-explorer-card__text">{study.description}</p>
        <p className="case-explorer-card__metric">
          <b className="case-explorer-card__number">
            <bdi>{study.metric}</bdi>
          </b>{" "}
          <span>{study.metricLabel}</span>
        </p>
        <div className="case-explorer-card__foot">
          <ul className="case-explorer-card__sectors">
            {study.sectors.map((sector) => (
              <li key={sector}>{sector}</li>
            ))}
          </ul>
          <Icon svg={arrowRight} isArrow />
        </div>
      </div>
    </>
  );
});
