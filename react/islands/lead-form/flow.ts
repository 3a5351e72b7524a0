// Side effects of the state machine: URL and history, the draft, and focus and scrolling between steps.

import { type Dispatch, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { draftOf, loadDraft, removeDraft, saveDraft } from "./draft";
import { EMPTY, type Fields, type Submission } from "./lead";
import { isContactValid } from "./rules";
import { type Action, byHash, chosen, picked, reduce, type State, type Step } from "./state";

/** Delay between a change of step and the scroll to it, in milliseconds. */
const DELAYS: Record<Step, number> = { 1: 100, 2: 150, 3: 200, 4: 200, 5: 500 };
/** Upper limit of the delay if `isBrisk` is set, in milliseconds. */
const BRISK_DELAY = 300;

/** The form as its hooks need it: props, state and fields. */
export interface Flow {
  form: LeadForm;
  state: State;
  dispatch: Dispatch<Action>;
  fields: UseFormReturn<Fields>;
  /** Whether the draft has been read, and input into the plain form is in the fields. */
  isReady: boolean;
}

/** The step of the current history entry, or null if the form has not written the entry. */
const entryStep = (): Step | null => (history.state as { leadStep?: Step } | null)?.leadStep ?? null;

const writeEntry = (leadStep: Step): void => history.replaceState({ leadStep }, "");

interface Navigation {
  currentEntry: { index: number } | null;
  entries(): { sameDocument: boolean }[];
}

/** Whether the history entry at a distance belongs to this document. Going to another one would load the page again. */
const isInDocument = (distance: number): boolean => {
  const { navigation } = globalThis as { navigation?: Navigation };
  return navigation ? navigation.entries()[(navigation.currentEntry?.index ?? 0) + distance]?.sameDocument === true : true;
};

const withHash = (hash: string | undefined): string =>
  location.pathname + location.search + (hash === undefined ? "" : `#${hash}`);

/**
 * Keeps one history entry for each step up to the current one, whether the visitor went there step by step, reloaded,
 * or came back to a draft. The state decides, and the history follows: a step forward adds entries, a step back
 * navigates. Only when the visitor navigates, the state follows the history, as far as the input allows.
 */
export function useHistory({ form, state, dispatch, fields, isReady }: Flow): void {
  const { choices } = form;
  /** A navigation of `follow` is under way. It ends with the event `popstate`. */
  const isNavigating = useRef(false);
  const { step } = state;
  // After success, Back leaves the page instead of returning to what has been sent.
  const target = step === 5 ? 1 : step;
  const service = step === 5 ? undefined : picked(choices, state);

  const follow = useEffectEvent((): void => {
    if (isNavigating.current) return;
    if (entryStep() === null) writeEntry(1);
    const current = entryStep() ?? 1;
    if (current > target && !isInDocument(target - current)) writeEntry(target);
    else if (current > target) {
      isNavigating.current = true;
      history.go(target - current);
      return;
    }
    for (let next = current + 1; next <= target; next += 1) history.pushState({ leadStep: next }, "");
    // The fragment of the URL names the chosen service, if the service has one.
    const hash = service?.hashes[0];
    const named = byHash(choices, location.hash)?.service;
    if (named !== (hash && service?.id)) history.replaceState(history.state, "", withHash(hash));
  });

  const went = useEffectEvent((): void => {
    const wasOwn = isNavigating.current;
    isNavigating.current = false;
    const shown = entryStep();
    if (shown === null) return;
    const event: Action = { type: "went", step: shown, isContactValid: isContactValid(fields.getValues(), form) };
    // An entry may stand for a step that was left in the meantime, or that the input does not allow.
    if (wasOwn || reduce(state, event).step === step) follow();
    else dispatch(event);
  });

  const linked = useEffectEvent((): void => {
    if (entryStep() !== null) return;
    const found = byHash(choices, location.hash);
    if (found) dispatch({ type: "deep-linked", ...found });
    // Some other fragment, such as that of the skip link.
    else writeEntry(target);
  });

  useEffect(() => {
    addEventListener("popstate", went);
    addEventListener("hashchange", linked);
    return () => {
      removeEventListener("popstate", went);
      removeEventListener("hashchange", linked);
    };
  }, []);

  useEffect(() => {
    if (isReady) follow();
  }, [isReady, target, service]);
}

/** Restores the draft once, and then saves it on each change. */
export function useDraft({ form, state, dispatch, fields, isReady }: Flow, submissionRef: RefObject<Submission | null>): void {
  const { locale } = form;
  useEffect(() => {
    const draft = loadDraft(locale, EMPTY);
    const linked = byHash(form.choices, location.hash);
    if (draft) {
      fields.reset({ ...draft.fields, ...typed(fields.getValues()) });
      submissionRef.current = draft.submission;
    }
    // A fragment takes precedence over the draft, unless the form itself set it before a reload.
    const isOwn = entryStep() !== null && draft?.service === linked?.service;
    if (linked && !isOwn) dispatch({ type: "deep-linked", ...linked });
    else if (draft) {
      // What the form offers may have changed since.
      const choice = chosen(form.choices, draft)?.id ?? null;
      const service = picked(form.choices, draft)?.id ?? null;
      dispatch({ type: "restored", step: draft.step, choice, service, isContactValid: isContactValid(draft.fields, form) });
    }
  }, [dispatch, fields, form, locale, submissionRef]);

  const { step, choice } = state;
  useEffect(() => {
    if (!isReady) return undefined;
    if (step === 5) {
      removeDraft(locale);
      return undefined;
    }
    const save = (): void => {
      if (choice === null && Object.keys(typed(fields.getValues())).length === 0) removeDraft(locale);
      else saveDraft(locale, draftOf(state, fields.getValues(), submissionRef.current));
    };
    save();
    return fields.subscribe({ formState: { values: true }, callback: save });
  }, [choice, fields, isReady, locale, state, step, submissionRef]);
}

/** Returns the fields that differ from their defaults. */
const typed = (values: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== EMPTY[name as keyof Fields])) as Partial<Fields>;

/** Moves focus to the heading of each new step, and scrolls to it after a delay, unless the visitor presses something first. */
export function useStepFocus(
  { form: { isBrisk }, state: { step }, isReady }: Flow,
  heading: RefObject<HTMLHeadingElement | null>,
): void {
  const shown = useRef(step);
  useEffect(() => {
    if (!isReady || shown.current === step) return undefined;
    shown.current = step;
    heading.current?.focus({ preventScroll: true });
    const delay = isBrisk ? Math.min(DELAYS[step], BRISK_DELAY) : DELAYS[step];
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setTimeout(
      () => heading.current?.closest("section")?.scrollIntoView({ behavior: calm ? "auto" : "smooth" }),
      delay,
    );
    // A visitor who is already pressing something would let go of it at another place, and nothing would be clicked.
    const cancel = (): void => clearTimeout(timer);
    addEventListener("pointerdown", cancel);
    return () => {
      cancel();
      removeEventListener("pointerdown", cancel);
    };
  }, [heading, isBrisk, isReady, step]);
}
