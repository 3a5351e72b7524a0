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

/** Puts a field back to what the build wrote, and gives what enters the visitor's value again; nothing if it is the same. */
const takeBack = (field: Field): (() => void) | undefined => {
  if (isTicked(field)) {
    const { checked, defaultChecked } = field;
    if (checked === defaultChecked) return undefined;
    field.checked = defaultChecked;
    // A click is what React hears of a checkbox; a radio button is unticked by the one that is clicked.
    return checked ? () => field.click() : field.type === "checkbox" ? () => field.click() : undefined;
  }
  const first =
    field instanceof HTMLSelectElement
      ? ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? ""
      : field.defaultValue;
  const { value } = field;
  if (value === first) return undefined;
  const text = field instanceof HTMLSelectElement ? undefined : field;
  const caret = text?.selectionStart ?? null;
  field.value = first;
  return () => {
    enter(field, "value", value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    if (text && caret !== null && document.activeElement === text) text.setSelectionRange(caret, caret);
  };
};

type Report = (root: Element, error: unknown) => void;

export const mount = (root: HTMLElement, component: ComponentType<object>, report: Report): void => {
  const name = root.getAttribute("name");
  const props = JSON.parse(root.getAttribute("props") ?? "{}") as object;
  const fields = [...root.querySelectorAll<Field>("input, textarea, select")];
  const again = fields.map(takeBack).filter((enterAgain) => enterAgain !== undefined);
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
  for (const enterAgain of again) enterAgain();
  root.toggleAttribute("hydrated", true);
};
