// Component tests of a form on one page: what is wrong with it, and what the server answers.

import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import type { FormControl, SiteForm as Props } from "../../generated/wire";
import SiteForm from "./form";

const field = (name: string, more: object = {}): FormControl =>
  ({
    name,
    label: `Your ${name} *`,
    hint: null,
    error: null,
    takes: "text",
    required: true,
    list: false,
    look: null,
    choices: [],
    choicesBy: null,
    shownWhen: [],
    fromQuery: null,
    most: 100,
    pattern: null,
    lines: null,
    ...more,
  }) as unknown as FormControl;

const props = {
  name: "news",
  id: "form-news",
  action: "/api/forms/news",
  locale: "en",
  page: "/",
  version: "1",
  fields: [field("name"), field("email", { takes: "email", error: "We need an address." })],
  steps: [],
  draft: false,
  endpoint: "forms",
  uploads: null,
  consents: [{ name: "privacy", html: "Yes", hash: "h" }],
  requireOneOf: [],
  captcha: null,
  submit: "Send",
  successTitle: "Thank you.",
  successText: "",
  drawing: null,
  again: "Once more",
  errors: { required: "Please fill in this field.", invalid_email: "Please check it." },
  keyHeader: "idempotency-key",
  signalsHeader: "x-form-signals",
  messages: { fixErrors: "Please check these fields:", networkError: "No network.", submitting: "Sending" },
} as unknown as Props;

const input = (name: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`[name=${name}]`) as HTMLInputElement;
const type = (name: string, value: string): boolean => fireEvent.change(input(name), { target: { value } });
const summary = (): HTMLElement => document.querySelector(".form__summary") as HTMLElement;
const links = (): (string | null)[] =>
  within(summary())
    .queryAllByRole("link")
    .map((link) => link.textContent);

/** Shows the form, and waits until it is awake. */
const open = async (more: Partial<Props> = {}): Promise<void> => {
  render(<SiteForm {...({ ...props, ...more } as Props)} />);
  await waitFor(() => assert.ok(document.querySelector<HTMLFormElement>("form")?.noValidate));
};
const press = (name: string): boolean => fireEvent.click(screen.getByRole("button", { name }));
const fillIn = (): void => {
  type("name", "Ana");
  type("email", "ana@example.com");
  fireEvent.click(input("privacy"));
};
/** The answers of the server, one after the other; null stands for none. */
const answers = (...all: (object | null)[]): void => {
  mock.method(globalThis, "fetch", () => {
    const next = all.shift() ?? null;
    return next === null ? Promise.reject(new TypeError("no answer")) : Promise.resolve(new Response(JSON.stringify(next)));
  });
};

afterEach(() => {
  cleanup();
  mock.restoreAll();
});

describe("a form on one page", () => {
  it("lists what is wrong with several fields, and leads to each", async () => {
    await open();
    press("Send");
    await waitFor(() => assert.deepEqual(links(), ["Your name", "We need an address.", "Please fill in this field."]));
    await waitFor(() => assert.ok(document.activeElement === input("name")));
    assert.ok(summary().textContent?.startsWith("Please check these fields:"));
    fireEvent.click(within(summary()).getByRole("link", { name: "We need an address." }));
    await waitFor(() => assert.ok(document.activeElement === input("email")));
    type("name", "Ana");
    assert.equal(links().length, 3, "nothing moves while the others are corrected");
    type("email", "ana@example.com");
    fireEvent.click(input("privacy"));
    assert.equal(summary().hidden, true);
  });

  it("leads to the only field that is wrong", async () => {
    await open();
    fillIn();
    type("email", "ana@");
    press("Send");
    await waitFor(() => assert.deepEqual(links(), ["We need an address."]));
    await waitFor(() => assert.ok(document.activeElement === input("email")));
  });

  it("takes no room for a captcha without a widget, and shows there what the server says of it", async () => {
    answers({ success: false, error: "", errors: { _captcha: "Solve it again." } });
    const captcha = { name: "none", script: "", interface: "", siteKey: "" } as unknown as Props["captcha"];
    await open({ captcha });
    const place = (): HTMLElement => document.getElementById("form-news-_captcha") as HTMLElement;
    await waitFor(() => assert.equal(place().hidden, true));
    fillIn();
    press("Send");
    await waitFor(() => assert.equal(place().hidden, false));
    assert.match(place().textContent ?? "", /Solve it again\./);
  });

  it("keeps the room of a captcha free, and hides what waits for an answer, before it wakes", () => {
    const captcha = { name: "x", script: "https://x.example/", interface: "x", siteKey: "k" } as unknown as Props["captcha"];
    const when = (shownWhen: object[]): FormControl => field("what", { shownWhen });
    const html = (what: FormControl, more: object = {}): string =>
      renderToString(<SiteForm {...props} captcha={captcha} fields={[field("reason", more), what]} />);
    const waiting = html(when([{ field: "reason", values: ["other"] }]));
    assert.match(waiting, /<div class="form__captcha" data-needs-script="">.*<div class="form__widget"><\/div>/);
    assert.equal(waiting.match(/data-waits=""/g)?.length, 1);
    assert.doesNotMatch(html(when([])), /data-waits/);
    assert.doesNotMatch(html(when([{ field: "reason", values: ["other"] }]), { default: "other" }), /data-waits/);
  });

  it("says what is wrong with the whole form, and is sent with the next press", async () => {
    answers(null, { success: false, error: "Later." }, { success: true });
    await open();
    fillIn();
    for (const said of ["No network.", "Later."]) {
      press("Send");
      await waitFor(() => assert.equal(summary().textContent, said));
      await waitFor(() => assert.ok(document.activeElement === summary()));
      assert.equal(input("name").value, "Ana");
    }
    press("Send");
    await waitFor(() => assert.equal(document.activeElement?.textContent, "Thank you."));
    press("Once more");
    await waitFor(() => assert.ok(document.activeElement === input("name")));
    assert.equal(input("name").value, "");
  });
});
