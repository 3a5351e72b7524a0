// A form of the site on one page. Without script it is sent as it is, and the API answers with the page. With script it is
// checked while it is on the page, and sent as JSON (use-form.ts).

import type { ReactNode } from "react";
import type { SiteForm as Props } from "../../generated/wire";
import { FormCaptcha } from "./form-captcha";
import { Consents, Controls, Frame, Submit, Trap } from "./parts";
import { controlsOf } from "./store";
import { TOKEN, useSiteForm } from "./use-form";

export default function SiteForm(props: Props): ReactNode {
  const filling = useSiteForm(
    props,
    controlsOf(() => document.querySelector<HTMLFormElement>(`form#${props.id}`)),
  );
  const parts = { form: props, filling };
  const { errors } = filling;
  const labels = props.fields.filter(({ name }) => errors[name] !== undefined).map(({ label }) => label);
  if (errors[TOKEN] !== undefined) labels.push(props.messages.captchaTitle);
  const summary = errors[""] ?? (labels.length > 0 ? `${props.messages.fixErrors} ${labels.join(", ")}` : undefined);
  return (
    <Frame {...parts} onSubmit={filling.submit} summary={summary}>
      <Controls {...parts} />
      <Consents {...parts} />
      <Trap form={props} />
      <FormCaptcha {...parts} />
      <Submit {...parts} />
    </Frame>
  );
}
