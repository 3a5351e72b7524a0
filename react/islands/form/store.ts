// Where the answers to a form are: in the controls of a form on one page, and in react-hook-form for a form in steps
// (../form-steps/store.ts), which shows and hides its controls.

/** What connects a control with the store of its form. */
export interface Registered {
  name: string;
  ref?: (control: HTMLElement | null) => void;
  // biome-ignore lint/suspicious/noExplicitAny: react-hook-form takes the event of any control.
  onChange?: (event: any) => unknown;
}

export interface Store {
  /** What was entered, by the names of controls. A control that is not shown may have a value. */
  data: () => FormData;
  /** Enters values into the controls of a name, and empties those that do not offer them. */
  set: (control: string, values: string[]) => void;
  reset: () => void;
  register: (control: string) => Registered;
}

/** The store of a form on one page, by its id, and of one in steps until it is awake: its controls. */
export const controlsOf = (id: string): Store => {
  const form = (): HTMLFormElement | null => document.querySelector(`form#${id}`);
  return {
    data: () => new FormData(form() ?? undefined),
    set: (name, values) => {
      const [first = ""] = values;
      const named = form()?.elements.namedItem(name);
      for (const control of (named instanceof RadioNodeList ? [...named] : [named]) as (
        | HTMLInputElement
        | HTMLSelectElement
        | null
      )[]) {
        if (control === null || control.type === "file") continue;
        if ("checked" in control && /box|radio/.test(control.type)) control.checked = values.includes(control.value);
        else control.value = first;
        // A menu without this choice has chosen nothing.
        if ("selectedIndex" in control && control.selectedIndex < 0) control.value = "";
      }
    },
    reset: () => form()?.reset(),
    register: (name) => ({ name }),
  };
};
