// The captcha of a form, with what is wrong with it. The provider's script is loaded when the widget is first shown. Failures
// are logged, and the visitor sees other ways to contact the company.

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Captcha as Settings, SiteForm } from "../../generated/wire";
import type { Provider } from "../../lib/captcha-provider";
import { controlId, Message, TOKEN } from "./fields";
import { Reach } from "./parts";
import type { Change } from "./state";
import type { Filling } from "./use-form";

/** The captcha has a token, or none any more. With one, the message that it is missing goes. */
export const solved =
  (token: string): Change =>
  (state) => {
    const errors = { ...state.errors };
    if (token !== "") delete errors[TOKEN];
    return { ...state, token, errors };
  };

/** Time after which the script counts as blocked, in milliseconds. It may still load later. */
const SCRIPT_TIMEOUT = 15_000;

/** The provider. One without an interface is the API of the site, which makes challenges. */
const load = (captcha: Settings): Promise<Provider> =>
  captcha.interface === ""
    ? import("../../lib/proof-of-work").then(({ proofOfWork }) => proofOfWork(captcha.script))
    : import("../../lib/captcha-script").then(({ loadScript }) => loadScript(captcha));

interface Props extends Pick<SiteForm, "messages" | "email" | "phone"> {
  captcha: Settings;
  /** Receives the token, or an empty string when the token is no longer valid, at the latest when the widget goes. */
  onToken: (token: string) => void;
  /** The visitor wants it loaded again. */
  onRetry: () => void;
}

/** To reset the widget, give it another key: the provider then renders a new one. */
function Captcha({ captcha, messages, email, phone, onToken, onRetry }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "blocked" | "expired">("loading");

  useEffect(() => {
    let isGone = false;
    const show = (next: typeof state, token: string): void => {
      if (isGone) return;
      setState(next);
      onToken(token);
    };
    if (captcha.script === "") {
      // The site has no captcha. The API does not read this token.
      onToken("none");
      return undefined;
    }
    const blocked = setTimeout(() => setState((state) => (state === "loading" ? "blocked" : state)), SCRIPT_TIMEOUT);
    load(captcha)
      .then((provider) => {
        if (isGone || !box.current) return;
        // The provider cannot render twice in the same element.
        provider.render(box.current.appendChild(document.createElement("div")), {
          sitekey: captcha.siteKey,
          theme: getComputedStyle(box.current).colorScheme === "dark" ? "dark" : "light",
          callback: (token: string) => show("shown", token),
          "expired-callback": () => show("expired", ""),
          "error-callback": () => {
            console.error("the captcha failed");
            show("blocked", "");
          },
          // Others than those that these are for leave them unread.
          language: captcha.language ?? "auto",
          label: messages.captchaTitle,
          "busy-callback": () => show("loading", ""),
        });
        setState("shown");
      })
      .catch((error: unknown) => {
        console.error(error);
        show("blocked", "");
      })
      .finally(() => clearTimeout(blocked));
    return () => {
      isGone = true;
      clearTimeout(blocked);
      onToken("");
    };
  }, [captcha, messages.captchaTitle, onToken]);

  if (captcha.script === "") return null;
  const isLong = state === "expired" || state === "blocked";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset disables and submits controls, and the only one is in a frame.
    <div className="form__captcha" role="group" aria-label={messages.captchaTitle}>
      {captcha.interface !== "" && <p className="form__label">{messages.captchaTitle}</p>}
      <div className="form__widget" ref={box} />
      <div className={isLong ? "form__captcha-status form__captcha-status--long" : "form__captcha-status"} role="status">
        {state === "loading" && <p className="form__hint">{messages.captchaLoading}</p>}
        {state === "expired" && <p className="form__hint">{messages.captchaExpired}</p>}
        {state === "blocked" && (
          <p className="form__hint">
            {messages.captchaBlocked}
            <Reach email={email} phone={phone} />
          </p>
        )}
      </div>
      {state === "blocked" && (
        <button className="button button--secondary" type="button" onClick={onRetry}>
          {messages.tryAgain}
        </button>
      )}
    </div>
  );
}

export function FormCaptcha({ form, filling: { state, change } }: { form: SiteForm; filling: Filling }): ReactNode {
  const { captcha, messages, email, phone } = form;
  const place = useRef<HTMLDivElement>(null);
  const solve = useCallback((token: string) => change(solved(token)), [change]);
  const retry = (): void => {
    // The button goes, and with it the focus.
    place.current?.focus();
    change((state) => ({ ...state, captcha: state.captcha + 1 }));
  };
  if (captcha === null || !state.isAwake) return null;
  const error = state.errors[TOKEN];
  // Without a widget, it would add the room between two fields while the form is being read.
  const isEmpty = captcha.script === "" && error === undefined;
  return (
    <div id={controlId(form, TOKEN)} tabIndex={-1} ref={place} hidden={isEmpty}>
      <Captcha
        key={state.captcha}
        captcha={captcha}
        messages={messages}
        email={email}
        phone={phone}
        onToken={solve}
        onRetry={retry}
      />
      <Message name={TOKEN} error={error} />
    </div>
  );
}
