// What a form shows as a state, and what changes it. Each change is a pure function from one state to the next, so that tests
// can make every change in every state. Those that only a form that is awake needs come with the scripts that make them. What was
// entered is in the store of the form (store.ts), files among it; `values` is what the form has read from there. Requests, storage,
// the URL and the focus are handled by the hooks in use-form.ts.

import type { Submission } from "../../lib/submission";
import { TOKEN, type Values } from "./fields";

/** Messages by the names of fields; the empty name stands for the form. */
export type Errors = Record<string, string>;

/** What takes the focus: a field, the list of errors, a new step, the first field, or the end. Each time it is a new object. */
type Focus = { on: "field"; name: string } | { on: "summary" | "step" | "start" | "end" };

export interface State {
  /** It is `sending` from the press of the button on, when the script that checks it may still be loading. */
  phase: "open" | "sending" | "done";
  /** Whether its parts are loaded, and it is filled in. Before, the page shows it as it was built. */
  isAwake: boolean;
  values: Values;
  errors: Errors;
  /** The errors of the last attempt, some of which may be corrected. */
  attempt: Errors;
  /** The step that is asked for, from 0. The answers may leave nothing to show in it. */
  step: number;
  /** Whether the visitor wanted to leave the first step before the form was awake. */
  isLeaving: boolean;
  /** What was sent last. */
  submission: Submission | null;
  /** The token of the captcha; empty until it is solved. */
  token: string;
  focus: Focus | null;
  /** The number of the captcha: one that was used up is replaced. */
  captcha: number;
  /** How often the form was emptied. */
  round: number;
}

export type Change = (state: State) => State;

export const START: State = {
  phase: "open",
  isAwake: false,
  values: {},
  errors: {},
  attempt: {},
  step: 0,
  isLeaving: false,
  submission: null,
  token: "",
  focus: null,
  captcha: 0,
  round: 0,
};

/** The visitor wants to leave the first step before the form is awake. */
export const leaving: Change = (state) => ({ ...state, isLeaving: true });

/** The form is awake, with what it was filled in with. A draft takes no focus: the form may be anywhere on its page. */
export const woke =
  (filled: Pick<State, "values" | "submission" | "step">, isLinked: boolean): Change =>
  (state) => ({ ...state, ...filled, isAwake: true, focus: isLinked ? { on: "step" } : null });

/** An answer was changed. A message goes as soon as its field is right, and says what is wrong now. */
export const answered =
  (values: Values, wrong: Errors): Change =>
  (state) => {
    const errors: Errors = {};
    for (const [name, before] of Object.entries(state.errors)) {
      const said = name === TOKEN ? before : wrong[name];
      if (said !== undefined) errors[name] = said;
    }
    return { ...state, values, errors };
  };

/** The button was pressed. */
export const sending =
  (values: Values): Change =>
  (state) => ({ ...state, phase: "sending", values, errors: {} });

/** Shows what is wrong on one page, and leads to the first field of it, or to what is said of the form. */
export const refused =
  (errors: Errors): Change =>
  (state) => {
    const first = Object.keys(errors).find((name) => name !== "");
    const focus: Focus = first === undefined ? { on: "summary" } : { on: "field", name: first };
    return { ...state, phase: "open", errors, attempt: errors, focus };
  };

/** The form was emptied for another answer. */
export const restarted =
  (values: Values): Change =>
  (state) => ({
    ...START,
    isAwake: true,
    values,
    focus: { on: "start" },
    captcha: state.captcha + 1,
    round: state.round + 1,
  });
