// Side effects of the state machine: URL and history, the draft, and focus and scrolling between steps.

import { type Dispatch, type RefObject, useCallback, useEffect, useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { draftOf, loadDraft, removeDraft, saveDraft } from "./draft";
import { EMPTY, type Fields, type Submission } from "./lead";
import { byHash, type Event, picked, type State, type Step } from "./state";

/** Delay between a change of step and the scroll to it, in milliseconds. */
const DELAYS: Record<Step, number> = { 1: 100, 2: 150, 3: 200, 4: 200, 5: 500 };
/** Upper limit of the delay if `isBrisk` is set, in milliseconds. */
const BRISK_DELAY = 300;

/** The state that the form stores in history entries. */
interface Entry {
  leadStep: Step;
  /** Number of earlier history entries of the form. */
  leadDepth: number;
}

const entry = (): Entry | null => {
  const state = history.state as Partial<Entry> | null;
  return state?.leadStep ? { leadStep: state.leadStep, leadDepth: state.leadDepth ?? 0 } : null;
};

const withHash = (hash: string | undefined): string => location.pathname + location.search + (hash === undefined ? "" : `#${hash}`);

/** Makes each step a history entry, and returns the handler of the form's back button. */
export function useHistory({ choices }: LeadForm, state: State, dispatch: Dispatch<Event>): () => void {
  const shown = useRef<Step>(1);
  const came = useRef<Step | null>(null);
  const { step } = state;

  useEffect(() => {
    const went = (): void => {
      const known = entry();
      if (!known) return;
      came.current = known.leadStep;
      dispatch({ type: "went", step: known.leadStep });
    };
    const linked = (): void => {
      const found = byHash(choices, location.hash);
      if (found && !entry()) dispatch({ type: "deep-linked", ...found });
    };
    addEventListener("popstate", went);
    addEventListener("hashchange", linked);
    return () => {
      removeEventListener("popstate", went);
      removeEventListener("hashchange", linked);
    };
  }, [choices, dispatch]);

  useEffect(() => {
    const before = shown.current;
    shown.current = step;
    if (step === before || came.current === step) {
      came.current = null;
      return;
    }
    const depth = entry()?.leadDepth ?? 0;
    if (step > before && step < 5) history.pushState({ leadStep: step, leadDepth: depth + 1 }, "");
    else history.replaceState({ leadStep: step, leadDepth: depth }, "");
  }, [step]);

  // The fragment of the URL names the chosen service, if the service has one.
  const service = picked(choices, state);
  const hash = service?.hashes[0];
  const isNew = useRef(true);
  useEffect(() => {
    if (isNew.current) {
      isNew.current = false;
      if (!entry()) history.replaceState({ leadStep: 1, leadDepth: 0 }, "");
      return;
    }
    const known = byHash(choices, location.hash);
    if (service ? known?.service !== service.id : known !== null) history.replaceState(history.state, "", withHash(hash));
  }, [choices, service, hash]);

  return useCallback(() => {
    if ((entry()?.leadDepth ?? 0) > 0) history.back();
    else dispatch({ type: "back" });
  }, [dispatch]);
}

/** Restores the draft once, and then saves it on each change. */
export function useDraft(form: LeadForm, state: State, fields: UseFormReturn<Fields>, submission: RefObject<Submission | null>, dispatch: Dispatch<Event>): void {
  const { locale, choices } = form;
  const isRead = useRef(false);
  useEffect(() => {
    const draft = loadDraft(locale, EMPTY);
    const linked = byHash(choices, location.hash);
    if (draft) {
      fields.reset({ ...draft.fields, ...typed(fields.getValues()) });
      submission.current = draft.submission;
    }
    // A fragment takes precedence over the draft, unless the form itself set it before a reload.
    const isOwn = entry() !== null && draft?.service === linked?.service;
    if (linked && !isOwn) dispatch({ type: "deep-linked", ...linked });
    else if (draft) dispatch({ type: "restored", step: draft.step, choice: draft.choice, service: draft.service });
    isRead.current = true;
  }, [choices, dispatch, fields, locale, submission]);

  const { step, choice } = state;
  useEffect(() => {
    if (!isRead.current) return undefined;
    if (step === 5) {
      removeDraft(locale);
      return undefined;
    }
    const save = (): void => {
      if (choice === null && Object.keys(typed(fields.getValues())).length === 0) removeDraft(locale);
      else saveDraft(locale, draftOf(state, fields.getValues(), submission.current));
    };
    save();
    return fields.subscribe({ formState: { values: true }, callback: save });
  }, [choice, fields, locale, state, step, submission]);
}

/** Returns the fields that differ from their defaults. */
const typed = (values: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== EMPTY[name as keyof Fields])) as Partial<Fields>;

/** Moves focus to the heading of each new step, and scrolls to it after a delay. */
export function useStepFocus({ isBrisk }: LeadForm, step: Step, heading: RefObject<HTMLHeadingElement | null>): void {
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return undefined;
    shown.current = step;
    heading.current?.focus({ preventScroll: true });
    const delay = isBrisk ? Math.min(DELAYS[step], BRISK_DELAY) : DELAYS[step];
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setTimeout(() => heading.current?.closest("section")?.scrollIntoView({ behavior: calm ? "auto" : "smooth" }), delay);
    return () => clearTimeout(timer);
  }, [heading, isBrisk, step]);
}
