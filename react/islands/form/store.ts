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
      for (const control of named instanceof RadioNodeList ? named : [named]) {
        if (control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type))
          control.checked = values.includes(control.value);
        else if (control instanceof HTMLInputElement && control.type !== "file") control.value = first;
        else if (control instanceof HTMLTextAreaElement) control.value = first;
        else if (control instanceof HTMLSelectElement)
          control.value = [...control.options].some(({ value }) => value === first) ? first : "";
      }
    },
    reset: () => form()?.reset(),
    register: (name) => ({ name }),
  };
};
