// Questions and answers of which one is open at a time: the browser closes other `<details>` elements of the same name.
// This island is never hydrated, because it needs no JavaScript.

import type { ReactNode } from "react";
import type { Faq as Props } from "../../generated/wire";

export default function Faq({ name, items }: Props): ReactNode {
  return items.map(({ question, answer, open }) => (
    <details className="faq__item" name={name} open={open} key={question}>
      <summary className="faq__question">
        <h3 className="faq__title">{question}</h3>
      </summary>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
      <div className="faq__answer flow" dangerouslySetInnerHTML={{ __html: answer }} />
    </details>
  ));
}
