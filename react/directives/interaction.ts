// `interaction`: hydrates when the visitor points at, touches or focuses a control of the island. Links are not
// included: they work without hydration, and hovering over them must not download scripts.

const CONTROLS = "button, input, select, textarea, summary, [tabindex]";

export const interaction = (root: HTMLElement, hydrate: () => void): void => {
  const reach = (event: Event): void => {
    if ((event.target as Element).closest(CONTROLS)) hydrate();
  };
  for (const type of ["pointerover", "touchstart", "focusin"]) root.addEventListener(type, reach, { passive: true });
};
