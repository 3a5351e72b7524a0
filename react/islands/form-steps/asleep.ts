// The store of a form in steps until react-hook-form is there (store.ts): its controls, and choices that have no control before
// the form wakes. A visitor may press a card as soon as it is on the page.

import { controlsOf, type Store } from "../form/store";

interface Asleep extends Store {
  /** What was chosen meanwhile, by the names of controls. */
  chosen: ReadonlyMap<string, string[]>;
}

/** `form` returns the form once it is shown. */
export const asleepOf = (form: () => HTMLFormElement | null): Asleep => {
  const controls = controlsOf(form);
  const chosen = new Map<string, string[]>();
  return {
    ...controls,
    chosen,
    data: () => {
      const data = controls.data();
      for (const [name, values] of chosen) {
        data.delete(name);
        for (const value of values) data.append(name, value);
      }
      return data;
    },
    set: (control, values) => {
      chosen.set(control, values);
      controls.set(control, values);
    },
  };
};
