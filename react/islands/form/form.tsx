// A form of the site on one page. Without script it is sent as it is, and the API answers with the page. With script it is
// checked while it is on the page, and sent as JSON (use-form.ts).

import { type ReactNode, useState } from "react";
import type { SiteForm as Props } from "../../generated/wire";
import { useLoaded } from "../../lib/loaded";
import { CaptchaRoom, Consents, Controls, Frame, Missing, Submit, Trap } from "./parts";
import { controlsOf } from "./store";
import { useSiteForm } from "./use-form";

const loadCaptcha = (): Promise<typeof import("./form-captcha")> => import("./form-captcha");

export default function SiteForm(props: Props): ReactNode {
  const [store] = useState(() => controlsOf(props.id));
  const filling = useSiteForm(props, store);
  const captcha = useLoaded(loadCaptcha, filling.state.isAwake && props.captcha !== null);
  const parts = { form: props, filling };
  return (
    <Frame {...parts} onSubmit={filling.submit}>
      <Controls {...parts} />
      <Consents {...parts} />
      <Trap form={props} />
      {captcha.part ? (
        <captcha.part.FormCaptcha {...parts} />
      ) : captcha.isMissing ? (
        <Missing form={props} onRetry={captcha.retry} />
      ) : (
        <CaptchaRoom form={props} />
      )}
      <Submit {...parts} />
    </Frame>
  );
}
