// A form of the site on one page. Without script it is sent as it is, and the API answers with the page. With script it is
// checked while it is on the page, and sent as JSON (use-form.ts).

import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import type { SiteForm as Props } from "../../generated/wire";
import { plainLabel, TOKEN } from "./names";
import { Consents, Controls, Frame, Missing, Submit, Trap } from "./parts";
import { controlsOf } from "./store";
import { useSiteForm } from "./use-form";

type Parts = typeof import("./form-captcha");

const loadCaptcha = (): Promise<Parts> => import("./form-captcha");

export default function SiteForm(props: Props): ReactNode {
  /** What shows the captcha, if there is one; an error if it could not be loaded. */
  const [captcha, setCaptcha] = useState<Parts | Error | null>(null);
  const filling = useSiteForm(
    props,
    controlsOf(() => document.querySelector<HTMLFormElement>(`form#${props.id}`)),
  );
  const parts = { form: props, filling };
  const { errors, isHydrated } = filling;
  const hasCaptcha = isHydrated && props.captcha !== null;
  const load = (): void => void loadCaptcha().then(setCaptcha, setCaptcha);
  const loadFirst = useEffectEvent(load);
  useEffect(() => {
    if (hasCaptcha) loadFirst();
  }, [hasCaptcha]);
  const labels = props.fields.filter(({ name }) => errors[name] !== undefined).map(({ label }) => plainLabel(label));
  if (errors[TOKEN] !== undefined) labels.push(props.messages.captchaTitle);
  const summary = errors[""] ?? (labels.length > 0 ? `${props.messages.fixErrors} ${labels.join(", ")}` : undefined);
  return (
    <Frame {...parts} onSubmit={filling.submit} summary={summary}>
      <Controls {...parts} />
      <Consents {...parts} />
      <Trap form={props} />
      {captcha instanceof Error ? <Missing form={props} onRetry={load} /> : captcha && <captcha.FormCaptcha {...parts} />}
      <Submit {...parts} />
    </Frame>
  );
}
