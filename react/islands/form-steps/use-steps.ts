// The steps of a form on the page: which of them is shown, and what leads from one to another.

import { type RefObject, type SyntheticEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { type Loaded, useLoaded } from "../../lib/loaded";
import { controlOf } from "../form/fields";
import { answered, cleared, leaving, refused, went } from "../form/state";
import { controlsOf, type Store } from "../form/store";
import { type Filling, useSiteForm } from "../form/use-form";
import { allowed, delayOf, errorsOf, placeOf, stepOf, stepsFor } from "./steps";

/** What later steps show, and the store of the form while it is awake. */
type Later = Omit<typeof import("./later"), "storeOf"> & { store: Store };

const loadLater = async (props: SiteForm): Promise<Later> => {
  const { storeOf, ...parts } = await import("./later");
  return { ...parts, store: storeOf(props) };
};

export interface Stepping extends ReturnType<typeof placeOf> {
  filling: Filling;
  later: Loaded<Later>;
  /** The heading of the step that is shown. */
  heading: RefObject<HTMLHeadingElement | null>;
  proceed: () => void;
  press: (field: FormControl, value: string) => void;
  submit: (event: SyntheticEvent) => void;
}

/** Whether something is shown once a choice is made. */
export const hasPreview = ({ choices }: FormControl): boolean => choices.some(({ preview }) => preview !== null);

/** The step that is shown if one is asked for. */
const reach = (props: SiteForm, { read, wrongOf }: Filling, asked: number): number => {
  const given = read();
  return allowed(props, asked, given, wrongOf(given));
};

export function useSteps(props: SiteForm): Stepping {
  const { id } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const later = useLoaded(() => loadLater(props), true);
  // Until react-hook-form is there, what was typed is in the controls of the form, and what was pressed in its state.
  const [controls] = useState(() => controlsOf(id));
  const filling = useSiteForm(props, later.part?.store ?? controls, {
    isLoaded: later.part !== null,
    stepOf: (name) => stepOf(props, name),
    reach: (step) => reach(props, filling, step),
    isOwnEntry: () => later.part !== null && later.part.entryStep(id) !== null,
    writeEntry: () => later.part?.writeEntry(id, place.number),
  });
  const { state, change, store } = filling;
  const place = placeOf(props, state);
  const proceed = (): void => {
    if (!state.isAwake) {
      change(leaving);
      return;
    }
    const given = filling.read();
    const wrong = errorsOf(props, place.at, filling.wrongOf(given));
    const next = stepsFor(props, given).find((step) => step > place.at);
    if (Object.keys(wrong).length > 0) change(refused(wrong, (name) => stepOf(props, name)));
    else change(next === undefined ? cleared : went(next));
  };
  const wake = useEffectEvent((): void => {
    // A draft may have led to another step.
    if (state.isLeaving && place.at === 0) proceed();
  });
  useEffect(() => {
    if (state.isAwake) wake();
  }, [state.isAwake]);
  const press = (field: FormControl, value: string): void => {
    if (state.isAwake) {
      // A button makes a choice, and forgets those that it offered before.
      store.set(controlOf(field), [value]);
      for (const other of props.fields) if (other.choicesBy?.field === field.name) store.set(controlOf(other), []);
      filling.answer();
    } else change(answered({ ...state.values, [field.name]: [value] }, {}));
    // Where nothing is to be read, it leads on.
    if (!hasPreview(field)) proceed();
  };
  const submit = (event: SyntheticEvent): void => {
    // The Enter key sends a form; before the last step it leads to the next one.
    event.preventDefault();
    if (place.number === place.order.length) filling.submit(event);
    else proceed();
  };
  return { ...place, filling, later, heading, proceed, press, submit };
}

/** What the history of the browser and the focus follow. */
export function journeyOf(props: SiteForm, { filling, at, number, heading }: Stepping): Parameters<Later["Journey"]>[0] {
  const { isAwake, phase, focus } = filling.state;
  /** The step that the visitor gets for an entry of the history, from 0. */
  const reached = (entry: number): number => reach(props, filling, stepsFor(props, filling.read())[entry - 1] ?? 0);
  return {
    history: {
      name: props.id,
      // After success, Back leaves the page instead of returning to what has been sent.
      step: phase === "done" ? 1 : number,
      isReady: isAwake,
      isMove: (entry) => phase === "open" && reached(entry) !== at,
      onWent: (entry) => filling.change(went(reached(entry))),
      settlesFor: focus,
    },
    focus: { request: focus?.on === "step" || focus?.on === "start" ? focus : null, heading, delay: delayOf(props, number) },
  };
}
