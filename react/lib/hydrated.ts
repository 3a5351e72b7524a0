// Tells prerendered markup from a page that runs.

import { useSyncExternalStore } from "react";

const never = (): (() => void) => () => undefined;

/** Returns false in prerendered markup and while it is hydrated, true afterwards. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
