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
  /** Whatever changes with a link that leads to a step: the entries are written again then. */
  settlesFor: unknown;
}

/** The step of the current history entry, or null if the form has not written the entry. */
export const entryStep = (name: string): number | null => {
  const step: unknown = (history.state as Record<string, unknown> | null)?.[name];
  return typeof step === "number" ? step : null;
};

/** The state of an entry for a step, with what others have written there. */
const stateOf = (name: string, step: number): object => ({ ...(history.state as object | null), [name]: step });

export const writeEntry = (name: string, step: number): void => history.replaceState(stateOf(name, step), "");

/** Gives the focus back to an element that loses it: browsers take it away when the entries have different fragments. */
const keepFocus = (element: Element | null): void => {
  setTimeout(() => {
    if (document.activeElement === document.body && element instanceof HTMLElement) element.focus({ preventScroll: true });
  });
};

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
function useStepHistory({ name, step, isReady, isMove, onWent, settlesFor }: Steps): void {
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
  });

  const went = useEffectEvent((): void => {
    const wasOwn = isNavigating.current;
    isNavigating.current = false;
    if (wasOwn) keepFocus(document.activeElement);
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
  /** Another object for each step that the visitor is led to; null if the focus goes elsewhere: to a field with an error. */
  request: object | null;
  /** The heading of the current step. */
  heading: RefObject<HTMLElement | null>;
  /** The time between a change of the step and the scroll to it, in milliseconds. */
  delay: number;
}

/**
 * Moves focus to the heading of each new step, and scrolls to it after a delay, unless the visitor presses something first. A
 * choice that was made there is in sight then, with what it opens. The heading has `data-reached` from then on.
 */
function useStepFocus({ request, heading, delay }: Focus): void {
  const lead = useEffectEvent((): (() => void) => {
    const title = heading.current;
    title?.removeAttribute("data-reached");
    title?.focus({ preventScroll: true });
    keepFocus(title);
    const timer = setTimeout(() => {
      const place = title?.closest("[data-place], form");
      const choice = place?.querySelector("[data-chosen]");
      const isCalm = choice || matchMedia("(prefers-reduced-motion: reduce)").matches;
      place?.scrollIntoView({ behavior: isCalm ? "instant" : "smooth" });
      title?.setAttribute("data-reached", "");
      if (!choice) return;
      // What leads on is at its end, and the heading may be above the screen then.
      const top = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
      const isTall = choice.getBoundingClientRect().height > innerHeight - top;
      choice.scrollIntoView({ behavior: "instant", block: isTall ? "end" : "nearest" });
      const opened = choice.querySelector<HTMLElement>(".form__recommended");
      if (opened && (title?.getBoundingClientRect().top ?? top) < top) {
        opened.tabIndex = -1;
        opened.focus({ preventScroll: true });
      }
    }, delay);
    // A visitor who presses something meanwhile would let go of it at another place, and nothing would be clicked.
    const stop = (): void => {
      clearTimeout(timer);
      scrollTo({ top: scrollY, behavior: "instant" });
      title?.setAttribute("data-reached", "");
    };
    addEventListener("pointerdown", stop, { once: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("pointerdown", stop);
    };
  });
  useEffect(() => (request === null ? undefined : lead()), [request]);
}

/** Both for a form, once it can be used. It shows nothing. */
export function Journey({ history: entries, focus }: { history: Steps; focus: Focus }): null {
  useStepHistory(entries);
  useStepFocus(focus);
  return null;
}
