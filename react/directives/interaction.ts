// `interaction`: wakes when a visitor reaches for one of its controls. Links are not controls: they work as they are,
// and passing over them with the mouse must not fetch anything.

const CONTROLS = "button, input, select, textarea, summary, [tabindex]";

export const interaction = (root: HTMLElement, hydrate: () => void): void => {
  const reach = (event: Event): void => {
    if ((event.target as Element).closest(CONTROLS)) hydrate();
  };
  for (const type of ["pointerover", "touchstart", "focusin"]) root.addEventListener(type, reach, { passive: true });
};
