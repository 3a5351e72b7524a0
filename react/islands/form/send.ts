// Sends what was answered: as JSON, or with files as a form. Nobody needs this module before they have answered, so it is
// loaded when the form is awake.

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
import type { Values } from "./rules";
import { TOKEN } from "./use-form";

export { announceLead, refusesCaptcha };

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
  keep: (submission: Submission) => void;
}

/** Sends an answer, and returns the response. Rejects if there is none, or if it is no object. */
export const deliver = async (props: SiteForm, answered: Answered): Promise<Partial<FormAnswer>> => {
  const { fields, message, captcha } = props;
  const { values, entered, token } = answered;
  const answers = message === null ? answersOf(fields, values) : (await import("./call")).leadOf({ fields, message }, values);
  const hasFiles = fields.some(({ takes }) => takes === "file");
  const sent = hasFiles ? new FormData() : null;
  for (const name of Object.keys(values)) for (const value of entered.getAll(name)) sent?.append(name, value);
  // Two files of one name are told apart by their size and date.
  const marks = [...(sent?.values() ?? [])].map((value) =>
    typeof value === "string" ? "" : `${value.size} ${value.lastModified}`,
  );
  const submission = submissionOf(hasFiles ? { ...answers, _files: marks } : answers, answered.last);
  answered.keep(submission);
  if (captcha !== null) sent?.set(TOKEN, token);
  const tokens = message === null ? (captcha === null ? {} : { [TOKEN]: token }) : { recaptchaToken: token };
  const signals = new URLSearchParams({
    website: answered.trap,
    // Since the page was opened: the form wakes when the visitor reaches for it, and a browser may fill it in at once.
    elapsed: String(Math.round(performance.now())),
    ...(message === null ? { page: props.page, version: props.version } : {}),
    ...consentSignal(),
    ...visitSignals(),
  });
  const headers = {
    "accept-language": props.locale,
    [props.keyHeader]: submission.key,
    [props.signalsHeader]: String(signals),
  };
  const answer = await post(props.action, headers, sent ?? { ...answers, ...tokens });
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("invalid response format");
  return answer as Partial<FormAnswer>;
};
