// The steps of a form as a list of bars, and how many of them are done.

import type { ReactNode } from "react";

interface Props {
  /** The name of each step. */
  labels: string[];
  /** The current step, from 1. */
  step: number;
  messages: { formProgress: string; stepDone: string };
}

export function Progress({ labels, step, messages }: Props): ReactNode {
  return (
    <ol className="form-steps__progress" aria-label={messages.formProgress}>
      {labels.map((label, at) => {
        const isDone = at + 1 < step;
        const isCurrent = at + 1 === step;
        return (
          <li
            className={`form-steps__bar form-steps__bar--${isDone ? "done" : isCurrent ? "current" : "open"}`}
            key={label}
            aria-current={isCurrent ? "step" : undefined}
          >
            {label}
            {isDone && <span className="visually-hidden"> ({messages.stepDone})</span>}
          </li>
        );
      })}
    </ol>
  );
}
