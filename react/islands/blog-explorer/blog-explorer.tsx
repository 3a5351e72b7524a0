// The list of posts. Tags and pagination are links to separate pages, in the HTML of the template, so everything except
// the search works without JavaScript. The search calls the site's API, and state.ts says what is shown.

import { type ReactNode, useEffect, useRef } from "react";
import type { BlogExplorer as Props } from "../../generated/wire";
import { useAnnouncement } from "../../lib/announce";
import { SearchField } from "../../lib/search-field";
import { Sheet } from "../../lib/sheet";
import { Trouble } from "../../lib/trouble";
import { fill } from "../../lib/words";
import { Card } from "./card";
import { searchFor, useExplorer } from "./explorer";
import { makeRoom, useRoom, useWidth } from "./room";
import { more, nextPosts, target, typed } from "./state";

export default function BlogExplorer(props: Props): ReactNode {
  const { heading, lead, topics, pages, base, messages, errorMessage } = props;
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [state, change] = useExplorer(props, list);
  const { input, posts, placeholders, pagination, request, failure } = state;
  const width = useWidth();
  const isHydrated = width > 0;

  const query = target(state);
  const isSearching = request?.page === 1;
  const isLoadingMore = !!request && !isSearching;
  const { total } = pagination;
  const [one, many] = query ? [messages.articleFound, messages.articlesFound] : [messages.article, messages.articles];
  const count = fill(total === 1 ? one : many, { count: String(total), query });
  const trouble =
    failure &&
    (failure === "more" ? messages.cannotLoadArticles : (failure === "page" && errorMessage) || messages.cannotSearchArticles);
  const progress = isSearching ? messages.searchingArticles : messages.loadingMoreArticles;
  const announcement = useAnnouncement(trouble || (request ? progress : count));
  // The current topic leads back to all of them.
  const isOfTopic = topics.includes("aria-current");
  const spinner = (
    <p className="blog-explorer__spinner">
      <svg className="blog-explorer__arch" viewBox="0 0 48 24" aria-hidden="true" focusable="false">
        <path pathLength={1} d="M2 22C10 4 38 4 46 22" />
      </svg>
      {progress}
    </p>
  );

  const clear = (): void => {
    searchFor(change, "");
    field.current?.focus();
  };
  const next = nextPosts(state);
  const load = (): void => change(more);
  useRoom({ list, posts: isSearching ? null : posts, next, width, onEnd: load });

  // The first of the posts that are appended after a press of the button gets the focus.
  const focusOn = useRef(-1);
  useEffect(() => {
    const link = list.current?.querySelectorAll<HTMLElement>(".post-card__link")[focusOn.current];
    if (!link) return;
    link.focus();
    focusOn.current = -1;
  }, [posts]);

  return (
    <div className="blog-explorer">
      <header className="blog-explorer__head">
        <h1 className="blog-explorer__title">{query ? messages.searchResults : heading}</h1>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
        {lead && <div className="blog-explorer__lead flow" dangerouslySetInnerHTML={{ __html: lead }} />}
      </header>

      <div className="blog-explorer__rail">
        <SearchField
          field={field}
          value={input}
          label={messages.searchArticlesLabel}
          placeholder={messages.searchArticles}
          clear={messages.clear}
          onType={(text) => change(typed(text))}
          onClear={clear}
          onSubmit={() => searchFor(change, input, true)}
        />
        <Sheet id="blog-topics" className="blog-explorer__sheet" title={messages.topics} active={isOfTopic ? 1 : 0}>
          <h2 className="blog-explorer__label">{messages.topics}</h2>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the template of the list makes this HTML. */}
          <ul className="blog-explorer__topics" dangerouslySetInnerHTML={{ __html: topics }} />
        </Sheet>
      </div>
      <p className="blog-explorer__count">
        {!trouble && count}
        {!trouble && isOfTopic && !query && (
          <>
            {" "}
            <a className="blog-explorer__all" href={base.href}>
              {messages.showAllArticles}
            </a>
          </>
        )}
      </p>

      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      <div className="blog-explorer__posts" ref={list} aria-busy={!!request}>
        {isSearching && spinner}
        {!failure && posts.length + placeholders.length === 0 && (
          <div className="blog-explorer__nothing">
            <div className="art-missing" aria-hidden="true" />
            <h2 className="blog-explorer__nothing-title">{messages.noArticlesTitle}</h2>
            <p>{query ? messages.noArticlesForQuery : messages.noArticles}</p>
            {query ? (
              <button className="button button--primary" type="button" onClick={clear}>
                {messages.clearSearch}
              </button>
            ) : (
              <a className="button button--primary" href={base.href}>
                {messages.showAllArticles}
              </a>
            )}
          </div>
        )}
        {/* The results of another search are other elements: a post that is in both does not move to its new place in sight. */}
        {posts.map((post, at) => (
          <Card
            post={post}
            isFirst={at === 0 && props.pagination.current_page === 1}
            list={props}
            key={`${state.query} ${post.id}`}
          />
        ))}
        {placeholders.map((of, at) => (
          <article className="post-card" key={String(at)}>
            <div className="post-card__picture blog-explorer__placeholder" />
            <div className="post-card__words">
              <h2 className="post-card__title">
                {of ? fill(messages.placeholderResult, { query: of }) : messages.placeholderArticle}
              </h2>
              <p className="post-card__excerpt">{messages.placeholderExcerpt}</p>
            </div>
          </article>
        ))}
        {trouble && posts.length === 0 && <div className="art-missing art-missing--loose" aria-hidden="true" />}
        {trouble && (
          <Trouble heading={messages.somethingWentWrong} message={trouble}>
            <button className="button button--primary" type="button" onClick={() => location.reload()}>
              {messages.tryAgain}
            </button>
          </Trouble>
        )}
        <div className={`blog-explorer__room${next ? " blog-explorer__room--next" : ""}`} key={`room ${posts.length}`}>
          {isLoadingMore && spinner}
        </div>
        {isHydrated && next > 0 && !isSearching && (
          <div className="blog-explorer__more">
            {/* A button with the attribute `disabled` would lose focus during the request. */}
            <button
              className="button button--secondary"
              type="button"
              aria-disabled={isLoadingMore}
              onClick={() => {
                focusOn.current = posts.length;
                if (list.current) makeRoom(list.current, next);
                load();
              }}
            >
              {messages.loadMoreArticles}
            </button>
          </div>
        )}
        {/* A list that starts after the first page keeps the links to earlier pages. */}
        {(!isHydrated || props.pagination.current_page > 1) && !query && pages && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the template of the list makes this HTML.
          <div className="blog-explorer__pages" dangerouslySetInnerHTML={{ __html: pages }} />
        )}
      </div>
    </div>
  );
}
