// A DOM for the tests of single components, loaded before each of them (`node --import`). Whole pages are tested in a
// real browser; here it is about what a component does with what it is given.

import { Window } from "happy-dom";

const window = new Window({ url: "https://site.test/", width: 1024, height: 768 });
// React asks this before it warns that a test forgot to wait.
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
for (const name of Object.getOwnPropertyNames(window)) {
  if (!(name in globalThis)) globalThis[name] = window[name];
}
// Node has these, too, but a DOM's elements only take its own.
for (const name of ["Event", "EventTarget", "CustomEvent", "MessageEvent", "AbortController", "AbortSignal", "navigator", "Headers", "FormData"]) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
}
globalThis.window = globalThis;
globalThis.location = window.location;
globalThis.history = window.history;
globalThis.document = window.document;
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.removeEventListener = window.removeEventListener.bind(window);
globalThis.dispatchEvent = window.dispatchEvent.bind(window);
