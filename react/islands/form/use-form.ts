// What a form of the site does, however it is laid out: it is checked while it is on the page, sent as JSON, and keeps what
// was typed if that fails. The browser holds the answers; the state is what is shown.

import { type RefObject, type SyntheticEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormAnswer, FormControl, SiteForm } from "../../generated/wire";
import {
  announceLead,
  consentSignal,
  post,
  refusesCaptcha,
  type Submission,
  submissionOf,
  visitSignals,
} from "../../lib/submission";
import { answersOf, check, isShown, type Values, valuesOf, wrongFiles } from "./rules";

/** The name of the captcha among errors, and of its token in an answer. */
export const TOKEN = "_captcha";

/** Messages by the names of fields; the empty name stands for the form. */
export type Errors = Record<string, string>;

export const controlId = (form: Pick<SiteForm, "id">, name: string): string => `${form.id}-${name}`;

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
}

export interface Filling {
  form: RefObject<HTMLFormElement | null>;
  /** What says that the answer is stored. */
  done: RefObject<HTMLParagraphElement | null>;
  isHydrated: boolean;
  isBusy: boolean;
  isDone: boolean;
  /** The fields that are shown with these answers; before hydration all of them. */
  shown: FormControl[];
  values: Values;
  errors: Errors;
  /** What the errors are, in a sentence. */
  summary: string | undefined;
  /** Changes with each captcha that was refused. */
  round: number;
  /** Changes with each link that makes a choice on the open page. */
  linked: number;
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

const loadKeep = (): Promise<Keep> => import("./keep");

export function useSiteForm(props: SiteForm, steps?: Steps): Filling {
  const { fields, captcha, messages } = props;
  const hasFiles = fields.some(({ takes }) => takes === "file");
  const hasAnchors = fields.some(({ choices }) => choices.some(({ anchors }) => anchors.length > 0));
  const form = useRef<HTMLFormElement>(null);
  const done = useRef<HTMLParagraphElement>(null);
  const submission = useRef<Submission | null>(null);
  const keep = useRef<Keep | null>(null);
  /** The field with an error that takes the focus, or an empty name for what is said of the form. */
  const wrong = useRef<string | null>(null);
  const [isHydrated, setHydrated] = useState(false);
  const [sending, setSending] = useState<"open" | "sending" | "done">("open");
  const [values, setValues] = useState<Values>({});
  const [errors, setErrors] = useState<Errors>({});
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  const [followed, setFollowed] = useState(0);
  /** Whether the form was emptied, so that its first field takes the focus. */
  const isAgain = useRef(false);

  const typed = (): FormData => new FormData(form.current ?? undefined);
  const read = (): Values => valuesOf(props, typed());
  const wrongOf = (given: Values): Errors => check(props, given, new Date(), wrongFiles(fields, typed()));

  const wake = useEffectEvent((loaded: Keep | null): void => {
    keep.current = loaded;
    if (loaded !== null && form.current !== null) {
      const draft = loaded.fillIn(form.current, props);
      submission.current = draft?.submission ?? null;
      const linked = loaded.followLink(form.current, props, draft, steps?.isOwnEntry() === true);
      const at = linked === null ? draft?.step : steps?.stepOf(linked);
      if (at !== undefined) steps?.goTo(steps.allowed(at, read(), wrongOf(read())));
    }
    setValues(read());
    setHydrated(true);
  });
  useEffect(() => {
    const isFilledIn = props.draft || hasAnchors || props.fields.some(({ fromQuery }) => fromQuery !== null);
    // Hydration restores what was typed before it after this effect.
    if (isFilledIn) loadKeep().then(wake, () => wake(null));
    else queueMicrotask(() => wake(null));
  }, [hasAnchors, props]);

  // A link on the page itself. The history of the browser leads to entries that the form has written; that is no link.
  const follow = useEffectEvent(async (): Promise<void> => {
    const [loaded, place] = [keep.current, form.current];
    if (loaded === null || place === null || sending !== "open" || steps?.isOwnEntry()) return;
    const answers = loaded.linked(props, read()) ?? [];
    for (const answer of answers) {
      await loaded.chooseOnceOffered(place, answer);
      setValues(read());
    }
    const [name] = answers.at(-1) ?? [];
    if (name === undefined) return;
    setErrors({});
    steps?.goTo(steps.allowed(steps.stepOf(name), read(), wrongOf(read())));
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
    if (sending !== "open" || !isAgain.current) return;
    isAgain.current = false;
    // In steps, the heading of the first one takes it.
    if (!inSteps) form.current?.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea")?.focus();
  }, [inSteps, sending]);

  const show = (next: Errors): void => {
    setErrors(next);
    setSending("open");
    if (Object.keys(next).length === 0) return;
    const names = Object.keys(next).filter((name) => name !== "");
    if (steps) names.sort((one, other) => steps.stepOf(one) - steps.stepOf(other));
    const [first] = names;
    if (first !== undefined) steps?.goTo(steps.stepOf(first));
    wrong.current = first ?? "";
  };
  // The step of the field is shown by then.
  useEffect(() => {
    const name = wrong.current;
    wrong.current = null;
    if (name === null) return;
    const place = name === "" ? form.current?.querySelector("[role=alert]") : document.getElementById(controlId(props, name));
    if (place instanceof HTMLElement) place.focus();
  }, [errors, props]);

  const settle = (answer: Partial<FormAnswer>): void => {
    if (answer.success === true) {
      submission.current = null;
      announceLead(props.name);
      keep.current?.nameChoice(props, {});
      setSending("done");
      return;
    }
    if (refusesCaptcha(answer.code)) setRound(round + 1);
    const named = Object.entries(answer.errors ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const text = answer.error || messages.failedToSubmit;
    show(named.length > 0 ? Object.fromEntries(named) : { "": text });
  };

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (sending !== "open") return;
    const given = read();
    const found: Errors = wrongOf(given);
    if (captcha !== null && token === "") found[TOKEN] = props.errors.captcha_required ?? messages.captchaTitle;
    setValues(given);
    if (Object.keys(found).length > 0 || navigator.onLine === false) {
      show(Object.keys(found).length > 0 ? found : { "": messages.offline });
      return;
    }
    setErrors({});
    setSending("sending");
    const answers = answersOf(fields, given);
    const sent = hasFiles ? typed() : null;
    // Two files of one name are told apart by their size and date.
    const marks = [...(sent?.values() ?? [])].map((value) =>
      typeof value === "string" ? "" : `${value.size} ${value.lastModified}`,
    );
    submission.current = submissionOf({ ...answers, _files: marks }, submission.current);
    if (captcha !== null) sent?.set(TOKEN, token);
    const trap = form.current?.querySelector<HTMLInputElement>("[name=_website]");
    const signals = new URLSearchParams({
      website: trap?.value ?? "",
      // Since the page was opened: the form wakes when the visitor reaches for it, and a browser may fill it in at once.
      elapsed: String(Math.round(performance.now())),
      page: props.page,
      version: props.version,
      ...consentSignal(),
      ...visitSignals(),
    });
    const headers = {
      "accept-language": props.locale,
      [props.keyHeader]: submission.current.key,
      [props.signalsHeader]: String(signals),
    };
    post(props.action, headers, sent ?? (captcha === null ? answers : { ...answers, [TOKEN]: token }))
      .then((answer) => settle((answer ?? {}) as Partial<FormAnswer>))
      .catch(() => show({ "": messages.networkError }));
  };

  const change = (): void => {
    if (!isHydrated) return;
    const given = read();
    setValues(given);
    keep.current?.nameChoice(props, given);
    // A message goes as soon as its field is right.
    if (Object.keys(errors).length > 0) {
      const still = wrongOf(given);
      setErrors(Object.fromEntries(Object.entries(errors).filter(([name]) => name === TOKEN || still[name] !== undefined)));
    }
  };

  const restart = (): void => {
    form.current?.reset();
    isAgain.current = true;
    setValues({});
    setErrors({});
    setRound(round + 1);
    setSending("open");
    steps?.goTo(0);
  };

  // A solved captcha takes its message away.
  const visible: Errors = Object.fromEntries(Object.entries(errors).filter(([name]) => name !== TOKEN || token === ""));
  const shown = isHydrated ? fields.filter((field) => isShown(field, values)) : fields;
  const labels = shown.filter(({ name }) => visible[name] !== undefined).map(({ label }) => label);
  if (visible[TOKEN] !== undefined) labels.push(messages.captchaTitle);
  const summary = visible[""] ?? (labels.length > 0 ? `${messages.fixErrors} ${labels.join(", ")}` : undefined);
  return {
    form,
    done,
    isHydrated,
    isBusy: sending === "sending",
    isDone: sending === "done",
    shown,
    values,
    errors: visible,
    summary,
    round,
    linked: followed,
    read,
    wrongOf,
    show,
    submit,
    change,
    restart,
    setToken,
  };
}
