// The names of controls and of what belongs to them, and the message of a control. The API fills in the empty message of a form
// that was sent without script, so it is always there.

import type { ReactNode } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";

/** The name of the captcha among errors, and of its token in an answer. */
export const TOKEN = "_captcha";

export const controlId = (form: Pick<SiteForm, "id">, name: string): string => `${form.id}-${name}`;

/** The name of the control that only bots fill in. */
export const trapOf = ({ message }: Pick<SiteForm, "message">): string => (message === null ? "_website" : "website");

/** The name of a control: the key of the call that the form makes, or the name of its field. */
export const controlOf = ({ name, key }: Pick<FormControl, "name" | "key">): string => key ?? name;

/** A label without the mark at its end, as in “Email *”, which is for the eye: a note of the form says what it stands for. */
export const plainLabel = (label: string): string => label.replace(/\s\*$/, "");

interface MessageProps {
  id?: string;
  name: string;
  error: string | undefined;
  /** Screen readers read it at once. */
  isAlert?: boolean;
}

export function Message({ id, name, error, isAlert = false }: MessageProps): ReactNode {
  const isWrong = error !== undefined;
  return (
    <p className="form__error" id={id} data-error={name} hidden={!isWrong} role={isAlert && isWrong ? "alert" : undefined}>
      {error}
    </p>
  );
}
