// A button that copies a text of the page. It finds the text by its id, so that no code stands in the page twice.

import copyIcon from "@phosphor-icons/core/assets/regular/copy.svg";
import type { ReactNode } from "react";
import type { GuideCopy as Props } from "../../generated/wire";
import { useCopy } from "../../lib/copy";
import { Icon } from "../../lib/icon";

export default function GuideCopy({ target, name, messages }: Props): ReactNode {
  const [status, copy] = useCopy(messages);
  return (
    <div className="guide-copy" data-needs-script="">
      <span className="guide-copy__said" role="status">
        {status}
      </span>
      <button className="guide-copy__button" type="button" onClick={() => copy(document.getElementById(target)?.textContent ?? "", name)}>
        <Icon svg={copyIcon} />
        {messages.copyCode}
        <span className="visually-hidden"> {name}</span>
      </button>
    </div>
  );
}
