// Sends a lead: the payload with its message, the idempotency key, and the parser for the response.

import type { LeadAnswer, LeadForm, LeadRequest } from "../../generated/wire";
import { post } from "../../lib/submission";
import { fill } from "../../lib/words";

export { type Submission, submissionOf } from "../../lib/submission";

/** Values of the form's fields. */
export interface Fields {
  name: string;
  company: string;
  position: string;
  email: string;
  phone: string;
  hasApp: "yes" | "no";
  appName: string;
  appType: string;
  appDescription: string;
  /** Whatever else the visitor wants to say. */
  message: string;
}

/** The fields of an application, without values. */
const NO_APP = { appName: "", appType: "", appDescription: "" };

export const EMPTY: Fields = {
  name: "",
  company: "",
  position: "",
  email: "",
  phone: "",
  hasApp: "no",
  ...NO_APP,
  message: "",
};

/** The payload without the captcha's token. Its message is in the language of the page. */
export type Lead = Omit<LeadRequest, "recaptchaToken">;

type Words = Pick<LeadForm, "messages" | "appTypes">;

/**
 * Trims all fields, and clears those that are hidden: the position without a company, the app fields without an app.
 */
const visibleFields = (fields: Fields): Fields => {
  const trimmed = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()])) as unknown as Fields;
  if (trimmed.company === "") trimmed.position = "";
  if (trimmed.hasApp !== "yes") Object.assign(trimmed, NO_APP);
  return trimmed;
};

export const leadOf = (fields: Fields, service: string, { messages, appTypes }: Words): Lead => {
  const { name, company, position, email, phone, hasApp, appName, appType, appDescription, message } = visibleFields(fields);
  const lines: [string, string][] = [
    [messages.messageService, service],
    [messages.messagePosition, position],
    [messages.messageHasApp, hasApp === "yes" ? messages.hasAppYes : messages.hasAppNo],
    [messages.messageAppName, appName],
    [messages.messageAppType, appTypes.find(({ id }) => id === appType)?.name ?? appType],
    [messages.messageAppDescription, appDescription],
  ];
  const parts = lines.filter(([, value]) => value !== "").map(([line, value]) => fill(line, { value }));
  if (message !== "") parts.push("", message);
  return {
    name,
    email,
    company,
    phone,
    projectType: service,
    message: parts.join("\n"),
    // Those that are left blank are not sent.
    ...Object.fromEntries(Object.entries({ appName, appType, appDescription }).filter(([, value]) => value !== "")),
  };
};

export type Outcome = { success: true } | { success: false; error: string | null; code: LeadAnswer["code"]; isNetwork: boolean };

const read = (answer: unknown): Outcome => {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("invalid response format");
  const { success, error, code } = answer as Partial<LeadAnswer>;
  if (success === true) return { success };
  return {
    success: false,
    error: typeof error === "string" && error !== "" ? error : null,
    code: code ?? null,
    isNetwork: false,
  };
};

export interface Post {
  lead: Lead;
  token: string;
  key: string;
  /** URL-encoded. */
  signals: string;
}

/** Sends the lead. It never rejects: unreachable servers and invalid responses result in a network failure. */
export const send = async (
  { api, locale, keyHeader, signalsHeader }: LeadForm,
  { lead, token, key, signals }: Post,
): Promise<Outcome> => {
  try {
    const headers = { "accept-language": locale, [keyHeader]: key, [signalsHeader]: signals };
    return read(await post(api, headers, { ...lead, recaptchaToken: token } satisfies LeadRequest));
  } catch {
    return { success: false, error: null, code: null, isNetwork: true };
  }
};
