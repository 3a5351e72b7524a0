// The widget of the captcha that asks no other site: a checkbox. Ticked, the browser looks for the number that a challenge of
// the API hides, as ALTCHA does. Numbers are tried in groups, so that the page stays quick: the hashes are computed beside it.

import type { Provider, WidgetOptions } from "./captcha-provider";

/** A challenge of the API. */
interface Challenge {
  algorithm: string;
  challenge: string;
  maxnumber: number;
  salt: string;
  signature: string;
}

/** Numbers that are tried at a time. */
const GROUP = 500;
/** Time for which a solution is valid, in milliseconds: a minute less than the API says. */
const LIFETIME = 19 * 60 * 1000;

const encoder = new TextEncoder();

const hex = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The number whose hash with the salt is the challenge. Throws if there is none. */
export const solve = async ({ challenge, maxnumber, salt }: Omit<Challenge, "signature">): Promise<number> => {
  const isIt = async (number: number): Promise<boolean> =>
    hex(await crypto.subtle.digest("SHA-256", encoder.encode(`${salt}${number}`))) === challenge;
  for (let from = 0; from <= maxnumber; from += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, maxnumber - from + 1) }, (_, at) => from + at);
    const found = (await Promise.all(group.map(isIt))).indexOf(true);
    if (found >= 0) return from + found;
  }
  throw new Error("the challenge has no solution");
};

/** What is sent with the form: the solution in JSON and Base64. */
const tokenOf = ({ algorithm, challenge, salt, signature }: Challenge, number: number): string =>
  btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));

const render = (element: HTMLElement, address: string, options: WidgetOptions): void => {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  Object.assign(label.style, { display: "inline-flex", alignItems: "center", gap: "0.75rem", minHeight: "3rem" });
  Object.assign(box.style, { width: "1.5rem", height: "1.5rem", flex: "none" });
  label.append(box, options.label);
  element.append(label);
  const open = (): void => {
    box.checked = false;
    box.disabled = false;
  };
  box.addEventListener("change", async () => {
    box.disabled = true;
    options["busy-callback"]();
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`${address} responded with ${response.status}`);
      const challenge = (await response.json()) as Challenge;
      options.callback(tokenOf(challenge, await solve(challenge)));
      setTimeout(() => {
        open();
        options["expired-callback"]();
      }, LIFETIME);
    } catch (error) {
      console.error(error);
      open();
      options["error-callback"]();
    }
  });
};

/** The widget, with challenges of this address. */
export const proofOfWork = (address: string): Provider => ({
  render: (element, options) => render(element, address, options),
});
