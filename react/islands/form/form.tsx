// A form of the site on one page. Without script it is sent as it is, and the API answers with the page. With script it is
// checked while it is on the page, and sent as JSON (use-form.ts).

import type { ReactNode } from "react";
import type { SiteForm as Props } from "../../generated/wire";
import { Consents, Controls, FormCaptcha, Frame, Submit, Trap } from "./parts";
import { useSiteForm } from "./use-form";

export default function SiteForm(props: Props): ReactNode {
  const filling = useSiteForm(props);
  const parts = { form: props, filling };
  return (
    <Frame {...parts} onSubmit={filling.submit}>
      <Controls {...parts} />
      <Consents {...parts} />
      <Trap form={props} />
      <FormCaptcha {...parts} />
      <Submit {...parts} />
    </Frame>
  );
}
