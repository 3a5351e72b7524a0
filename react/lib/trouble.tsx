// The panel of an error that has just occurred, which screen readers read at once. The markup matches the macro `trouble`
// in `templates/components/trouble/`.

import warning from "@phosphor-icons/core/assets/regular/warning.svg";
import type { ReactNode, RefObject } from "react";
import { Icon } from "./icon";

interface Props {
  id?: string;
  /** For callers that scroll to it. */
  place?: RefObject<HTMLDivElement | null>;
  heading: string;
  level?: "h2" | "h3";
  message: string;
  /** What can be done about it. */
  children?: ReactNode;
}

export function Trouble({ id, place, heading, level: Heading = "h2", message, children }: Props): ReactNode {
  return (
    <div className="trouble" id={id} role="alert" ref={place}>
      <Heading className="trouble__title">
        <Icon svg={warning} />
        {heading}
      </Heading>
      <p>{message}</p>
      {children}
    </div>
  );
}
