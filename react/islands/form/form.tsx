// A form of the site. Without script it is sent as it is, and the API answers with the page. With script it is checked while it
// is on the page, sent as JSON, and keeps what was typed if that fails. The browser holds the answers; the state is what is
// shown.

import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from "react";
import type { FormAnswer, SiteForm as Props } from "../../generated/wire";
import { Captcha } from "../../lib/captcha";
import { announceLead, consentSignal, post, type Submission, submissionOf, visitSignals } from "../../lib/submission";
import { Control, controlId, Message, Required } from "./control";
import { answersOf, check, isShown, type Values, valuesOf, wrongFiles } from "./rules";

/** Response codes after which the captcha must be solved again. */
const CAPTCHA = new Set<unknown>(["captcha_required", "captcha_refused"]);
/** The name of the captcha among errors, and of its token in an answer. */
const TOKEN = "_captcha";

type Errors = Record<string, string>;
type Sending = "open" | "sending" | "done";

export default function SiteForm(props: Props): ReactNode {
  const { fields, consents, captcha, messages, id } = props;
  const hasFiles = fields.some(({ takes }) => takes === "file");
  const form = useRef<HTMLFormElement>(null);
  const done = useRef<HTMLParagraphElement>(null);
  const submission = useRef<Submission | null>(null);
  const [isHydrated, setHydrated] = useState(false);
  const [sending, setSending] = useState<Sending>("open");
  const [values, setValues] = useState<Values>({});
  const [errors, setErrors] = useState<Errors>({});
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);

  const typed = (): FormData => new FormData(form.current ?? undefined);
  const read = (): Values => valuesOf(props, typed());
  const wrongOf = (given: Values): Errors => check(props, given, new Date(), wrongFiles(fields, typed()));
  useEffect(() => {
    // Hydration restores what was typed before it after this effect.
    queueMicrotask(() => {
      setValues(valuesOf(props, new FormData(form.current ?? undefined)));
      setHydrated(true);
    });
  }, [props]);
  useEffect(() => {
    if (sending === "done") done.current?.focus();
  }, [sending]);

  /** Shows errors, and leads to the first of them. */
  const fail = (next: Errors): void => {
    setErrors(next);
    setSending("open");
    const [first] = Object.keys(next).filter((name) => name !== "");
    requestAnimationFrame(() => {
      const place =
        first === undefined ? form.current?.querySelector("[role=alert]") : document.getElementById(controlId(props, first));
      if (place instanceof HTMLElement) place.focus();
    });
  };

  const settle = (answer: Partial<FormAnswer>): void => {
    if (answer.success === true) {
      submission.current = null;
      announceLead(props.name);
      setSending("done");
      return;
    }
    if (CAPTCHA.has(answer.code)) setRound(round + 1);
    const named = Object.entries(answer.errors ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const text = answer.error || messages.failedToSubmit;
    fail(named.length > 0 ? Object.fromEntries(named) : { "": text });
  };

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (sending !== "open") return;
    const given = read();
    const wrong: Errors = wrongOf(given);
    if (captcha !== null && token === "") wrong[TOKEN] = props.errors.captcha_required ?? messages.captchaTitle;
    setValues(given);
    if (Object.keys(wrong).length > 0 || navigator.onLine === false) {
      fail(Object.keys(wrong).length > 0 ? wrong : { "": messages.offline });
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
      .catch(() => fail({ "": messages.networkError }));
  };

  const change = (): void => {
    if (!isHydrated) return;
    const given = read();
    setValues(given);
    // A message goes as soon as its field is right.
    if (Object.keys(errors).length > 0) {
      const wrong = wrongOf(given);
      setErrors(Object.fromEntries(Object.entries(errors).filter(([name]) => name === TOKEN || wrong[name] !== undefined)));
    }
  };

  // A solved captcha takes its message away.
  const visible: Errors = Object.fromEntries(Object.entries(errors).filter(([name]) => name !== TOKEN || token === ""));
  const shown = isHydrated ? fields.filter((field) => isShown(field, values)) : fields;
  const isBusy = sending === "sending";
  const labels = shown.filter(({ name }) => visible[name] !== undefined).map(({ label }) => label);
  if (visible[TOKEN] !== undefined) labels.push(messages.captchaTitle);
  const summary = visible[""] ?? (labels.length > 0 ? `${messages.fixErrors} ${labels.join(", ")}` : undefined);
  return (
    <form
      className="form"
      id={id}
      method="post"
      action={props.action}
      acceptCharset="utf-8"
      encType={hasFiles ? "multipart/form-data" : undefined}
      data-form={props.name}
      noValidate={isHydrated}
      ref={form}
      onSubmit={submit}
      onChange={change}
      lang={props.locale}
    >
      <div className="form__done" data-done="" hidden={sending !== "done"}>
        <p className="form__done-title" ref={done} tabIndex={-1}>
          {props.successTitle}
        </p>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
        <div dangerouslySetInnerHTML={{ __html: props.successText }} />
      </div>
      <div className="form__fields" data-fields="" hidden={sending === "done"}>
        <p className="form__error form__summary" data-error="" role="alert" tabIndex={-1} hidden={summary === undefined}>
          {summary}
        </p>
        <input type="hidden" name="_lang" value={props.locale} />
        <input type="hidden" name="_page" value={props.page} />
        <input type="hidden" name="_version" value={props.version} />
        {shown.map((field) => (
          <Control form={props} field={field} error={visible[field.name]} isHydrated={isHydrated} key={field.name} />
        ))}
        {consents.map(({ name, html, hash }) => {
          const control = controlId(props, name);
          return (
            <div className="form__field" key={name}>
              <label className="form__option">
                <input
                  type="checkbox"
                  name={name}
                  id={control}
                  value={hash}
                  required
                  aria-invalid={visible[name] === undefined ? undefined : true}
                  aria-describedby={`${control}-error`}
                />
                <span>
                  {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site. */}
                  <span dangerouslySetInnerHTML={{ __html: html }} />
                  <Required form={props} />
                </span>
              </label>
              <Message id={`${control}-error`} name={name} error={visible[name]} />
            </div>
          );
        })}
        <div className="form__trap" aria-hidden="true">
          <label htmlFor={`${id}-trap`}>{messages.leaveEmpty}</label>
          <input type="text" name="_website" id={`${id}-trap`} tabIndex={-1} autoComplete="off" />
        </div>
        {captcha !== null && isHydrated && (
          <div id={controlId(props, TOKEN)} tabIndex={-1}>
            <Captcha
              key={round}
              captcha={captcha}
              messages={messages}
              email={props.email}
              phone={props.phone}
              block="form"
              onToken={setToken}
            />
            <Message name={TOKEN} error={visible[TOKEN]} />
          </div>
        )}
        <button className="button button--primary" type="submit" aria-disabled={isBusy || undefined}>
          {isBusy ? messages.submitting : props.submit}
        </button>
      </div>
    </form>
  );
}
