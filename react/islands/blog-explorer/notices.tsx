// What a list of posts shows in place of posts: that it is loading, that something failed, or that there are none.

import type { ReactNode } from "react";
import { Anchor } from "../../lib/anchor";
import { Trouble } from "../../lib/trouble";
import { fill } from "../../lib/words";
import { useShared } from "./context";

export function Spinner({ words }: { words: string }): ReactNode {
  return (
    <p className="blog-explorer__spinner">
      <svg className="blog-explorer__span" viewBox="0 0 48 24" aria-hidden="true" focusable="false">
        <path pathLength={1} d="M2 22C10 4 38 4 46 22" />
      </svg>
      {words}
    </p>
  );
}

export function Failed({ words }: { words: string }): ReactNode {
  const { messages } = useShared();
  return (
    <Trouble heading={messages.somethingWentWrong} message={words}>
      <button className="button button--primary" type="button" onClick={() => location.reload()}>
        {messages.tryAgain}
      </button>
    </Trouble>
  );
}

export function NoResults({ query, onClear }: { query: string; onClear: () => void }): ReactNode {
  const { base, messages } = useShared();
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
export function PlaceholderCard({ query }: { query: string }): ReactNode {
  const { messages } = useShared();
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
