// Listens to the window for as long as a component needs it.

/** Calls a function on each event of a type, and returns a function that stops it. */
export const listen = (type: string, act: () => void): (() => void) => {
  addEventListener(type, act);
  return () => removeEventListener(type, act);
};
