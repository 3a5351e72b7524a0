// The steps of a form that is awake: which of them have something to show, where a field is, how far the answers lead, and what
// leads from one to another. It is loaded with the rest of later.ts.

import type { FormControl, SiteForm } from "../../generated/wire";
import { isShown, type Values } from "../form/fields";
import type { Change, Errors, State } from "../form/state";

type Form = Pick<SiteForm, "fields" | "steps" | "consents" | "captcha">;

/** The time between a change of the step and the scroll to it, in milliseconds, by the step from 1. */
const DELAYS = [100, 150, 200, 200, 500];
/** The longest time of a form that `isBrisk`, in milliseconds. */
const BRISK = 300;

/** The time until the form scrolls to a step, from 1, in milliseconds. */
export const delayOf = ({ isBrisk }: Pick<SiteForm, "isBrisk">, step: number): number => {
  const delay = DELAYS[step - 1] ?? 200;
  return isBrisk ? Math.min(delay, BRISK) : delay;
};

/** Whether a field offers choices as soon as another one is answered, which must be. */
const isAwaited = (fields: FormControl[], { choicesBy }: FormControl, values: Values): boolean =>
  choicesBy !== null &&
  values[choicesBy.field] === undefined &&
  fields.some(({ name, required }) => required && name === choicesBy.field);

/**
 * The steps that a visitor with these answers goes through, from 0: one whose fields all depend on other answers may have
 * nothing to show. The last one also has what the visitor must agree to, and the captcha.
 */
export const stepsFor = ({ fields, steps, consents, captcha }: Form, values: Values): number[] => {
  const isMet = (field: FormControl): boolean => isShown(field, values) || isAwaited(fields, field, values);
  const shown = new Set(fields.filter(isMet).map(({ name }) => name));
  const hasEnd = consents.length > 0 || captcha !== null;
  const all = steps.map((_, at) => at);
  return all.filter((at) => steps[at]?.fields.some((name) => shown.has(name)) || (at === steps.length - 1 && hasEnd));
};

/**
 * Where the visitor is: the steps with something to show, from 0; the step that is shown, because the answers may leave nothing to
 * show in the one that was asked for; and its place in that order, from 1.
 */
export const placeOf = (form: Form, { values, step }: Pick<State, "values" | "step">) => {
  const order = stepsFor(form, values);
  const at = order.filter((other) => other <= step).at(-1) ?? order[0] ?? 0;
  return { order, at, number: order.indexOf(at) + 1 };
};

/** The step of a field, from 0. Consents and the captcha are in the last one. */
export const stepOf = ({ steps }: Pick<Form, "steps">, name: string): number => {
  const at = steps.findIndex(({ fields }) => fields.includes(name));
  return at === -1 ? steps.length - 1 : at;
};

/** The errors of a step. */
export const errorsOf = (form: Pick<Form, "steps">, at: number, errors: Errors): Errors =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => stepOf(form, name) === at));

/**
 * The step that is shown if one is asked for, by its number or by a field of it: at most the first with an error, and one that has
 * something to show.
 */
export const allowed = (form: Form, wanted: number | string, values: Values, errors: Errors): number => {
  const asked = typeof wanted === "string" ? stepOf(form, wanted) : wanted;
  const order = stepsFor(form, values);
  const farthest = order.find((at) => Object.keys(errorsOf(form, at, errors)).length > 0) ?? Infinity;
  return order.filter((at) => at <= asked && at <= farthest).at(-1) ?? order[0] ?? 0;
};

/** Takes all messages away. */
export const cleared: Change = (state) => ({ ...state, errors: {}, attempt: {}, focus: null });

/** Leads to a step, and takes all messages away. */
export const went =
  (step: number): Change =>
  (state) => ({ ...cleared(state), step, focus: { on: "step" } });

/**
 * Shows what is wrong, and leads to the step of the first of it: to its field, or to the list if that step has several errors. What
 * is said of the whole form has a panel, which takes no focus.
 */
export const refusedIn =
  (form: Pick<Form, "steps">, errors: Errors): Change =>
  (state) => {
    const names = Object.keys(errors).filter((name) => name !== "");
    const [first] = names.sort((one, other) => stepOf(form, one) - stepOf(form, other));
    const shown: State = { ...state, phase: "open", errors, attempt: errors };
    if (first === undefined) return { ...shown, focus: null };
    const step = stepOf(form, first);
    const isListed = names.filter((name) => stepOf(form, name) === step).length > 1;
    return { ...shown, step, focus: isListed ? { on: "summary" } : { on: "field", name: first } };
  };

/** Leads on from a step, unless something in it is wrong. */
export const onward = (form: Form, at: number, values: Values, errors: Errors): Change => {
  const wrong = errorsOf(form, at, errors);
  const next = stepsFor(form, values).find((step) => step > at);
  if (Object.keys(wrong).length > 0) return refusedIn(form, wrong);
  return next === undefined ? cleared : went(next);
};

/** Leads back from the step where the form then is: the button may be pressed twice before that is shown. */
export const back =
  (form: Form): Change =>
  (state) => {
    const { order, at } = placeOf(form, state);
    return state.phase === "sending" ? state : went(order.filter((step) => step < at).at(-1) ?? at)(state);
  };
