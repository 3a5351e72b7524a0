// The list of posts. Tags and pagination are links to separate pages, so everything except the search works without
// JavaScript. The search calls the site's API, and the state machine in state.ts determines what is shown.

import arrowLeft from "@phosphor-icons/core/assets/regular/arrow-left.svg";
import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import warning from "@phosphor-icons/core/assets/regular/warning-circle.svg";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { BlogExplorer as Props } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { useAnnouncement } from "../../lib/announce";
import { Icon } from "../../lib/icon";
import { SearchField } from "../../lib/search-field";
import { fill } from "../../lib/words";
import { Card, type Frame } from "./card";
import { useExplorer } from "./explorer";
import { type Entry, type Failure, target } from "./state";

/** Fraction of the "load more" element that must be visible before the next page is requested, from 0 to 1. */
const VISIBLE_RATIO = 0.1;

export default function BlogExplorer(props: Props): ReactNode {
  const { posts, pagination, heading, lead, base, api, lang, tagSlug, messages, error, errorMessage } = props;
  const source = { api, lang, tagSlug, perPage: pagination.per_page };
  const initial = { found: { posts, pagination }, failed: error, placeholders: props.placeholders };
  const [state, dispatch] = useExplorer(source, initial);
  const { input, entries, request, failure, hasMore } = state;

  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isHydrated = useHydrated();
  const query = target(state);
  const isSearching = request !== null && request.purpose !== "more";
  const isLoadingMore = request?.purpose === "more";

  const frame: Frame = { base: base.href, team: props.team, dates: props.dates, messages };
  const words = { count: String(state.pagination.total), query };
  const [one, many] = query === "" ? [messages.article, messages.articles] : [messages.articleFound, messages.articlesFound];
  const count = fill(state.pagination.total === 1 ? one : many, words);
  const trouble = failure && failureMessage(failure, errorMessage, messages);
  const status = isSearching ? messages.searchingArticles : isLoadingMore ? messages.loadingMoreArticles : count;
  const announcement = useAnnouncement(trouble ?? status);

  const clear = (): void => {
    dispatch({ type: "cleared" });
    field.current?.focus();
  };
  const focusOnNext = useFocusOnNext(list, entries.length);

  return (
    <div className="blog-explorer">
      <header className="blog-explorer__head">
        <h1 className="blog-explorer__title">{query === "" ? heading : messages.searchResults}</h1>
        {lead !== "" && <div className="blog-explorer__lead flow" dangerouslySetInnerHTML={{ __html: lead }} />}
      </header>

      <div className="blog-explorer__rail">
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            dispatch({ type: "submitted" });
          }}
        >
          <SearchField
            field={field}
            value={input}
            label={messages.searchArticlesLabel}
            placeholder={messages.searchArticles}
            clear={messages.clear}
            onType={(text) => dispatch({ type: "typed", text })}
            onClear={clear}
          />
        </form>
        <h2 className="blog-explorer__label">{messages.topics}</h2>
        <ul className="blog-explorer__topics">
          {props.topics.map(({ name, link, current }) => (
            <li key={name}>
              <Anchor className="chip" link={link} {...(current ? { "aria-current": "true" } : {})}>
                {name}
              </Anchor>
            </li>
          ))}
        </ul>
        {!trouble && <p className="blog-explorer__count">{count}</p>}
      </div>

      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      <div className="blog-explorer__posts" ref={list} aria-busy={request !== null}>
        {isSearching && <Spinner words={messages.searchingArticles} />}
        {failure && failure !== "more" && trouble !== null && <Trouble words={trouble} messages={messages} />}
        {!failure && entries.length === 0 && <NoResults query={query} base={base} messages={messages} onClear={clear} />}
        {entries.map((entry, at) =>
          entry.kind === "post" ? (
            <Card post={entry.post} frame={frame} isFirst={at === 0 && pagination.current_page === 1} key={entry.post.id} />
          ) : (
            <PlaceholderCard entry={entry} messages={messages} key={entry.id} />
          ),
        )}
        {isLoadingMore && <Spinner words={messages.loadingMoreArticles} />}
        {failure === "more" && trouble !== null && <Trouble words={trouble} messages={messages} />}
        {isHydrated && hasMore && !isSearching && (
          <LoadMore
            words={messages.loadMoreArticles}
            isBusy={isLoadingMore}
            count={entries.length}
            onPress={() => {
              focusOnNext();
              dispatch({ type: "more" });
            }}
            onView={() => dispatch({ type: "more" })}
          />
        )}
        {/* A list that starts after the first page keeps the links to earlier pages. */}
        {(!isHydrated || pagination.current_page > 1) && query === "" && !error && <Pages {...props} />}
      </div>
    </div>
  );
}

