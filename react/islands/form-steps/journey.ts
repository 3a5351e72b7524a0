// What the history of the browser and the focus follow in a form in steps.

import type { SiteForm } from "../../generated/wire";
import type { Journey } from "../../lib/step-history";
import { delayOf, stepsFor, went } from "./steps";
import type { Stepping } from "./use-steps";

export const journeyOf = (props: SiteForm, stepping: Stepping): Parameters<typeof Journey>[0] => {
  const { filling, at, number, heading, reach } = stepping;
  const { isAwake, phase, focus } = filling.state;
  /** The step that the visitor gets for an entry of the history, from 0. */
  const reached = (entry: number): number => reach(stepsFor(props, filling.read())[entry - 1] ?? 0);
  return {
    history: {
      name: props.id,
      // After success, Back leaves the page instead of returning to what has been sent.
      step: phase === "done" ? 1 : number,
      isReady: isAwake,
      isMove: (entry) => phase === "open" && reached(entry) !== at,
      onWent: (entry) => filling.change(went(reached(entry))),
      settlesFor: focus,
    },
    focus: { request: focus?.on === "step" || focus?.on === "start" ? focus : null, heading, delay: delayOf(props, number) },
  };
};
