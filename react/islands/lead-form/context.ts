// Values that all steps of the lead form share.

import { createContext, type Dispatch, type RefObject, useContext } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import type { Fields } from "./lead";
import type { Action, State } from "./state";

export interface Shared {
  form: LeadForm;
  state: State;
  dispatch: Dispatch<Action>;
  fields: UseFormReturn<Fields>;
  /** The heading of the current step. */
  heading: RefObject<HTMLHeadingElement | null>;
}

const Context = createContext<Shared | null>(null);

export const SharedValues = Context.Provider;

export const useShared = (): Shared => {
  const shared = useContext(Context);
  if (!shared) throw new Error("there are no shared values around this component");
  return shared;
};
