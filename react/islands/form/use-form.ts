// What a form of the site does, however it is laid out: it is checked while it is on the page, sent as JSON, and keeps what
// was typed if that fails. The store holds the answers (store.ts); the state is what is shown (state.ts).

import { type Dispatch, type SyntheticEvent, useEffect, useEffectEvent, useReducer } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { type Loaded, useLoaded } from "../../lib/loaded";
import { controlId, controlOf, isShown, type Values, valuesOf } from "./fields";
import * as changes from "./state";
import { type Change, type Errors, START, type State } from "./state";
import type { Store } from "./store";

/** What a form in steps adds. Steps are numbered from 0. */
interface Steps {
  /** Whether what later steps show is loaded. The store of the form may be another one before. */
  isLoaded: boolean;
  /** Enters what was pressed, which is in no control. */
  enterPressed: () => void;
  /** The step that is shown if one is asked for, by its number or by a field of it: the answers may not lead there. */
  reach: (asked: number | string) => number;
  /** Leads to the step of a field, as far as the answers allow. */
  lead: (field: string) => void;
  /** Shows what is wrong, and leads to its step; null until it is loaded. */
  refused: ((errors: Errors) => Change) | null;
  /** Whether the form has written the current entry of the browser's history. */
  isOwnEntry: () => boolean;
  /** Writes the step into an entry that something else has made, such as a link to a heading of the page. */
  writeEntry: () => void;
}

export interface Filling {
  state: State;
  change: Dispatch<Change>;
  store: Store;
  /** The fields that are shown with these answers; before the form is awake, those that can be sent as they are. */
  shown: FormControl[];
  /** The values as they are now, which may be newer than those of the state. */
  read: () => Values;
  wrongOf: (values: Values) => Errors;
  /** What lists errors, once it is loaded. */
  list: Pick<Send, "ErrorList"> | null;
  /** A control was changed. */
  answer: () => void;
  submit: (event: SyntheticEvent) => void;
  /** Empties the form after an answer was stored, for another one. */
  restart: () => void;
}

type Keep = typeof import("./keep");
type Send = typeof import("./send");

const loadKeep = (): Promise<Keep> => import("./keep");
const loadSend = (): Promise<Send> => import("./send");

/** What the hooks below share. */
export interface Core extends Pick<Filling, "state" | "change" | "store" | "read"> {
  props: SiteForm;
  /** Shows answers, and what is wrong with them. */
  answered: (values: Values) => void;
  refused: (errors: Errors) => Change;
  steps: Steps | undefined;
  keep: Loaded<Keep>;
  send: Loaded<Send>;
}

/** What the browser finds wrong with the controls on the page, if the script that checks them could not be loaded. */
const wrongForBrowser = ({ fields, id }: SiteForm): Errors => {
  const wrong = document.querySelectorAll<HTMLInputElement>(`form#${id} :is(input, select, textarea):invalid`);
  const nameOf = (control: string): string => fields.find((field) => controlOf(field) === control)?.name ?? control;
  return Object.fromEntries([...wrong].map(({ name, validationMessage }) => [nameOf(name), validationMessage]));
};

/** Fills the form in once all of it is loaded. Hydration has restored by then what was typed before it. */
function useWaking({ props, steps, change, store, read, keep }: Core, isReady: boolean): void {
  const wake = useEffectEvent((): void => {
    steps?.enterPressed();
    const { submission = null, asked, isLinked = false } = keep.part?.fillIn(store, props, steps?.isOwnEntry() === true) ?? {};
    const step = (asked && steps?.reach(asked)) || 0;
    change(changes.woke({ values: read(), step, submission }, isLinked));
  });
  useEffect(() => {
    if (isReady) wake();
  }, [isReady]);
}

/** Follows links of the page that make a choice. */
function useLinks(core: Core, isLinked: boolean): void {
  const follow = useEffectEvent((): void => void core.keep.part?.follow(core));
  useEffect(() => {
    if (!isLinked) return undefined;
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [isLinked]);
}

/** Moves the focus. */
function useFocus({ id, steps }: SiteForm, { focus }: State): void {
  const inSteps = steps.length > 0;
  useEffect(() => {
    // The headings of steps take the focus by themselves.
    if (focus === null || focus.on === "step" || (focus.on === "start" && inSteps)) return;
    const places = { summary: '[data-error=""]', start: "input:not([type=hidden]), select, textarea", end: ".form__done-title" };
    const place = focus.on === "field" ? `#${controlId({ id }, focus.name)}` : `form#${id} :is(${places[focus.on]})`;
    document.querySelector<HTMLElement>(place)?.focus();
  }, [focus, id, inSteps]);
}

/** Checks the answers, sends them if nothing is wrong, and shows what became of that. */
const attempt = async (core: Core): Promise<void> => {
  const { props, change, read, send, refused } = core;
  const values = read();
  change(changes.sending(values));
  try {
    // A script that is there finds what is wrong before the button says that anything is sent.
    await (send.part ?? (await send.get())).attempt(core, values);
  } catch {
    change(refused({ "": props.messages.networkError }));
  }
};

export function useSiteForm(props: SiteForm, store: Store, steps?: Steps): Filling {
  const { fields } = props;
  const [state, change] = useReducer((state: State, change: Change) => change(state), START);
  const isLinked = fields.some(({ choices }) => choices.some(({ anchors }) => anchors.length > 0));
  const isFilledIn = props.draft || isLinked || fields.some(({ fromQuery }) => fromQuery !== null);
  const keep = useLoaded(loadKeep, isFilledIn);
  const send = useLoaded(loadSend, true);
  const read = (): Values => valuesOf(props, store.data());
  const wrongOf = (values: Values): Errors => send.part?.wrongOf(props, values, store) ?? wrongForBrowser(props);
  const refused = steps?.refused ?? changes.refused;
  const answered = (values: Values): void => change(changes.answered(values, wrongOf(values)));
  const core: Core = { props, steps, state, change, store, read, answered, keep, send, refused };
  useWaking(core, keep.isSettled && send.isSettled && steps?.isLoaded !== false);
  useLinks(core, isLinked);
  useEffect(() => {
    if (state.isAwake) keep.part?.remember(props, state);
  }, [keep.part, props, state]);
  useFocus(props, state);
  // Before that, the form can be sent as it is: with what its call takes, and nothing else.
  const isSent = ({ unsent, look }: FormControl): boolean => !unsent || look === "buttons";
  return {
    state,
    change,
    store,
    shown: fields.filter((field) => (state.isAwake ? isShown(field, state.values) : isSent(field))),
    read,
    wrongOf,
    list: send.part,
    answer: () => {
      if (!state.isAwake) return;
      const values = read();
      answered(values);
      keep.part?.nameChoice(props, values);
    },
    submit: (event) => {
      event.preventDefault();
      // In steps, a failure is put away before the next attempt.
      const isPutAway = props.steps.length === 0 || state.errors[""] === undefined;
      if (state.phase === "open" && isPutAway) void attempt(core);
    },
    restart: () => {
      store.reset();
      keep.part?.nameChoice(props, {});
      send.part?.nameEnd(null);
      change(changes.restarted(read()));
    },
  };
}
