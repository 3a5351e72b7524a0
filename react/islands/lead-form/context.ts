// Values that all steps of the lead form share.

import type { Dispatch, RefObject } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { LeadForm } from "../../generated/wire";
import { sharedValues } from "../../lib/shared-values";
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

export const [SharedValues, useShared] = sharedValues<Shared>();
