// Hydrates an island: React attaches to the markup that it rendered at build time, with the same props.
//
// Input that the visitor typed before hydration is kept. React expects the markup as it was prerendered, so all fields
// are reset to their initial values before hydration, and the visitor's input is applied again afterwards.

import type { ComponentType } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot } from "react-dom/client";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isTicked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

const isOfFiles = (field: Field): field is HTMLInputElement => field instanceof HTMLInputElement && field.type === "file";

/**
 * Sets a property with the native setter of the prototype. React overrides the setter on the element, and ignores the
 * following `input` event if that one was used.
 */
const enter = (field: Field, property: "value" | "checked", value: string | boolean): void => {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), property)?.set?.call(field, value);
};

/** The value of the option that is selected in the prerendered markup. */
const selected = ({ options }: HTMLSelectElement): string =>
  ([...options].find((option) => option.defaultSelected) ?? options[0])?.value ?? "";

/** The visitor's change to a field: `undo` restores the prerendered value, `redo` applies the change again. */
interface Change {
  undo(): void;
  redo(): void;
}

/**
 * Returns undefined if the field has its prerendered value. It does not modify the field, because to reset one radio
 * button would change the state of others in its group before they are read.
 */
const changeOf = (field: Field): Change | undefined => {
  if (isTicked(field)) {
    const { checked, defaultChecked } = field;
    if (checked === defaultChecked) return undefined;
    return {
      undo: () => {
        field.checked = defaultChecked;
      },
      // React listens for `click` on checkboxes and radio buttons. A click on a radio button unchecks the others.
      redo: () => {
        if (checked || field.type === "checkbox") field.click();
      },
    };
  }
  const first = field instanceof HTMLSelectElement ? selected(field) : field.defaultValue;
  const { value } = field;
  if (value === first) return undefined;
  const text = field instanceof HTMLSelectElement ? undefined : field;
  const caret = text?.selectionStart ?? null;
  return {
    undo: () => {
      field.value = first;
    },
    redo: () => {
      enter(field, "value", value);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
      if (text && caret !== null && document.activeElement === text) text.setSelectionRange(caret, caret);
    },
  };
};

/** Gives fields what other fields of their names hold. Those that are gone from the page still hold it. */
const takeOver = (fields: Iterable<Field>, before: Map<string, Field>): void => {
  for (const field of fields) {
    const other = before.get(keyOf(field));
    if (other === undefined || !field.name) continue;
    if (isTicked(field) && isTicked(other)) field.checked = other.checked;
    else if (!isOfFiles(field)) field.value = other.value;
    else if (isOfFiles(other)) field.files = other.files;
  }
};

/** A field among those of its island: by its name, and by its value if others share the name. */
const keyOf = (field: Field): string => (isTicked(field) ? `${field.name} ${field.value}` : field.name);

const FIELDS = "input, textarea, select";

type Report = (root: Element, error: unknown) => void;

export const hydrateIsland = (root: HTMLElement, Component: ComponentType<object>, report: Report): void => {
  const name = root.getAttribute("name");
  const props = JSON.parse(root.getAttribute("props") ?? "{}") as object;
  const fields = [...root.querySelectorAll<Field>(FIELDS)];
  const known = new Map(fields.map((field) => [keyOf(field), field]));
  root.addEventListener("input", ({ target }) => {
    if (target instanceof Element && target.matches(FIELDS)) known.set(keyOf(target as Field), target as Field);
  });
  const changes = fields.map(changeOf).filter((change) => change !== undefined);
  for (const change of changes) change.undo();
  const built = root.innerHTML;
  flushSync(() => {
    const react = hydrateRoot(root, <Component {...props} />, {
      identifierPrefix: root.getAttribute("prefix") ?? "",
      onRecoverableError: (error) =>
        report(root, new Error(`the island "${name}" does not match its prerendered HTML`, { cause: error })),
      onUncaughtError: (error) => {
        report(root, new Error(`the island "${name}" failed`, { cause: error }));
        // React removes the markup of a component that throws, so the prerendered markup is restored, with what was entered.
        setTimeout(() => {
          react.unmount();
          root.innerHTML = built;
          takeOver(root.querySelectorAll<Field>(FIELDS), known);
        });
      },
    });
  });
  for (const change of changes) change.redo();
  root.toggleAttribute("hydrated", true);
};
