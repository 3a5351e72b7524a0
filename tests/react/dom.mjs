// Provides an emulated DOM for component tests. It is loaded before each test file (`node --import`). Whole pages are
// tested in a real browser.

import { Window } from "happy-dom";

const window = new Window({ url: "https://site.test/", width: 1024, height: 768 });
// Enables React's warnings about updates that are not wrapped in `act`.
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
for (const name of Object.getOwnPropertyNames(window)) {
  if (!(name in globalThis)) globalThis[name] = window[name];
}
// Node.js has its own versions of these, which elements of the emulated DOM do not accept.
for (const name of [
  "Event",
  "EventTarget",
  "CustomEvent",
  "MessageEvent",
  "AbortController",
  "AbortSignal",
  "navigator",
  "Headers",
  "FormData",
]) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
}
globalThis.window = globalThis;
globalThis.location = window.location;
globalThis.history = window.history;
globalThis.document = window.document;
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.removeEventListener = window.removeEventListener.bind(window);
globalThis.dispatchEvent = window.dispatchEvent.bind(window);
