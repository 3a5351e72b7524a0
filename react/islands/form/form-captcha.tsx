// The captcha of a form, with what is wrong with it.

import type { ReactNode } from "react";
import type { SiteForm } from "../../generated/wire";
import { Captcha } from "../../lib/captcha";
import { controlId, Message, TOKEN } from "./names";
import type { Filling } from "./use-form";

export function FormCaptcha({ form, filling }: { form: SiteForm; filling: Filling }): ReactNode {
  const { captcha, messages, email, phone } = form;
  const { errors, isHydrated, round, setToken } = filling;
  if (captcha === null || !isHydrated) return null;
  return (
    <div id={controlId(form, TOKEN)} tabIndex={-1}>
      <Captcha key={round} captcha={captcha} messages={messages} email={email} phone={phone} block="form" onToken={setToken} />
      <Message name={TOKEN} error={errors[TOKEN]} isAlert />
    </div>
  );
}