/** Returns false in prerendered markup and in the first render, true after hydration. */
function useHydrated(): boolean {
  const [isHydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  return isHydrated;
}

/** Returns a function that moves focus to the first of the posts that are appended next. */
function useFocusOnNext(list: RefObject<HTMLDivElement | null>, count: number): () => void {
  const from = useRef<number | null>(null);
  useEffect(() => {
    if (from.current === null || count <= from.current) return;
    list.current?.querySelectorAll<HTMLElement>(".post-card__link")[from.current]?.focus();
    from.current = null;
  }, [list, count]);
  return () => {
    from.current = count;
  };
}

const failureMessage = (failure: Failure, pageMessage: string | null, messages: Props["messages"]): string =>
  failure === "more" ? messages.cannotLoadArticles : ((failure === "page" && pageMessage) || messages.cannotSearchArticles);

function Spinner({ words }: { words: string }): ReactNode {
  return (
    <p className="blog-explorer__spinner">
      <svg className="blog-explorer__span" viewBox="0 0 48 24" aria-hidden="true" focusable="false">
        <path pathLength={1} d="M2 22C10 4 38 4 46 22" />
      </svg>
      {words}
    </p>
  );
}

function Trouble({ words, messages }: { words: string; messages: Props["messages"] }): ReactNode {
  return (
    <div className="blog-explorer__trouble" role="alert">
      <h2 className="blog-explorer__trouble-title">
        <Icon svg={warning} />
        {messages.somethingWentWrong}
      </h2>
      <p>{words}</p>
      <button className="button button--primary" type="button" onClick={() => location.reload()}>
        {messages.tryAgain}
      </button>
    </div>
  );
}

interface NoResultsProps {
  query: string;
  base: Props["base"];
  messages: Props["messages"];
  onClear: () => void;
}

function NoResults({ query, base, messages, onClear }: NoResultsProps): ReactNode {
  return (
    <div className="blog-explorer__nothing">
      <h2 className="blog-explorer__nothing-title">{messages.noArticlesTitle}</h2>
      <p>{query === "" ? messages.noArticles : messages.noArticlesForQuery}</p>
      {query === "" ? (
        <Anchor className="button button--primary" link={base}>
          {messages.showAllArticles}
        </Anchor>
      ) : (
        <button className="button button--primary" type="button" onClick={onClear}>
          {messages.clearSearch}
        </button>
      )}
    </div>
  );
}

/** A card without a link, shown in placeholder mode in place of posts that could not be loaded. */
function PlaceholderCard({ entry, messages }: { entry: Extract<Entry, { kind: "placeholder" }>; messages: Props["messages"] }): ReactNode {
  const { query } = entry;
  return (
    <article className="post-card">
      <div className="post-card__picture blog-explorer__placeholder" />
      <div className="post-card__words">
        <h2 className="post-card__title">
          {query === "" ? messages.placeholderArticle : fill(messages.placeholderResult, { query })}
        </h2>
        <p className="post-card__excerpt">{messages.placeholderExcerpt}</p>
      </div>
    </article>
  );
}

interface LoadMoreProps {
  words: string;
  isBusy: boolean;
  /** Number of posts in the list. The observer restarts when it changes, in case the element is still visible. */
  count: number;
  onPress: () => void;
  onView: () => void;
}

function LoadMore({ words, isBusy, count, onPress, onView }: LoadMoreProps): ReactNode {
  const marker = useRef<HTMLDivElement>(null);
  const view = useRef(onView);
  view.current = onView;
  useEffect(() => {
    if (!marker.current || isBusy) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((entry) => entry.isIntersecting)) view.current();
      },
      { threshold: VISIBLE_RATIO },
    );
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [isBusy, count]);
  return (
    <div className="blog-explorer__more" ref={marker}>
      {/* A button with the attribute `disabled` would lose focus during the request. */}
      <button className="button button--secondary" type="button" aria-disabled={isBusy} onClick={onPress}>
        {words}
      </button>
    </div>
  );
}

/** Links to numbered pages. The markup matches the macro `pagination` in `templates/components/pagination/`. */
function Pages({ pages, pagination, messages }: Props): ReactNode {
  const current = pagination.current_page;
  if (pages.length < 2) return null;
  const at = (wanted: number) => pages.find(({ number }) => number === wanted);
  const [previous, next] = [at(current - 1), at(current + 1)];
  return (
    <nav className="pagination" aria-label={messages.pages}>
      {previous && (
        <Anchor className="pagination__step" link={previous.link}>
          <Icon svg={arrowLeft} />
          {messages.previous}
        </Anchor>
      )}
      <ol className="pagination__list">
        {pages.map(({ number, link }) => (
          <li key={number}>
            <Anchor
              className="pagination__page"
              link={link}
              aria-label={fill(messages.pageNumber, { number: String(number) })}
              {...(number === current ? { "aria-current": "page" } : {})}
            >
              {number}
            </Anchor>
          </li>
        ))}
      </ol>
      {next && (
        <Anchor className="pagination__step" link={next.link}>
          {messages.next}
          <Icon svg={arrowRight} />
        </Anchor>
      )}
    </nav>
  );
}
