// The list of posts. Tags and pagination are links to separate pages, so everything except the search works without
// JavaScript. The search calls the site's API, and the state machine in state.ts determines what is shown.

import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import type { BlogExplorer as Props } from "../../generated/wire";
import { useAnnouncement } from "../../lib/announce";
import { Chip } from "../../lib/chip";
import { useHydrated } from "../../lib/hydrated";
import { Pagination } from "../../lib/pagination";
import { SearchField } from "../../lib/search-field";
import { fill } from "../../lib/words";
import { Card } from "./card";
import { SharedValues } from "./context";
import { useExplorer } from "./explorer";
import { Failed, NoResults, PlaceholderCard, Spinner } from "./notices";
import { useRoom } from "./room";
import { type Failure, target } from "./state";

export default function BlogExplorer(props: Props): ReactNode {
  const { posts, pagination, heading, lead, base, api, lang, tagSlug, team, dates, messages, error, errorMessage } = props;
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

  const shared = useMemo(() => ({ base, team, dates, messages }), [base, team, dates, messages]);
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
  const more = (): void => dispatch({ type: "more" });
  const focusOnNext = useFocusOnNext(list, entries.length);
  useTopOfResults(list, state.query, state.requests > 0);
  const left = Math.max(1, state.pagination.total - entries.length);
  const next = hasMore ? Math.min(state.pagination.per_page, left) : 0;
  const content = useMemo(() => ({ entries, failure }), [entries, failure]);
  // The same object until the entries change, so React skips all cards when only the field changes. The results of
  // another search are other elements: a post that is in both lists does not move to its new place in sight.
  const isFirstPage = pagination.current_page === 1;
  const cards = useMemo(
    () =>
      entries.map((entry, at) =>
        entry.kind === "post" ? (
          <Card post={entry.post} isFirst={at === 0 && isFirstPage} key={`${state.query} ${entry.post.id}`} />
        ) : (
          <PlaceholderCard query={entry.query} key={entry.id} />
        ),
      ),
    [entries, isFirstPage, state.query],
  );
  const makeRoom = useRoom({ list, content, next, onEnd: more });

  return (
    <SharedValues value={shared}>
      <div className="blog-explorer">
        <header className="blog-explorer__head">
          <h1 className="blog-explorer__title">{query === "" ? heading : messages.searchResults}</h1>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
          {lead !== "" && <div className="blog-explorer__lead flow" dangerouslySetInnerHTML={{ __html: lead }} />}
        </header>

        <div className="blog-explorer__rail">
          <SearchField
            field={field}
            value={input}
            label={messages.searchArticlesLabel}
            placeholder={messages.searchArticles}
            clear={messages.clear}
            onType={(text) => dispatch({ type: "typed", text })}
            onClear={clear}
            onSubmit={() => dispatch({ type: "submitted" })}
          />
          <h2 className="blog-explorer__label">{messages.topics}</h2>
          <ul className="blog-explorer__topics">
            {props.topics.map(({ name, link, current }) => (
              <li key={name}>
                <Chip name={name} link={link} current={current ? "true" : undefined} />
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
          {failure && failure !== "more" && trouble !== null && <Failed words={trouble} />}
          {!failure && entries.length === 0 && <NoResults query={query} onClear={clear} />}
          {cards}
          {failure === "more" && trouble !== null && <Failed words={trouble} />}
          {isHydrated && (
            <div className={`blog-explorer__room${hasMore ? " blog-explorer__room--next" : ""}`} key={`room ${entries.length}`}>
              {isLoadingMore && <Spinner words={messages.loadingMoreArticles} />}
            </div>
          )}
          {isHydrated && hasMore && !isSearching && (
            <div className="blog-explorer__more">
              {/* A button with the attribute `disabled` would lose focus during the request. */}
              <button
                className="button button--secondary"
                type="button"
                aria-disabled={isLoadingMore}
                onClick={() => {
                  focusOnNext();
                  makeRoom();
                  more();
                }}
              >
                {messages.loadMoreArticles}
              </button>
            </div>
          )}
          {/* A list that starts after the first page keeps the links to earlier pages. */}
          {(!isHydrated || pagination.current_page > 1) && query === "" && !error && (
            <Pagination pages={props.pages} current={pagination.current_page} messages={messages} />
          )}
        </div>
      </div>
    </SharedValues>
  );
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

/** Scrolls back to the beginning of the list when a search has changed it: its field stays in sight on large screens. */
function useTopOfResults(list: RefObject<HTMLDivElement | null>, query: string, isSearched: boolean): void {
  const shown = useRef(query);
  useEffect(() => {
    if (shown.current === query) return;
    shown.current = query;
    if (isSearched && list.current && list.current.getBoundingClientRect().top < 0)
      list.current.scrollIntoView({ behavior: "instant" });
  }, [list, query, isSearched]);
}

const failureMessage = (failure: Failure, pageMessage: string | null, messages: Props["messages"]): string =>
  failure === "more" ? messages.cannotLoadArticles : (failure === "page" && pageMessage) || messages.cannotSearchArticles;
