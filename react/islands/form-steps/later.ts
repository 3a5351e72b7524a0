// What the first step of a form does not need. It is loaded when the form wakes, and not before it can be used.

export { entryStep, Journey, writeEntry } from "../../lib/step-history";
export { FormCaptcha } from "../form/form-captcha";
export { journeyOf } from "./journey";
export { allowed, back, cleared, onward, placeOf, refusedIn, went } from "./steps";
export { storeOf } from "./store";
export { Summary } from "./summary";
export { Failure } from "./trouble";
