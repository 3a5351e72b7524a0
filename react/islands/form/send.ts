// Checks what was answered, and sends it: as JSON, or with files as a form. Nobody needs this module before they have answered,
// so it is loaded when the form wakes.

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
import { check, wrongFiles } from "./check";
import { TOKEN, trapOf, type Values } from "./fields";
import type { Change, Errors } from "./state";
import type { Store } from "./store";
import type { Core } from "./use-form";

export { ErrorList } from "./error-list";

/** What is sent is known, so that a retry is known to be one. */
export const kept =
  (submission: Submission): Change =>
  (state) => ({ ...state, submission });

/** The answer is stored. */
export const stored: Change = (state) => ({ ...state, phase: "done", submission: null, focus: { on: "end" } });

/** The captcha has to be solved again. */
export const renewed: Change = (state) => ({ ...state, captcha: state.captcha + 1 });

/** The messages for what is wrong, by the names of fields. */
export const wrongOf = (props: SiteForm, values: Values, store: Store): Errors =>
  check(props, values, new Date(), wrongFiles(props.fields, store.data()));

/** The answers as the API takes them. */
export const answersOf = (fields: FormControl[], values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = fields.find((field) => field.name === name);
      if (field?.takes === "flag") return [name, true];
      return [name, field?.list ? value : value[0]];
    }),
  );

interface Answered {
  values: Values;
  /** What the store of the form holds, with files. */
  entered: FormData;
  /** The token of the captcha. */
  token: string;
  /** What was entered into the control that only bots fill in. */
  trap: string;
  /** What was sent last. */
  last: Submission | null;
  /** Keeps what is sent, so that a retry is known to be one. */
  onSubmission: (submission: Submission) => void;
  /** Called if the captcha has to be solved again. */
  onSpent: () => void;
}

/** Sends an answer, and returns the response. Rejects if there is none, or if it is no object. */
const deliver = async (props: SiteForm, answered: Answered): Promise<Partial<FormAnswer>> => {
  const { fields, captcha } = props;
  const { values, entered, token } = answered;
  const answers: Record<string, unknown> =
    props.endpoint === "leads" ? (await import("./call")).leadOf(props, values) : answersOf(fields, values);
  const hasFiles = fields.some(({ takes }) => takes === "file");
  const sent = hasFiles ? new FormData() : null;
  for (const name of Object.keys(values)) for (const value of entered.getAll(name)) sent?.append(name, value);
  const files = [...(sent ?? [])].flatMap(([field, file]) =>
    typeof file === "string" || file.name === "" ? [] : [{ field, file }],
  );
  // Two files of one name are told apart by their size and date.
  const marks = files.map(({ file }) => `${file.size} ${file.lastModified}`);
  const submission = submissionOf(hasFiles ? { ...answers, _files: marks } : answers, answered.last);
  answered.onSubmission(submission);
  const address = files.length > 0 && props.endpoint === "forms" ? props.uploads : null;
  const uploads = address === null ? null : await import("./uploads");
  const uploaded = (address !== null && (await uploads?.upload(address, props, files))) || null;
  if (uploaded !== null && "refusal" in uploaded) return uploaded.refusal;
  for (const [name, all] of uploaded?.tokens ?? [])
    answers[name] = fields.find((field) => field.name === name)?.list ? all : all[0];
  if (captcha !== null) sent?.set(TOKEN, token);
  const tokens = props.endpoint === "leads" ? { recaptchaToken: token } : captcha === null ? {} : { [TOKEN]: token };
  const signals = new URLSearchParams({
    website: answered.trap,
    // Since the page was opened: the form wakes when the visitor reaches for it, and a browser may fill it in at once.
    elapsed: String(Math.round(performance.now())),
    ...(props.endpoint === "forms" && { page: props.page, version: props.version }),
    ...consentSignal(),
    ...visitSignals(),
  });
  const headers = {
    "accept-language": props.locale,
    [props.keyHeader]: submission.key,
    [props.signalsHeader]: String(signals),
  };
  const answer = await post(props.action, headers, (uploaded === null ? sent : null) ?? { ...answers, ...tokens });
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("invalid response format");
  uploads?.settle(answer);
  return answer as Partial<FormAnswer>;
};

/** What is wrong before anything is sent, by the names of fields; the empty name stands for the form. */
const faultsOf = (props: SiteForm, values: Values, store: Store, token: string): Errors => {
  const { captcha, errors, messages } = props;
  const found = wrongOf(props, values, store);
  if (captcha !== null && token === "") found[TOKEN] = errors.captcha_required ?? messages.captchaTitle;
  return Object.keys(found).length === 0 && navigator.onLine === false ? { "": messages.offline } : found;
};

/** Sends answers with which nothing is wrong, and returns what the API refuses. Rejects if there is no response, or no object. */
export const submit = async (props: SiteForm, answered: Answered): Promise<Errors> => {
  const { success, code, error, errors } = await deliver(props, answered);
  if (success === true) {
    announceLead(props.name);
    return {};
  }
  if (refusesCaptcha(code)) answered.onSpent();
  const named = Object.entries(errors ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = (typeof error === "string" && error) || props.messages.failedToSubmit;
  return named.length > 0 ? Object.fromEntries(named) : { "": text };
};

/** Sends answers if nothing is wrong with them, and shows what became of that. Rejects if there is no response, or no object. */
export const attempt = async ({ props, state, change, store, keep, refused }: Core, values: Values): Promise<void> => {
  const { submission, token } = state;
  const trap = document.querySelector<HTMLInputElement>(`form#${props.id} [name=${trapOf(props)}]`)?.value ?? "";
  const told = {
    onSubmission: (submission: Submission): void => change(kept(submission)),
    onSpent: (): void => change(renewed),
  };
  let errors = faultsOf(props, values, store, token);
  if (Object.keys(errors).length === 0)
    errors = await submit(props, { ...told, values, entered: store.data(), token, trap, last: submission });
  if (Object.keys(errors).length > 0) change(refused(errors));
  else {
    keep.part?.nameChoice(props, {});
    change(stored);
    nameEnd(props.successTitle);
  }
};

/** The title that the page has while the form is open. */
let title = "";

/** Says in the title of the page that the answer is stored, or with null what it said before. */
export const nameEnd = (end: string | null): void => {
  if (end === null && title === "") return;
  title ||= document.title;
  const site = document.querySelector("meta[property='og:site_name']")?.getAttribute("content");
  document.title = end === null ? title : `${end.replace(/\.$/, "")}${site ? ` · ${site}` : ""}`;
};
