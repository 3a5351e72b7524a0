// Hydrates an island: React takes over the markup that it made at build time, from the same props.
//
// What a visitor typed before that is kept: React must meet the page as it was built, so fields are put back to their
// first values, and what was typed is entered again once React listens.

import { type ComponentType, createElement } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot } from "react-dom/client";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isTicked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

/** Sets a field as a visitor would: React replaces the setter of the field itself, and would take this for its own doing. */
const enter = (field: Field, property: "value" | "checked", value: string | boolean): void => {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), property)?.set?.call(field, value);
};

/** What the build wrote into a select. */
const selected = ({ options }: HTMLSelectElement): string =>
  ([...options].find((option) => option.defaultSelected) ?? options[0])?.value ?? "";

/** What a visitor has done to a field: puts it back to what the build wrote, and does it again. */
interface Change {
  undo(): void;
  redo(): void;
}

/** Nothing when the field is as it was built. Nothing is put back yet: that of one radio button would untick another. */
const changeOf = (field: Field): Change | undefined => {
  if (isTicked(field)) {
    const { checked, defaultChecked } = field;
    if (checked === defaultChecked) return undefined;
    return {
      undo: () => {
        field.checked = defaultChecked;
      },
      // A click is what React hears of a checkbox; a radio button is unticked by the one that is clicked.
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

type Report = (root: Element, error: unknown) => void;

export const hydrateIsland = (root: HTMLElement, component: ComponentType<object>, report: Report): void => {
  const name = root.getAttribute("name");
  const props = JSON.parse(root.getAttribute("props") ?? "{}") as object;
  const fields = [...root.querySelectorAll<Field>("input, textarea, select")];
  const changes = fields.map(changeOf).filter((change) => change !== undefined);
  for (const change of changes) change.undo();
  const built = root.innerHTML;
  flushSync(() => {
    const react = hydrateRoot(root, createElement(component, props), {
      identifierPrefix: root.getAttribute("prefix") ?? "",
      onRecoverableError: (error) => report(root, new Error(`the island "${name}" is not what was built`, { cause: error })),
      onUncaughtError: (error) => {
        report(root, new Error(`the island "${name}" failed`, { cause: error }));
        // A component that breaks leaves the page as it was built, not a hole in it.
        setTimeout(() => {
          react.unmount();
          root.innerHTML = built;
        });
      },
    });
  });
  for (const change of changes) change.redo();
  root.toggleAttribute("hydrated", true);
};
