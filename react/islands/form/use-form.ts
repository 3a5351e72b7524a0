// What a form of the site does, however it is laid out: it is checked while it is on the page, sent as JSON, and keeps what
// was typed if that fails. The store holds the answers (store.ts); the state is what is shown.

import { type RefObject, type SyntheticEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import type { Submission } from "../../lib/submission";
import { controlId, controlOf, TOKEN, trapOf } from "./names";
import { isShown, type Values, valuesOf } from "./rules";
import type { Store } from "./store";

/** Messages by the names of fields; the empty name stands for the form. */
export type Errors = Record<string, string>;

/** What a form in steps adds. */
interface Steps {
  /** The step that is shown, from 0. */
  at: number;
  /** Shows a step: that of the draft, or of a field with an error. */
  goTo: (at: number) => void;
  /** The step of a field, a consent or the captcha. */
  stepOf: (name: string) => number;
  /** The step that is shown if one is asked for. */
  allowed: (asked: number, values: Values, errors: Errors) => number;
  /** Whether the form has written the current entry of the browser's history. */
  isOwnEntry: () => boolean;
  /** Loads what later steps show. The store of the form may be another one then. */
  load: () => Promise<void>;
  /** Writes the step into an entry that something else has made, such as a link to a heading of the page. */
  writeEntry: () => void;
}

export interface Filling {
  form: RefObject<HTMLFormElement | null>;
  /** What says that the answer is stored. */
  done: RefObject<HTMLHeadingElement | null>;
  isHydrated: boolean;
  isBusy: boolean;
  isDone: boolean;
  /** The fields that are shown with these answers; before hydration all of them. */
  shown: FormControl[];
  values: Values;
  errors: Errors;
  /** The errors of the last attempt, as long as one of them is left, so that nothing moves while they are corrected. */
  listed: Errors;
  store: Store;
  token: string;
  /** Changes with each captcha that was refused. */
  round: number;
  /** Changes with each link that makes a choice. */
  linked: number;
  /** Changes when the form was emptied. */
  again: number;
  /** The values as they are now, which may be newer than `values`. */
  read: () => Values;
  wrongOf: (given: Values) => Errors;
  /** Shows errors and leads to the first of them, or takes them away. */
  show: (errors: Errors) => void;
  submit: (event: SyntheticEvent) => void;
  change: () => void;
  /** Empties the form after an answer was stored, for another one. */
  restart: () => void;
  setToken: (token: string) => void;
}

type Keep = typeof import("./keep");
type Send = typeof import("./send");

const loadKeep = (): Promise<Keep> => import("./keep");
const loadSend = (): Promise<Send> => import("./send");

/** What the browser finds wrong with the controls on the page, if the script that checks them could not be loaded. */
const wrongForBrowser = ({ fields }: SiteForm, form: HTMLFormElement | null): Errors => {
  const errors: Errors = {};
  for (const control of form?.elements ?? []) {
    if (!("validationMessage" in control && "name" in control) || control.validationMessage === "") continue;
    const field = fields.find((field) => controlOf(field) === control.name);
    errors[field?.name ?? String(control.name)] = String(control.validationMessage);
  }
  return errors;
};

export function useSiteForm(props: SiteForm, store: Store, steps?: Steps): Filling {
  const { fields, messages } = props;
  const hasAnchors = fields.some(({ choices }) => choices.some(({ anchors }) => anchors.length > 0));
  const form = useRef<HTMLFormElement>(null);
  const done = useRef<HTMLHeadingElement>(null);
  const submission = useRef<Submission | null>(null);
  const keep = useRef<Keep | null>(null);
  const send = useRef<Send | null>(null);
  /** Whether the button was pressed: a second press may come before the form shows that. */
  const isSending = useRef(false);
  /** The field with an error that takes the focus, or an empty name for what is said of the form. */
  const wrong = useRef<string | null>(null);
  const [isHydrated, setHydrated] = useState(false);
  const [sending, setSending] = useState<"open" | "sending" | "done">("open");
  const [values, setValues] = useState<Values>({});
  const [errors, setErrors] = useState<Errors>({});
  const [attempt, setAttempt] = useState<Errors>({});
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  const [followed, setFollowed] = useState(0);
  /** Whether the form was emptied, so that its first field takes the focus. */
  const isAgain = useRef(false);
  const [again, setAgain] = useState(0);

  const read = (): Values => valuesOf(props, store.data());
  const wrongOf = (given: Values): Errors => send.current?.wrongOf(props, given, store) ?? wrongForBrowser(props, form.current);

  const wake = useEffectEvent((): void => {
    const filled = keep.current?.fillIn(store, props, steps?.isOwnEntry() === true);
    submission.current = filled?.submission ?? null;
    const at = filled?.linked === undefined ? filled?.step : steps?.stepOf(filled.linked);
    // The visitor may already have gone on.
    if (at !== undefined && steps?.at === 0) steps.goTo(steps.allowed(at, read(), wrongOf(read())));
    if (filled?.linked !== undefined) setFollowed(1);
    setValues(read());
    setHydrated(true);
  });
  const loadSteps = useEffectEvent(async (): Promise<void> => steps?.load());
  const isFilledIn = props.draft || hasAnchors || fields.some(({ fromQuery }) => fromQuery !== null);
  useEffect(() => {
    // Hydration restores what was typed before it after this effect.
    const parts = [isFilledIn ? loadKeep().catch(() => null) : null, loadSend().catch(() => null), loadSteps()] as const;
    void Promise.all(parts).then((loaded) => {
      [keep.current, send.current] = loaded;
      wake();
    });
  }, [isFilledIn]);

  // A link on the page itself. The history of the browser leads to entries that the form has written; that is no link.
  const follow = useEffectEvent(async (): Promise<void> => {
    // The entry that the form goes back to may name what was sent.
    if (sending === "done") keep.current?.nameChoice(props, {});
    if (keep.current === null || sending !== "open" || steps?.isOwnEntry()) return;
    const field = await keep.current.follow(store, props, read, setValues);
    if (field === null) {
      steps?.writeEntry();
      return;
    }
    setErrors({});
    steps?.goTo(steps.allowed(steps.stepOf(field), read(), wrongOf(read())));
    setFollowed((times) => times + 1);
  });
  useEffect(() => {
    if (!hasAnchors) return undefined;
    const changed = (): void => void follow();
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, [hasAnchors]);

  const inSteps = steps !== undefined;
  const step = steps?.at ?? 0;
  useEffect(() => {
    if (!isHydrated || !props.draft) return;
    if (sending === "done") keep.current?.forget(props);
    else keep.current?.save(props, { values, step, submission: submission.current });
  }, [isHydrated, props, sending, step, values]);
  useEffect(() => {
    if (sending === "done") done.current?.focus();
    send.current?.nameEnd(sending === "done" ? props.successTitle : null);
    if (sending !== "open" || !isAgain.current) return;
    isAgain.current = false;
    // In steps, the heading of the first one takes it.
    if (!inSteps) form.current?.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea")?.focus();
  }, [inSteps, sending, props.successTitle]);

  const show = (next: Errors): void => {
    setErrors(next);
    setAttempt(next);
    setSending("open");
    if (Object.keys(next).length === 0) return;
    const names = Object.keys(next).filter((name) => name !== "");
    if (steps) names.sort((one, other) => steps.stepOf(one) - steps.stepOf(other));
    const [first] = names;
    if (first !== undefined) steps?.goTo(steps.stepOf(first));
    // In steps, a list leads to several errors, and a failure has a panel that takes no focus.
    const isListed = steps !== undefined && names.filter((name) => steps.stepOf(name) === steps.stepOf(first ?? "")).length > 1;
    if (first === undefined && steps !== undefined) return;
    wrong.current = isListed ? "" : (first ?? "");
  };
  // The step of the field is shown by then.
  useEffect(() => {
    const name = wrong.current;
    wrong.current = null;
    if (name === null) return;
    const place = name === "" ? form.current?.querySelector('[data-error=""]') : document.getElementById(controlId(props, name));
    if (place instanceof HTMLElement) place.focus();
  }, [errors, props]);

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    // In steps, a failure is put away before the next attempt.
    if (isSending.current || sending !== "open" || (steps !== undefined && errors[""] !== undefined)) return;
    isSending.current = true;
    const given = read();
    setValues(given);
    const trap = form.current?.querySelector<HTMLInputElement>(`[name=${trapOf(props)}]`)?.value ?? "";
    loadSend()
      .then((loaded) => {
        send.current = loaded;
        return loaded.submit(props, {
          values: given,
          store,
          token,
          trap,
          last: submission.current,
          keep: (next) => {
            submission.current = next;
            if (props.draft) keep.current?.save(props, { values: given, step, submission: next });
          },
          show,
          begin: () => {
            setErrors({});
            setSending("sending");
          },
          finish: () => {
            submission.current = null;
            keep.current?.nameChoice(props, {});
            setSending("done");
          },
          renew: () => setRound(round + 1),
        });
      })
      .catch(() => show({ "": messages.networkError }))
      .finally(() => {
        isSending.current = false;
      });
  };

  const change = (): void => {
    if (!isHydrated) return;
    const given = read();
    setValues(given);
    keep.current?.nameChoice(props, given);
    // A message goes as soon as its field is right, and says what is wrong now.
    if (Object.keys(errors).length > 0) {
      const still = wrongOf(given);
      const left = Object.entries(errors).map(([name, said]) => [name, name === TOKEN ? said : still[name]] as const);
      setErrors(Object.fromEntries(left.filter((entry): entry is [string, string] => entry[1] !== undefined)));
    }
  };

  const restart = (): void => {
    store.reset();
    isAgain.current = true;
    submission.current = null;
    keep.current?.nameChoice(props, {});
    setValues(read());
    setErrors({});
    setRound(round + 1);
    setAgain(again + 1);
    setSending("open");
    steps?.goTo(0);
  };

  // A solved captcha takes its message away.
  const visible: Errors = Object.fromEntries(Object.entries(errors).filter(([name]) => name !== TOKEN || token === ""));
  // Before that, the form can be sent as it is: with what its call takes, and nothing else.
  const isSent = ({ unsent, look }: FormControl): boolean => !unsent || look === "buttons";
  const shown = fields.filter((field) => (isHydrated ? isShown(field, values) : isSent(field)));
  const isLeft = Object.keys(attempt).some((name) => name !== "" && visible[name] !== undefined);
  return {
    form,
    done,
    isHydrated,
    isBusy: sending === "sending",
    isDone: sending === "done",
    shown,
    values,
    errors: visible,
    listed: isLeft ? attempt : {},
    store,
    token,
    round,
    linked: followed,
    again,
    read,
    wrongOf,
    show,
    submit,
    change,
    restart,
    setToken,
  };
}
