// Sends what a form holds: with a key that retries of the same content share, and within a time limit.

/** The idempotency key of what is sent. Retries of the same content reuse it. */
export interface Submission {
  key: string;
  /** What was sent, as JSON. */
  lead: string;
}

/** Generates a key. `crypto.randomUUID` is limited to secure contexts, and a preview over HTTP on a LAN is not one. */
const fresh = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const submissionOf = (content: object, last: Submission | null): Submission => {
  const text = JSON.stringify(content);
  return last?.lead === text ? last : { key: fresh(), lead: text };
};

/** Whether the captcha must be solved again after a response with this code. */
export const refusesCaptcha = (code: unknown): boolean => code === "captcha_required" || code === "captcha_refused";

/** The visitor's choice about the service that counts visits, as `react/visits/choice.ts` keeps it; a signal of a form. */
export const consentSignal = (): Record<string, string> => {
  const { consent } = document.documentElement.dataset;
  return consent === undefined ? {} : { consent };
};

/** Where `react/first-page.ts` keeps the first page of a visit, in the session storage of the tab. */
export const FIRST_PAGE = "sitegen:first-page";

/** The first page of the visit, as signals of a form, if the site keeps it. */
export const visitSignals = (): Record<string, string> => {
  try {
    return Object.fromEntries(new URLSearchParams(sessionStorage.getItem(FIRST_PAGE) ?? ""));
  } catch {
    return {};
  }
};

/** Tells scripts of the site that a lead was stored. */
export const announceLead = (form: string): void => {
  document.dispatchEvent(new CustomEvent("sitegen:lead", { detail: { form } }));
};

/** Time limits of a request, and of one with files, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;
const UPLOAD_TIMEOUT = 90_000;

/** Gives a request up after so many milliseconds. */
export const limited = async <T>(limit: number, request: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const abort = new AbortController();
  const timeout = setTimeout(() => abort.abort(), limit);
  try {
    return await request(abort.signal);
  } finally {
    clearTimeout(timeout);
  }
};

/** Sends JSON, or a form with files, and returns the JSON of the response, whatever its status. Rejects if there is none. */
export const post = (url: string, headers: Record<string, string>, content: object): Promise<unknown> => {
  const isForm = content instanceof FormData;
  return limited(isForm ? UPLOAD_TIMEOUT : REQUEST_TIMEOUT, async (signal) => {
    const response = await fetch(url, {
      method: "POST",
      // The browser names the type of a form, with the boundary of its parts.
      headers: { ...(isForm ? {} : { "content-type": "application/json" }), accept: "application/json", ...headers },
      body: isForm ? content : JSON.stringify(content),
      signal,
    });
    return await response.json();
  });
};
