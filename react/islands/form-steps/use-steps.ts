// The steps of a form on the page: which of them is shown, and what leads from one to another.

import { type RefObject, type SyntheticEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { type Loaded, useLoaded } from "../../lib/loaded";
import { controlOf } from "../form/fields";
import { answered, leaving } from "../form/state";
import { controlsOf, type Store } from "../form/store";
import { type Filling, useSiteForm } from "../form/use-form";
import type { placeOf } from "./steps";

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
  /** The step that is shown if one is asked for. */
  reach: (asked: number | string) => number;
  proceed: () => void;
  press: (field: FormControl, value: string) => void;
  submit: (event: SyntheticEvent) => void;
}

/** Whether something is shown once a choice is made. */
export const hasPreview = ({ choices }: FormControl): boolean => choices.some(({ preview }) => preview !== null);

export function useSteps(props: SiteForm): Stepping {
  const { id, steps } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const later = useLoaded(() => loadLater(props), true);
  // Until react-hook-form is there, what was typed is in the controls of the form, and what was pressed in its state.
  const [controls] = useState(() => controlsOf(id));
  const { part } = later;
  const reach = (asked: number | string): number => {
    const given = filling.read();
    return part?.allowed(props, asked, given, filling.wrongOf(given)) ?? 0;
  };
  const filling = useSiteForm(props, part?.store ?? controls, {
    isLoaded: part !== null,
    enterPressed: () => {
      for (const field of props.fields) {
        const given = field.look === "buttons" && state.values[field.name];
        if (given) store.set(controlOf(field), given);
      }
    },
    reach,
    lead: (field) => part && filling.change(part.went(reach(field))),
    refused: part && ((errors) => part.refusedIn(props, errors)),
    isOwnEntry: () => part !== null && part.entryStep(id) !== null,
    writeEntry: () => part?.writeEntry(id, place.number),
  });
  const { state, change, store } = filling;
  // Until it is awake, all steps are listed.
  const place = (state.isAwake && part?.placeOf(props, state)) || { order: steps.map((_, at) => at), at: 0, number: 1 };
  const proceed = (): void => {
    const given = filling.read();
    const isAwake = state.isAwake && part !== null;
    change(isAwake ? part.onward(props, place.at, given, filling.wrongOf(given)) : leaving);
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
  return { ...place, filling, later, heading, reach, proceed, press, submit };
}
