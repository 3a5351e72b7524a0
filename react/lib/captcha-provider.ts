// The part of the interfaces of captcha providers that forms use. reCAPTCHA has set it, and the others follow.

/** What a widget is told, and what it tells. */
export interface WidgetOptions {
  sitekey: string;
  theme: "light" | "dark";
  callback: (token: string) => void;
  "expired-callback": () => void;
  "error-callback": () => void;
  /** For the widget of the site itself: it has begun to work. */
  "busy-callback": () => void;
  /** For the widget of the site itself: what it asks. */
  label: string;
  /** For providers whose script takes no language. */
  language: string;
}

/** A provider. */
export interface Provider {
  render: (element: HTMLElement, options: WidgetOptions) => unknown;
}
