// A frame of another site, such as a map or a video, that loads only after a click: until then the page makes no request to
// that site, and the site can set no cookie.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Embed as Props } from "../../generated/wire";

/** Whatever the frame shows may run its scripts and open its links, and may not navigate this page. */
const SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation";

export default function Embed({ src, title, label }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);

  // The button that had the focus is gone.
  useEffect(() => {
    if (isOpen) frame.current?.focus();
  }, [isOpen]);

  return isOpen ? (
    <iframe
      className="embed-frame__frame"
      ref={frame}
      src={src}
      title={title}
      sandbox={SANDBOX}
      allow="fullscreen; picture-in-picture; encrypted-media"
      referrerPolicy="strict-origin-when-cross-origin"
      tabIndex={-1}
    />
  ) : (
    <button type="button" className="embed-frame__open" data-needs-script="" onClick={() => setOpen(true)}>
      <span className="embed-frame__label">{label}</span>
    </button>
  );
}
