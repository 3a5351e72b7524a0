// Side effects of the state machine: URL and history, and the draft.

import { type Dispatch, type RefObject, useEffect, useEffectEvent } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { removeDraft, saveDraft } from "../../lib/draft";
import { entryStep, useStepHistory, writeEntry } from "../../lib/step-history";
import { draftOf, loadDraft, placeOf } from "./draft";
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

/** The name under which history entries keep the step. */
const ENTRY = "leadStep";

const withHash = (hash: string | undefined): string =>
  location.pathname + location.search + (hash === undefined ? "" : `#${hash}`);

/** Keeps the history of the browser at the current step, and the fragment of the URL at the chosen service. */
export function useHistory({ form, state, dispatch, fields, isReady }: Flow): void {
  const { choices } = form;
  const { step } = state;
  // After success, Back leaves the page instead of returning to what has been sent.
  const target = step === 5 ? 1 : step;
  const service = step === 5 ? undefined : picked(choices, state);
  const went = (to: number): Action => ({
    type: "went",
    step: to as Step,
    isContactValid: isContactValid(fields.getValues(), form),
  });
  /** The fragment of the URL names the chosen service, if the service has one. */
  const nameService = (): void => {
    const hash = service?.hashes[0];
    const named = byHash(choices, location.hash)?.service;
    if (named !== (hash && service?.id)) history.replaceState(history.state, "", withHash(hash));
  };
  useStepHistory({
    name: ENTRY,
    step: target,
    isReady,
    isMove: (to) => reduce(state, went(to)).step !== step,
    onWent: (to) => dispatch(went(to)),
    onSettled: nameService,
    settlesFor: service,
  });

  const linked = useEffectEvent((): void => {
    if (entryStep(ENTRY) !== null) return;
    const found = byHash(choices, location.hash);
    if (found) dispatch({ type: "deep-linked", ...found });
    // Some other fragment, such as that of the skip link.
    else writeEntry(ENTRY, target);
  });
  useEffect(() => {
    addEventListener("hashchange", linked);
    return () => removeEventListener("hashchange", linked);
  }, []);
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
    const isOwn = entryStep(ENTRY) !== null && draft?.service === linked?.service;
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
      removeDraft(placeOf(locale));
      return undefined;
    }
    const save = (): void => {
      if (choice === null && Object.keys(typed(fields.getValues())).length === 0) removeDraft(placeOf(locale));
      else saveDraft(placeOf(locale), draftOf(state, fields.getValues(), submissionRef.current));
    };
    save();
    return fields.subscribe({ formState: { values: true }, callback: save });
  }, [choice, fields, isReady, locale, state, step, submissionRef]);
}

/** Returns the fields that differ from their defaults. */
const typed = (values: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== EMPTY[name as keyof Fields])) as Partial<Fields>;

/** How long after a change of step the form scrolls to it, in milliseconds. */
export const delayOf = ({ isBrisk }: Pick<LeadForm, "isBrisk">, step: Step): number =>
  isBrisk ? Math.min(DELAYS[step], BRISK_DELAY) : DELAYS[step];
