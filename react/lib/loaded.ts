// A part of an island that is loaded when it is needed. Whether it can be loaded is a state and never thrown: an island that
// throws is removed, and with it what was typed.

import { useEffect, useEffectEvent, useState } from "react";

export interface Loaded<Part> {
  /** The part, once it is there. */
  part: Part | null;
  /** Whether it could not be loaded. */
  isMissing: boolean;
  /** Whether nothing is to be waited for. */
  isSettled: boolean;
  /** Loads it again. */
  get: () => Promise<Part>;
  /** The same for a button. */
  retry: () => void;
}

export function useLoaded<Part extends object>(load: () => Promise<Part>, isNeeded: boolean): Loaded<Part> {
  const [part, setPart] = useState<Part | null>(null);
  const [isMissing, setMissing] = useState(false);
  const get = (): Promise<Part> =>
    load().then((loaded) => {
      setPart(loaded);
      return loaded;
    });
  const begin = (): void => void get().catch(() => setMissing(true));
  const beginFirst = useEffectEvent(begin);
  useEffect(() => {
    if (isNeeded) beginFirst();
  }, [isNeeded]);
  const retry = (): void => {
    setMissing(false);
    begin();
  };
  return { part, isMissing, isSettled: part !== null || isMissing || !isNeeded, get, retry };
}
