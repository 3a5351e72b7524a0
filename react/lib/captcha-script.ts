// Loads the script of a captcha provider, once for all forms of a page. It comes with the first captcha that is shown.

import type { Captcha } from "../generated/wire";
import type { Provider } from "./captcha-provider";

declare global {
  interface Window {
    captchaReady?: () => void;
  }
}

let loading: Promise<Provider> | null = null;

/** The provider, as its script has set it. Rejects if the script cannot be loaded; the next call tries again. */
export const loadScript = ({ script, language, languageParameter, interface: name }: Captcha): Promise<Provider> => {
  loading ??= new Promise<Provider>((resolve, reject) => {
    window.captchaReady = () => resolve((window as unknown as Record<string, Provider>)[name] as Provider);
    const element = document.createElement("script");
    const query = new URLSearchParams({
      onload: "captchaReady",
      render: "explicit",
      ...(language && languageParameter && { [languageParameter]: language }),
    });
    element.src = `${script}?${query}`;
    element.async = true;
    element.onerror = () => {
      // The next time the step is shown, the script is requested again.
      loading = null;
      element.remove();
      reject(new Error(`${script} could not be loaded`));
    };
    document.head.append(element);
  });
  return loading;
};
