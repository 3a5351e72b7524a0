// What happens around the state machine: the address and its history, the draft, the scrolling from step to step.

import { type Dispatch, type RefObject, useCallback, useEffect, useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { draftOf, loadDraft, removeDraft, saveDraft } from "./draft";
import { EMPTY, type Fields, type Submission } from "./lead";
import { byHash, type Event, picked, type State, type Step } from "./state";

/** How long after a step changes the page scrolls to it, in milliseconds. */
const DELAYS: Record<Step, number> = { 1: 100, 2: 150, 3: 200, 4: 200, 5: 500 };
const BRISK_DELAY = 300;

/** What an entry of the history knows of the form. */
interface Entry {
  leadStep: Step;
  /** So many entries of the form lie before it. */
  leadDepth: number;
}

const entry = (): Entry | null => {
  const state = history.state as Partial<Entry> | null;
  return state?.leadStep ? { leadStep: state.leadStep, leadDepth: state.leadDepth ?? 0 } : null;
};

const withHash = (hash: string | undefined): string => location.pathname + location.search + (hash === undefined ? "" : `#${hash}`);

/** Each step is an entry of the history, so that Back goes one step back. Gives what the form's own Back does. */
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

  // The address names the service while it is one that can be linked to.
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

/** Finds what was begun earlier, once, and keeps what is typed from then on. */
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
    // An anchor decides, unless the form itself has written it before a reload.
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

/** Those fields that are not empty. */
const typed = (values: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== EMPTY[name as keyof Fields])) as Partial<Fields>;

/** Moves the focus to the heading of each new step, and the page to it a little later. */
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
