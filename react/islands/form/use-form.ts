// What a form of the site does, however it is laid out: it is checked while it is on the page, sent as JSON, and keeps what
// was typed if that fails. The store holds the answers (store.ts); the state is what is shown (state.ts).

import { type Dispatch, type SyntheticEvent, useCallback, useEffect, useEffectEvent, useReducer } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { type Loaded, useLoaded } from "../../lib/loaded";
import type { Submission } from "../../lib/submission";
import { controlId, controlOf, isShown, trapOf, type Values, valuesOf } from "./fields";
import * as changes from "./state";
import { type Change, type Errors, START, type State } from "./state";
import type { Store } from "./store";

/** What a form in steps adds. Steps are numbered from 0. */
interface Steps {
  /** Whether what later steps show is loaded. The store of the form may be another one before. */
  isLoaded: boolean;
  /** The step of a field, a consent or the captcha. */
  stepOf: (name: string) => number;
  /** The step that is shown if one is asked for: the answers may not lead there. */
  reach: (asked: number) => number;
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
  /** A control was changed. */
  answer: () => void;
  submit: (event: SyntheticEvent) => void;
  /** Empties the form after an answer was stored, for another one. */
  restart: () => void;
  solve: (token: string) => void;
}

type Keep = typeof import("./keep");
type Send = typeof import("./send");

const loadKeep = (): Promise<Keep> => import("./keep");
const loadSend = (): Promise<Send> => import("./send");

/** What the hooks below share. */
interface Core extends Pick<Filling, "state" | "change" | "store" | "read" | "wrongOf"> {
  props: SiteForm;
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
function useWaking({ props, steps, state, change, store, read, keep }: Core, isReady: boolean): void {
  const wake = useEffectEvent((): void => {
    // What was pressed is not in the controls.
    for (const field of props.fields) {
      const pressed = field.look === "buttons" && state.values[field.name];
      if (pressed) store.set(controlOf(field), pressed);
    }
    const filled = keep.part?.fillIn(store, props, steps?.isOwnEntry() === true);
    const linked = filled?.linked;
    const asked = linked === undefined ? filled?.step : steps?.stepOf(linked);
    const step = asked && steps ? steps.reach(asked) : 0;
    change(changes.woke({ values: read(), step, submission: filled?.submission ?? null }, linked !== undefined));
  });
  useEffect(() => {
    if (isReady) wake();
  }, [isReady]);
}

/** Follows links of the page that make a choice. */
function useLinks({ props, steps, state, change, store, read, wrongOf, keep }: Core, isLinked: boolean): void {
  // The history of the browser leads to entries that the form has written; that is no link.
  const follow = useEffectEvent(async (): Promise<void> => {
    // The entry that the form goes back to may name what was sent.
    if (state.phase === "done") keep.part?.nameChoice(props, {});
    if (keep.part === null || state.phase !== "open" || steps?.isOwnEntry()) return;
    const onAnswer = (values: Values): void => change(changes.answered(values, wrongOf(values)));
    const field = await keep.part.follow(store, props, read, onAnswer);
    if (field === null) steps?.writeEntry();
    else change(changes.went(steps ? steps.reach(steps.stepOf(field)) : 0));
  });
  useEffect(() => {
    if (!isLinked) return undefined;
    const changed = (): void => void follow();
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, [isLinked]);
}

/** Keeps the draft. */
function useDraft(props: SiteForm, state: State, keep: Keep | null): void {
  const { isAwake, phase, values, step, submission } = state;
  useEffect(() => {
    if (!isAwake || !props.draft) return;
    if (phase === "done") keep?.forget(props);
    else keep?.save(props, { values, step, submission });
  }, [isAwake, keep, phase, props, step, submission, values]);
}

/** Moves the focus, and names the end in the title of the page. */
function useFocus({ id, successTitle, steps }: SiteForm, { phase, focus }: State, send: Send | null): void {
  const inSteps = steps.length > 0;
  useEffect(() => {
    send?.nameEnd(phase === "done" ? successTitle : null);
  }, [phase, send, successTitle]);
  useEffect(() => {
    // The headings of steps take the focus by themselves.
    if (focus === null || focus.on === "step" || (focus.on === "start" && inSteps)) return;
    const places = { summary: '[data-error=""]', start: "input:not([type=hidden]), select, textarea", end: ".form__done-title" };
    const place = focus.on === "field" ? `#${controlId({ id }, focus.name)}` : `form#${id} :is(${places[focus.on]})`;
    document.querySelector<HTMLElement>(place)?.focus();
  }, [focus, id, inSteps]);
}

/** Checks the answers, sends them if nothing is wrong, and shows what became of that. */
const attempt = async ({ props, steps, state, change, store, read, keep, send }: Core): Promise<void> => {
  const { submission, token } = state;
  const values = read();
  const trap = document.querySelector<HTMLInputElement>(`form#${props.id} [name=${trapOf(props)}]`)?.value ?? "";
  const told = {
    onSubmission: (submission: Submission): void => change(changes.kept(submission)),
    onSpent: (): void => change(changes.renewed),
  };
  change(changes.sending(values));
  try {
    // A script that is there finds what is wrong before the button says that anything is sent.
    const { faultsOf, submit } = send.part ?? (await send.get());
    let errors = faultsOf(props, values, store, token);
    if (Object.keys(errors).length === 0)
      errors = await submit(props, { ...told, values, entered: store.data(), token, trap, last: submission });
    if (Object.keys(errors).length > 0) change(changes.refused(errors, steps?.stepOf));
    else {
      keep.part?.nameChoice(props, {});
      change(changes.stored);
    }
  } catch {
    change(changes.refused({ "": props.messages.networkError }, steps?.stepOf));
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
  const core: Core = { props, steps, state, change, store, read, wrongOf, keep, send };
  useWaking(core, keep.isSettled && send.isSettled && steps?.isLoaded !== false);
  useLinks(core, isLinked);
  useDraft(props, state, keep.part);
  useFocus(props, state, send.part);
  // Before that, the form can be sent as it is: with what its call takes, and nothing else.
  const isSent = ({ unsent, look }: FormControl): boolean => !unsent || look === "buttons";
  return {
    state,
    change,
    store,
    shown: fields.filter((field) => (state.isAwake ? isShown(field, state.values) : isSent(field))),
    read,
    wrongOf,
    answer: () => {
      if (!state.isAwake) return;
      const values = read();
      change(changes.answered(values, wrongOf(values)));
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
      change(changes.restarted(read()));
    },
    solve: useCallback((token: string) => change(changes.solved(token)), []),
  };
}
