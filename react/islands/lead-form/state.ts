// The lead form as a state machine: the current step, the choices and the status of the submission. The reducer is
// pure. react-hook-form holds the fields; URL, storage and network are handled by hooks.

import type { LeadChoice, LeadService } from "../../generated/wire";

/** The steps: 1 choice, 2 service, 3 contact, 4 project and captcha, 5 success. */
export const STEPS = [1, 2, 3, 4, 5] as const;
export type Step = (typeof STEPS)[number];

export type SubmitStatus = { state: "idle" } | { state: "sending" } | { state: "failed"; message: string };

export interface State {
  step: Step;
  /** Id of the choice in step 1. */
  choice: string | null;
  /** Id of the service in step 2. */
  service: string | null;
  sending: SubmitStatus;
  /** Number of captchas that were refused. A new one is shown when it changes. */
  round: number;
}

export type Action =
  /** A choice was made in step 1. */
  | { type: "chose"; choice: string }
  /** A service was chosen, which shows its preview. */
  | { type: "picked"; service: string }
  /** The current step is valid and the visitor continues. */
  | { type: "continued" }
  /** The back button was pressed. */
  | { type: "back" }
  /** The browser navigated to a history entry. `isContactValid` is whether step 3 may be left. */
  | { type: "went"; step: Step; isContactValid: boolean }
  /** The fragment of the URL names a service. */
  | { type: "deep-linked"; choice: string; service: string }
  /** A draft was loaded. */
  | { type: "restored"; step: Step; choice: string | null; service: string | null; isContactValid: boolean }
  | { type: "sent" }
  | { type: "succeeded" }
  | { type: "failed"; message: string; isCaptchaRefused?: boolean }
  /** The error message was closed. */
  | { type: "dismissed" }
  /** The form starts over. */
  | { type: "restarted" };

export const begin: State = { step: 1, choice: null, service: null, sending: { state: "idle" }, round: 0 };

/** The last step that the input allows. Step 5 is reached only by a successful submission. */
export const farthest = ({ choice, service }: Pick<State, "choice" | "service">, isContactValid: boolean): Step => {
  if (choice === null) return 1;
  if (service === null) return 2;
  return isContactValid ? 4 : 3;
};

const at = (state: State, step: Step): State => ({ ...state, step, sending: { state: "idle" } });

const within = (step: Step, most: Step): Step => (step < most ? step : most);

export const reduce = (state: State, event: Action): State => {
  const { step, sending } = state;
  const isBusy = sending.state === "sending";
  switch (event.type) {
    case "chose":
      return step === 1 ? at({ ...state, choice: event.choice, service: null }, 2) : state;
    case "picked":
      return step === 2 ? { ...state, service: event.service } : state;
    case "continued":
      return (step === 2 || step === 3) && state.service !== null ? at(state, (step + 1) as Step) : state;
    case "back":
      return !isBusy && step > 1 && step < 5 ? at(state, (step - 1) as Step) : state;
    case "went":
      // After a successful submission, history navigation does not return to the form.
      return isBusy || step === 5 || event.step === step
        ? state
        : at(state, within(event.step, farthest(state, event.isContactValid)));
    case "deep-linked":
      return isBusy ? state : at({ ...state, choice: event.choice, service: event.service }, 2);
    case "restored": {
      const { choice, service } = event;
      return step === 1 && state.choice === null
        ? at({ ...state, choice, service }, within(event.step, farthest({ choice, service }, event.isContactValid)))
        : state;
    }
    case "sent":
      return step === 4 && sending.state === "idle" ? { ...state, sending: { state: "sending" } } : state;
    case "succeeded":
      return isBusy ? at(state, 5) : state;
    case "failed":
      return isBusy
        ? {
            ...state,
            round: state.round + (event.isCaptchaRefused ? 1 : 0),
            sending: { state: "failed", message: event.message },
          }
        : state;
    case "dismissed":
      return sending.state === "failed" ? { ...state, sending: { state: "idle" } } : state;
    case "restarted":
      return isBusy ? state : begin;
  }
};

/** The choice and service that a URL fragment selects, or null. */
export const byHash = (choices: LeadChoice[], hash: string): { choice: string; service: string } | null => {
  const name = hash.replace(/^#/, "");
  for (const choice of choices) {
    const service = choice.services.find(({ hashes }) => hashes.includes(name));
    if (service) return { choice: choice.id, service: service.id };
  }
  return null;
};

export const chosen = (choices: LeadChoice[], state: Pick<State, "choice">): LeadChoice | undefined =>
  choices.find(({ id }) => id === state.choice);

export const picked = (choices: LeadChoice[], state: Pick<State, "choice" | "service">): LeadService | undefined =>
  chosen(choices, state)?.services.find(({ id }) => id === state.service);
