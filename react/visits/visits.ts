// The script that pages load if the site counts visits: it loads the service, at once or after the visitor agreed, and
// tells it of stored leads and of searches without results. The service is a preset of `templates/visits/`, whose values
// the build puts in place of `VISITS`. If its script is blocked, events reach nobody, and the page works as before.

import { type Agreement, ask } from "./choice";
import { harmless } from "./query";

/** How a call is made, what is called, and the values; those of an event are filled in. */
type Call = ["call" | "push" | "gtag" | "head", string, unknown[]];

interface Service {
  /** Scheme and host of the published site, in each of its languages. A copy elsewhere, such as a preview, counts nothing. */
  origins: string[];
  src: string;
  attributes: Record<string, string>;
  start: Call[];
  lead: Call | null;
  search: Call | null;
  consent: Agreement | null;
}

declare const VISITS: string;
/** Whether the service needs consent. If not, the build leaves out the code that asks for it. */
declare const ASKS: boolean;

/** Time after the last letter until a search without results counts, in milliseconds. */
const TYPED = 2000;

const service = JSON.parse(VISITS) as Service;

type Values = Record<string, unknown>;

const filled = (value: unknown, values: Values): unknown => {
  if (typeof value === "string") {
    // A value alone keeps its type: `gtag("js", new Date())`.
    const alone = /^\{(\w+)\}$/.exec(value)?.[1];
    if (alone && alone in values) return values[alone];
    return value.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
  }
  if (Array.isArray(value)) return value.map((part) => filled(part, values));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, values)]));
};

const globals = window as unknown as Record<string, unknown>;

/** Adds the values to a list as Google's `gtag` does, which reads them as the arguments of a function. */
const gtag = (list: unknown[], ...values: unknown[]): void => {
  (function (..._values: unknown[]) {
    // biome-ignore lint/complexity/noArguments: an array is read as something else.
    list.push(arguments);
  })(...values);
};

const run = ([kind, name, given]: Call, values: Values): void => {
  const ready = filled(given, { ...values, date: new Date(), time: Date.now() }) as unknown[];
  if (kind === "call") {
    const path = name.split(".");
    const owner = path.slice(0, -1).reduce<unknown>((at, key) => (at as Values | undefined)?.[key], globals);
    const method = (owner as Values | undefined)?.[path.at(-1) ?? ""];
    if (typeof method === "function") method.apply(owner, ready);
    return;
  }
  if (kind === "head") {
    // For the access log. The answer is not needed, and a failure is nothing to the visitor.
    const address = `${location.pathname}?${new URLSearchParams({ [name]: String(ready[0]) })}`;
    fetch(address, { method: "HEAD", keepalive: true, credentials: "omit" }).catch(() => undefined);
    return;
  }
  globals[name] ??= [];
  const list = globals[name] as unknown[];
  if (kind === "push") list.push(...ready);
  else gtag(list, ...ready);
};

/** Whether the service may be told of events. */
let isAllowed = false;
/** Calls of functions that the service's script defines, until it is loaded. */
let waiting: (() => void)[] | undefined = [];

const tell = (call: Call | null, values: Values): void => {
  if (!call || !isAllowed) return;
  const send = (): void => {
    try {
      run(call, values);
    } catch {
      // The service's own mistake is none of the visitor's.
    }
  };
  if (call[0] === "call" && waiting) waiting.push(send);
  else send();
};

const load = (): void => {
  if (isAllowed || !service.origins.includes(location.origin)) return;
  isAllowed = true;
  const mode = service.consent?.mode ?? [];
  if (mode.length > 0) {
    const all = ["ad_storage", "ad_user_data", "ad_personalization", "analytics_storage"];
    const states = (keys: string[], state: string): Values => Object.fromEntries(keys.map((key) => [key, state]));
    run(["gtag", "dataLayer", ["consent", "default", states(all, "denied")]], {});
    run(["gtag", "dataLayer", ["consent", "update", states(mode, "granted")]], {});
  }
  for (const call of service.start) run(call, {});
  if (service.src === "") return;
  const script = document.createElement("script");
  script.src = service.src;
  script.defer = true;
  for (const [name, value] of Object.entries(service.attributes)) script.setAttribute(name, value);
  const settle = (): void => {
    for (const send of waiting ?? []) send();
    waiting = undefined;
  };
  script.addEventListener("load", settle);
  script.addEventListener("error", settle);
  document.head.append(script);
};

if (ASKS && service.consent) ask(service.consent, load);
else load();

document.addEventListener("sitegen:lead", (event) => {
  tell(service.lead, { form: (event as CustomEvent<{ form: string }>).detail.form });
});

let timer: ReturnType<typeof setTimeout> | undefined;
let told = "";
document.addEventListener("sitegen:search", (event) => {
  const { query, count } = (event as CustomEvent<{ query: string; count: number }>).detail;
  clearTimeout(timer);
  const words = harmless(query);
  if (count > 0 || words === "" || words === told) return;
  timer = setTimeout(() => {
    told = words;
    tell(service.search, { query: words });
  }, TYPED);
});
