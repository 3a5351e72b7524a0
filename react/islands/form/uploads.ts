// Sends the files of an answer to the bucket of the API, past the API itself, which signs the uploads and takes their tokens
// as the values of the fields. Only forms with files of sites with such a bucket load this module, when they are sent.

import type { FormAnswer, FormUploads, SiteForm } from "../../generated/wire";
import { limited, post } from "../../lib/submission";

/** How long a token can be sent again, in milliseconds: the API takes it for an hour. */
const TOKEN_LIFETIME = 55 * 60_000;
/** Time limit of the upload of a file, in milliseconds. */
const UPLOAD_TIMEOUT = 10 * 60_000;

interface SentFile {
  field: string;
  file: File;
}

/** Tokens of files that have arrived: after a mistake in another field, they are not sent again. */
const arrived = new Map<string, { token: string; until: number }>();

/** Tells files apart by what a browser knows of them, and those that are alike by their number. */
const marksOf = (files: SentFile[]): string[] => {
  const seen = new Map<string, number>();
  return files.map(({ field, file: { name, size, lastModified } }) => {
    const mark = [field, size, lastModified, name].join(" ");
    const count = seen.get(mark) ?? 0;
    seen.set(mark, count + 1);
    return `${count} ${mark}`;
  });
};

/** Whether the bucket has taken a file. Rejects if it cannot be reached. */
const send = async ({ url, fields }: FormUploads["uploads"][number], file: File): Promise<boolean> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.append(name, value);
  // The bucket reads nothing after it.
  body.append("file", file);
  return limited(UPLOAD_TIMEOUT, async (signal) => (await fetch(url, { method: "POST", body, signal })).ok);
};

const isSigned = (answer: unknown): answer is FormUploads =>
  typeof answer === "object" && answer !== null && Array.isArray((answer as Partial<FormUploads>).uploads);

/**
 * Sends files, and returns their tokens by field; null if the API takes them with the answer. What the API or the bucket does
 * not take gives the answer that says so. Rejects if one of them cannot be reached.
 */
export const upload = async (
  address: string,
  { locale, errors }: Pick<SiteForm, "locale" | "errors">,
  files: SentFile[],
): Promise<{ tokens: Map<string, string[]> } | { refusal: Partial<FormAnswer> } | null> => {
  const marks = marksOf(files);
  const isNew = (at: number): boolean => (arrived.get(marks[at] ?? "")?.until ?? 0) < Date.now();
  const open = files.map((_, at) => at).filter(isNew);
  if (open.length > 0) {
    const asked = open.map((at) => files[at]).filter((sent) => sent !== undefined);
    const wanted = asked.map(({ field, file: { name, size } }) => ({ field, name, size }));
    const answer = await post(address, { "accept-language": locale }, { files: wanted });
    if (!isSigned(answer)) return { refusal: (answer ?? {}) as Partial<FormAnswer> };
    if (answer.uploads.length === 0) return null;
    for (const [number, sent] of asked.entries()) {
      const signed = answer.uploads[number];
      const mark = marks[open[number] ?? 0];
      if (signed === undefined || mark === undefined || !(await send(signed, sent.file))) {
        const error = errors.upload_missing ?? null;
        return { refusal: { success: false, error, errors: error === null ? {} : { [sent.field]: error } } };
      }
      arrived.set(mark, { token: signed.token, until: Date.now() + TOKEN_LIFETIME });
    }
  }
  const tokens = new Map<string, string[]>();
  for (const [at, { field }] of files.entries())
    tokens.set(field, [...(tokens.get(field) ?? []), arrived.get(marks[at] ?? "")?.token ?? ""]);
  return { tokens };
};

/** Forgets what the API does not take again: the files of an answer that is stored, or of fields with errors. */
export const settle = ({ success, errors }: Partial<FormAnswer>): void => {
  for (const mark of arrived.keys())
    if (success === true || errors?.[mark.split(" ")[1] ?? ""] !== undefined) arrived.delete(mark);
};
