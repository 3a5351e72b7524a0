// The visitor's choice: the banner that asks for it, the button in the footer that changes it, and where it is kept. The
// banner is `templates/layouts/consent.html`, hidden until a choice is needed. Nothing is loaded before a yes.

/** What a visitor agrees to. */
export interface Agreement {
  /** Changes with the service, its hosts and its purposes. A choice about another version is asked for again. */
  version: string;
  /** Days that a choice is kept. */
  days: number;
  /** Areas of time zones in which visitors are asked; all if there is none. */
  regions: string[];
  /** Cookies of the service, with `*` for any text. */
  cookies: string[];
  /** Keys of Google's Consent Mode. */
  mode: string[];
}

interface Choice {
  version: string;
  choice: "granted" | "denied";
  /** When, as in `2026-03-01T09:30:00.000Z`. */
  date: string;
}

const KEY = "sitegen.consent";
const DAY = 24 * 60 * 60 * 1000;

/** The stored choice, if it is about this agreement and not too old. */
const stored = ({ version, days }: Agreement): Choice | undefined => {
  try {
    const choice = JSON.parse(localStorage.getItem(KEY) ?? "null") as Choice | null;
    const age = Date.now() - Date.parse(choice?.date ?? "");
    const isValid = choice?.version === version && (choice.choice === "granted" || choice.choice === "denied");
    // A clock that was wrong must not keep a choice forever.
    return isValid && age >= -DAY && age < days * DAY ? choice : undefined;
  } catch {
    return undefined;
  }
};

/** Lets forms send the proof of the choice, and style sheets see it. */
const show = ({ version, choice, date }: Choice): void => {
  document.documentElement.dataset.consent = `${version}.${choice}.${date}`;
};

const keep = (choice: Choice): void => {
  try {
    localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // Without storage the choice holds for this page.
  }
  show(choice);
};

/** Removes cookies from this host and from those above it, which is where services set them. */
const removeCookies = (patterns: string[]): void => {
  const isOfService = (name: string): boolean =>
    patterns.some((pattern) => {
      const [start = "", ...rest] = pattern.split("*");
      return rest.length > 0 ? name.startsWith(start) : name === start;
    });
  const labels = location.hostname.split(".");
  const domains = ["", ...labels.map((_, at) => `; domain=${labels.slice(at).join(".")}`)];
  for (const cookie of document.cookie.split("; ")) {
    const name = cookie.split("=")[0] ?? "";
    if (!isOfService(name)) continue;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser, and needs TLS.
    for (const domain of domains) document.cookie = `${name}=; expires=${new Date(0).toUTCString()}; path=/${domain}`;
  }
};

/** Whether visitors are asked where this device is. One that asks not to be tracked is always asked. */
const isAsked = (regions: string[]): boolean => {
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  const isUnknown = !zone.includes("/");
  const isIn = regions.some((region) => zone === region || zone.startsWith(`${region}/`));
  return regions.length === 0 || globalPrivacyControl === true || isUnknown || isIn;
};

/** Calls `load` when the visitor agrees or has agreed; asks if that is not known. */
export const ask = (agreement: Agreement, load: () => void): void => {
  const banner = document.querySelector<HTMLElement>("[data-consent-banner]");
  const change = document.querySelector<HTMLElement>("[data-consent-change]");
  const known = stored(agreement);
  let isLoaded = false;
  /** The element that the focus returns to. */
  let from: HTMLElement | null = null;

  const allow = (): void => {
    isLoaded = true;
    load();
  };
  const close = (): void => {
    if (banner) banner.hidden = true;
    from?.focus();
    from = null;
  };
  const choose = (choice: Choice["choice"]): void => {
    keep({ version: agreement.version, choice, date: new Date().toISOString() });
    if (choice === "granted") allow();
    else {
      removeCookies(agreement.cookies);
      // What the service's script does can only be ended with the page.
      if (isLoaded) location.reload();
    }
    close();
  };

  banner?.querySelector("[data-consent-yes]")?.addEventListener("click", () => choose("granted"));
  banner?.querySelector("[data-consent-no]")?.addEventListener("click", () => choose("denied"));
  banner?.addEventListener("keydown", (event) => {
    // Not an answer: the visitor is asked on the next page.
    if (event.key === "Escape") close();
  });
  const item = change?.closest<HTMLElement>("[data-consent-item]");
  if (item) item.hidden = false;
  change?.addEventListener("click", () => {
    if (!banner) return;
    from = change;
    banner.hidden = false;
    banner.focus();
  });

  if (known) show(known);
  if (known?.choice === "granted") allow();
  else if (!known && !isAsked(agreement.regions)) allow();
  else if (!known && banner) banner.hidden = false;
  // The visitor may have chosen in another tab.
  addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    const now = stored(agreement);
    if (!now) return;
    show(now);
    if (banner) banner.hidden = true;
    if (now.choice === "granted" && !isLoaded) allow();
    else if (now.choice === "denied" && isLoaded) location.reload();
  });
};
