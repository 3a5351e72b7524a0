// Choices that the fragment of the page's address makes, and the fragment that says which choice was made. Only forms with
// such choices load this module, and those that are filled in otherwise (keep.ts).

import type { FormControl, SiteForm } from "../../generated/wire";
import { controlOf, type Values } from "./fields";
import type { Store } from "./store";

type Fields = Pick<SiteForm, "fields">;
/** A field, and its value. */
type Answer = readonly [FormControl, string];

/** What has to be answered so that a choice is on offer, and the choice: each answer after those that it depends on. */
const answersTo = (fields: FormControl[], field: FormControl, value: string, values: Values): Answer[] => {
  const { choicesBy } = field;
  const other = fields.find(({ name }) => name === choicesBy?.field);
  const offers = (answer: string): boolean => choicesBy?.choices[answer]?.includes(value) === true;
  const offering = other && (values[other.name]?.find(offers) ?? other.choices.find(({ value }) => offers(value))?.value);
  const before = other && offering !== undefined ? answersTo(fields, other, offering, values) : [];
  return [...before, [field, value]];
};

/** The answers that the fragment of the address gives, the choice that it names last; null if it names none. */
export const linked = ({ fields }: Fields, values: Values): Answer[] | null => {
  const fragment = location.hash.slice(1);
  for (const field of fields)
    for (const { value, anchors } of field.choices)
      if (anchors.includes(fragment)) return answersTo(fields, field, value, values);
  return null;
};

/** Makes a choice, and returns whether it is on offer. */
export const choose = (store: Store, [field, value]: Answer): boolean => {
  store.set(controlOf(field), [value]);
  return store.data().get(controlOf(field)) === value;
};

/** Makes a choice as soon as it is on offer: the form is shown anew after the answer that offers it. */
export const chooseOnceOffered = async (store: Store, answer: Answer): Promise<void> => {
  for (let times = 0; times < 10 && !choose(store, answer); times += 1) await new Promise((resolve) => setTimeout(resolve));
};

/** Writes the fragment of the choice that was made into the address, or takes away that of another one. */
export const nameChoice = ({ fields }: Fields, values: Values): void => {
  const fragment = location.hash.slice(1);
  const all = fields.flatMap(({ name, choices }) => choices.map((choice) => ({ ...choice, name })));
  const chosen = all.find(({ name, value, anchors }) => anchors.length > 0 && values[name]?.includes(value))?.anchors ?? [];
  const isNamed = all.some(({ anchors }) => anchors.includes(fragment));
  if (chosen.includes(fragment) || (chosen.length === 0 && !isNamed)) return;
  const [first] = chosen;
  history.replaceState(history.state, "", location.pathname + location.search + (first === undefined ? "" : `#${first}`));
};
