// The panel of a form in steps that could not be sent.

import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { SiteForm } from "../../generated/wire";
import { Trouble } from "../../lib/trouble";

interface Props {
  form: Pick<SiteForm, "id" | "messages">;
  message: string;
  submit: RefObject<HTMLDivElement | null>;
  onRetry: () => void;
  onRestart: () => void;
}

export function Failure({ form: { id, messages }, message, submit, onRetry, onRestart }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  // The panel stands below the buttons, where it moves none of them, but it may be outside the viewport.
  useEffect(() => {
    // In some browsers it returns a promise.
    void place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Trouble id={`${id}-why`} place={place} level="h3" heading={messages.submissionFailed} message={message}>
      <div className="actions">
        <button
          className="button button--primary"
          type="button"
          onClick={() => {
            // The panel goes, and the focus with it.
            submit.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
            onRetry();
          }}
        >
          {messages.tryAgain}
        </button>
        <button className="button button--secondary" type="button" onClick={onRestart}>
          {messages.startOver}
        </button>
      </div>
    </Trouble>
  );
}
