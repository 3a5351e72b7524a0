// A button that copies text from the page. It reads the text from the element with the given id, so that code samples
// are not repeated in the props.

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
      <button
        className="guide-copy__button"
        type="button"
        onClick={() => copy(document.getElementById(target)?.textContent ?? "", name)}
      >
        <Icon svg={copyIcon} />
        {messages.copyCode}
        <span className="visually-hidden"> {name}</span>
      </button>
    </div>
  );
}
