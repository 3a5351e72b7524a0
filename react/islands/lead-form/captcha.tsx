// The captcha: its provider's script comes when the widget is first shown, and draws it where it is told to. What fails
// is only logged; the visitor is told how else the company can be reached.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { LeadForm } from "../../generated/wire";

/** What of the provider's interface is used (reCAPTCHA v2). */
interface Provider {
  render: (element: HTMLElement, options: Record<string, unknown>) => number;
  reset: (widget: number) => void;
}

declare global {
  interface Window {
    grecaptcha?: Provider;
    captchaReady?: () => void;
  }
}

/** A script that has not loaded after this time, in milliseconds, is taken for blocked. It may still come. */
const LOAD_TIMEOUT = 15_000;

let loading: Promise<Provider> | null = null;

const load = (script: string, language: string | null): Promise<Provider> => {
  loading ??= new Promise<Provider>((resolve, reject) => {
    window.captchaReady = () => (window.grecaptcha ? resolve(window.grecaptcha) : reject(new Error("the captcha has no interface")));
    const element = document.createElement("script");
    const query = new URLSearchParams({ onload: "captchaReady", render: "explicit", ...(language === null ? {} : { hl: language }) });
    element.src = `${script}?${query}`;
    element.async = true;
    element.onerror = () => {
      // The next time that the step is shown it is tried again.
      loading = null;
      element.remove();
      reject(new Error(`${script} could not be loaded`));
    };
    document.head.append(element);
  });
  return loading;
};

interface Props {
  captcha: NonNullable<LeadForm["captcha"]>;
  messages: LeadForm["messages"];
  email: string | null;
  phone: string | null;
  /** It starts over when this changes. */
  round: number;
  /** A token, or none any more. */
  onToken: (token: string) => void;
}

export function Captcha({ captcha, messages, email, phone, round, onToken }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const widget = useRef<{ provider: Provider; id: number } | null>(null);
  const [state, setState] = useState<"loading" | "shown" | "blocked" | "expired">("loading");
  const report = useRef(onToken);
  report.current = onToken;

  useEffect(() => {
    let isGone = false;
    const blocked = setTimeout(() => setState((state) => (state === "loading" ? "blocked" : state)), LOAD_TIMEOUT);
    load(captcha.script, captcha.language)
      .then((provider) => {
        if (isGone || !box.current || widget.current) return;
        // A place of its own: the provider cannot draw twice in one element.
        const place = box.current.appendChild(document.createElement("div"));
        const id = provider.render(place, {
          sitekey: captcha.siteKey,
          callback: (token: string) => {
            setState("shown");
            report.current(token);
          },
          "expired-callback": () => {
            setState("expired");
            report.current("");
          },
          "error-callback": () => {
            console.error("the captcha failed");
            report.current("");
          },
        });
        widget.current = { provider, id };
        setState("shown");
      })
      .catch((error: unknown) => {
        console.error(error);
        if (!isGone) setState("blocked");
      })
      .finally(() => clearTimeout(blocked));
    return () => {
      isGone = true;
      clearTimeout(blocked);
    };
  }, [captcha]);

  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    report.current("");
    try {
      widget.current?.provider.reset(widget.current.id);
    } catch (error) {
      console.error(error);
    }
  }, [round]);

  return (
    <div className="lead-form__captcha" role="group" aria-label={messages.captchaTitle}>
      <p className="lead-form__label">{messages.captchaTitle}</p>
      <div className="lead-form__widget" ref={box} />
      <div role="status">
        {state === "loading" && <p className="lead-form__hint">{messages.captchaLoading}</p>}
        {state === "expired" && <p className="lead-form__hint">{messages.captchaExpired}</p>}
        {state === "blocked" && (
          <p className="lead-form__hint">
            {messages.captchaBlocked} {email && <a href={`mailto:${email}`}>{email}</a>}
            {email && phone && ", "}
            {phone && <a href={`tel:${phone.replaceAll(/[^+\d]/g, "")}`}>{phone}</a>}
          </p>
        )}
      </div>
    </div>
  );
}
