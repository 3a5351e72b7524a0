// A form in steps and the browser around it: one history entry for each step, and the focus on what is new.

import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

/** Steps are numbered from 1. */
interface Steps {
  /** The name under which history entries keep the step of this form. */
  name: string;
  /** The step that the history should be at. */
  step: number;
  /** Whether the form has its draft, and what was typed before it was hydrated. */
  isReady: boolean;
  /** Whether the form would show another step if the visitor navigated to this one. The input may not allow it. */
  isMove: (step: number) => boolean;
  /** The visitor navigated to the entry of a step. */
  onWent: (step: number) => void;
  /** Called once the entries agree with the step, and again whenever `settlesFor` changes. */
  onSettled?: () => void;
  settlesFor?: unknown;
}

/** The step of the current history entry, or null if the form has not written the entry. */
export const entryStep = (name: string): number | null => {
  const step: unknown = (history.state as Record<string, unknown> | null)?.[name];
  return typeof step === "number" ? step : null;
};

/** The state of an entry for a step, with what others have written there. */
const stateOf = (name: string, step: number): object => ({ ...(history.state as object | null), [name]: step });

export const writeEntry = (name: string, step: number): void => history.replaceState(stateOf(name, step), "");

interface Navigation {
  currentEntry: { index: number } | null;
  entries(): { sameDocument: boolean }[];
}

/** Whether the history entry at a distance belongs to this document. Going to another one would load the page again. */
const isInDocument = (distance: number): boolean => {
  const { navigation } = globalThis as { navigation?: Navigation };
  return navigation ? navigation.entries()[(navigation.currentEntry?.index ?? 0) + distance]?.sameDocument === true : true;
};

/**
 * Keeps one history entry for each step up to the current one, whether the visitor went there step by step, reloaded,
 * or came back to a draft. The form decides, and the history follows: a step forward adds entries, a step back
 * navigates. Only when the visitor navigates, the form follows the history, as far as the input allows.
 */
export function useStepHistory({ name, step, isReady, isMove, onWent, onSettled, settlesFor }: Steps): void {
  /** A navigation of `follow` is under way. It ends with the event `popstate`. */
  const isNavigating = useRef(false);

  const follow = useEffectEvent((): void => {
    if (isNavigating.current) return;
    if (entryStep(name) === null) writeEntry(name, 1);
    const current = entryStep(name) ?? 1;
    if (current > step && !isInDocument(step - current)) writeEntry(name, step);
    else if (current > step) {
      isNavigating.current = true;
      history.go(step - current);
      return;
    }
    for (let next = current + 1; next <= step; next += 1) history.pushState(stateOf(name, next), "");
    onSettled?.();
  });

  const went = useEffectEvent((): void => {
    const wasOwn = isNavigating.current;
    isNavigating.current = false;
    const shown = entryStep(name);
    if (shown === null) return;
    // An entry may stand for a step that was left in the meantime, or that the input does not allow.
    if (wasOwn || !isMove(shown)) follow();
    else onWent(shown);
  });

  useEffect(() => {
    addEventListener("popstate", went);
    return () => removeEventListener("popstate", went);
  }, []);

  useEffect(() => {
    if (isReady) follow();
  }, [isReady, step, settlesFor]);
}

interface Focus {
  step: number;
  isReady: boolean;
  /** Whether the focus goes elsewhere: to a field with an error. */
  isLed?: boolean;
  /** Whether a step that a draft restores takes no focus: the form may be anywhere on its page. */
  isQuietAtFirst?: boolean;
  /** The heading of the current step. */
  heading: RefObject<HTMLElement | null>;
  /** The time between a change of the step and the scroll to it, in milliseconds. */
  delay: number;
}

/** Moves focus to the heading of each new step, and scrolls to it after a delay, unless the visitor presses something first. */
export function useStepFocus({ step, isReady, isLed = false, isQuietAtFirst = false, heading, delay }: Focus): void {
  const shown = useRef(step);
  const isFirst = useRef(isQuietAtFirst);
  useEffect(() => {
    if (!isReady) return undefined;
    if (isFirst.current) {
      isFirst.current = false;
      shown.current = step;
    }
    if (shown.current === step) return undefined;
    shown.current = step;
    if (isLed) return undefined;
    heading.current?.focus({ preventScroll: true });
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setTimeout(
      () => heading.current?.closest("[data-place], form")?.scrollIntoView({ behavior: calm ? "auto" : "smooth" }),
      delay,
    );
    // A visitor who is already pressing something would let go of it at another place, and nothing would be clicked.
    const cancel = (): void => clearTimeout(timer);
    addEventListener("pointerdown", cancel);
    return () => {
      cancel();
      removeEventListener("pointerdown", cancel);
    };
  }, [heading, delay, isLed, isReady, step]);
}
