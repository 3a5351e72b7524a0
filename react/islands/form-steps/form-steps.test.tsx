// Component tests of a form in steps: its steps, its draft, what is wrong, what the server answers, and the states of its captcha.
// What only a browser can show (focus in sight, history, layout) is in tests/browser/.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import type { FormControl, SiteForm } from "../../generated/wire";
import SteppedForm from "./form-steps";

/** Messages that are their own names. */
const named = <T extends object>(more: object = {}): T =>
  new Proxy(more, { get: (own, name) => Reflect.get(own, name) ?? String(name) }) as T;

const choice = (value: string): FormControl["choices"][0] =>
  ({ value, label: value, text: null, icon: null, preview: null, anchors: [] }) as unknown as FormControl["choices"][0];

const field = (name: string, more: Partial<FormControl> = {}): FormControl =>
  ({
    name,
    label: name,
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
    min: null,
    max: null,
    pattern: null,
    lines: 1,
    ...more,
  }) as unknown as FormControl;

const step = (title: string, ...fields: string[]): SiteForm["steps"][0] =>
  ({ title, label: title, text: "", fields }) as SiteForm["steps"][0];

const props: SiteForm = {
  name: "repair",
  id: "form-repair",
  action: "/api/forms/repair",
  locale: "en",
  page: "/contact/",
  version: "1",
  fields: [
    field("topic", { takes: "choice", look: "cards", choices: [choice("roof"), choice("walls")] }),
    field("insurer", { shownWhen: [{ field: "topic", values: ["roof"] }] as unknown as FormControl["shownWhen"] }),
    field("name"),
    field("email", { takes: "email", required: false }),
  ],
  steps: [step("The damage", "topic"), step("Who pays", "insurer"), step("About you", "name", "email")],
  draft: true,
  summary: [],
  endpoint: "forms",
  uploads: null,
  isBrisk: false,
  consents: [],
  requireOneOf: [],
  captcha: null,
  submit: "Send",
  successTitle: "We are on our way.",
  successText: "",
  drawing: null,
  again: "Once more",
  errors: named<SiteForm["errors"]>(),
  keyHeader: "idempotency-key",
  signalsHeader: "x-form-signals",
  email: "us@site.test",
  phone: "+34 600 000 000",
  messages: named<SiteForm["messages"]>({ stepOf: "Step {current} of {total}" }),
};

/** What is sent: its key and its answers. */
const sent: { key: string; answers: Record<string, unknown> }[] = [];

/** Answers requests one after the other: with a text, or with none if it is null. */
const answers = (...all: [status: number, body: string | null][]): void => {
  mock.method(globalThis, "fetch", (_: unknown, { headers, body }: { headers: Record<string, string>; body: string }) => {
    sent.push({ key: headers["idempotency-key"] ?? "", answers: JSON.parse(body) });
    const [status, text] = all.shift() ?? [200, '{"success": true}'];
    return text === null ? Promise.reject(new TypeError("no answer")) : Promise.resolve(new Response(text, { status }));
  });
};

const press = (name: string): boolean => fireEvent.click(screen.getByRole("button", { name: new RegExp(`^${name}`) }));
const choose = (value: string): boolean => fireEvent.click(screen.getByRole("radio", { name: value, hidden: true }));
const input = (name: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`[name=${name}]`) as HTMLInputElement;
const type = (name: string, value: string): boolean => fireEvent.change(input(name), { target: { value } });
const title = (): string =>
  document.querySelector(".form-steps__step:not([hidden]) .form-steps__title")?.textContent?.trim() ?? "";
const arrives = (wanted: string): Promise<void> => waitFor(() => assert.equal(title(), wanted));

/** Shows the form, and waits until it is awake. */
const open = async (more: Partial<SiteForm> = {}): Promise<void> => {
  render(<SteppedForm {...({ ...props, ...more } as SiteForm)} />);
  await waitFor(() => assert.ok(document.querySelector("[data-steps=shown]")));
};
const toLast = async (): Promise<void> => {
  choose("walls");
  press("continueAction");
  await arrives("About you");
};
const failure = (text: string): Promise<void> =>
  waitFor(() =>
    assert.ok(
      screen.getAllByRole("alert").some((alert) => alert.textContent?.includes(text)),
      text,
    ),
  );

beforeEach(() => {
  sent.length = 0;
  sessionStorage.clear();
  history.replaceState(null, "", "/contact/");
});
afterEach(() => {
  cleanup();
  mock.restoreAll();
});

describe("a form in steps", () => {
  it("does not go on while an answer is missing, and says which", async () => {
    await open();
    press("continueAction");
    await failure("topic");
    assert.equal(title(), "The damage");
    await waitFor(() => assert.equal((document.activeElement as HTMLInputElement).name, "topic"));
    choose("walls");
    await waitFor(() => assert.ok(!document.querySelector("[data-error=topic]:not([hidden])")));
  });

  it("passes over a step without anything to show, and comes back to it when it has", async () => {
    await open();
    await toLast();
    assert.equal(screen.getByText("Step 2 of 2").closest("fieldset")?.hidden, false);
    press("back");
    await arrives("The damage");
    choose("roof");
    press("continueAction");
    await arrives("Who pays");
    type("insurer", "Safe & Sound");
    press("continueAction");
    await arrives("About you");
  });

  it("keeps a draft in the tab, and forgets it once it is sent", async () => {
    answers();
    await open();
    await toLast();
    type("name", "Ana");
    await waitFor(() => assert.match(JSON.stringify({ ...sessionStorage }), /Ana/));
    cleanup();
    await open();
    await arrives("About you");
    assert.equal(input("name").value, "Ana");
    press("Send");
    await waitFor(() => assert.equal(document.activeElement?.textContent, "We are on our way."));
    assert.deepEqual(sent[0]?.answers, { topic: "walls", name: "Ana" });
    assert.equal(sessionStorage.length, 0);
  });

  it("is empty when it is asked for once more", async () => {
    answers();
    await open();
    await toLast();
    type("name", "Ana");
    press("Send");
    await waitFor(() => assert.equal(document.activeElement?.textContent, "We are on our way."));
    press("Once more");
    await arrives("The damage");
    assert.equal(document.querySelectorAll(":checked").length, 0);
    assert.equal(input("name").value, "");
  });

  it("lists what is wrong with several fields, and leads to each", async () => {
    await open();
    await toLast();
    type("email", "nobody");
    press("Send");
    await waitFor(() => assert.ok(document.querySelector(".form__summary:not([hidden]) a")));
    const links = within(document.querySelector(".form-steps__step:not([hidden]) .form__summary") as HTMLElement);
    assert.deepEqual(
      links.getAllByRole("link").map((link) => link.textContent),
      ["name", "email"],
    );
    fireEvent.click(links.getByRole("link", { name: "email" }));
    await waitFor(() => assert.ok(document.activeElement === input("email")));
  });
});

describe("the answer to a form in steps", () => {
  const bodies: [string, number, string | null, string][] = [
    ["an error in words", 422, '{"success": false, "error": "La razón"}', "La razón"],
    ["an error of the server in words", 500, '{"success": false, "error": "Later."}', "Later."],
    ["no success and no reason", 200, '{"success": false}', "failedToSubmit"],
    ["an empty object", 200, "{}", "failedToSubmit"],
    ["fields of null", 500, '{"success": null, "error": null}', "failedToSubmit"],
    ["an error that is no text", 200, '{"success": false, "error": {"message": "no"}}', "failedToSubmit"],
    ["null", 200, "null", "networkError"],
    ["a list", 200, "[]", "networkError"],
    ["a text", 200, '"ok"', "networkError"],
    ["half an object", 200, '{"success": tr', "networkError"],
    ["a page", 502, "<h1>Bad gateway</h1>", "networkError"],
    ["nothing", 500, "", "networkError"],
    ["no answer at all", 0, null, "networkError"],
  ];
  for (const [name, status, body, expected] of bodies) {
    it(`is told if it is ${name}, and the next attempt has the same key`, async () => {
      answers([status, body]);
      await open();
      await toLast();
      type("name", "Ana");
      press("Send");
      await failure(expected);
      assert.equal(screen.getByRole("button", { name: /^Send/ }).getAttribute("aria-disabled"), "true");
      // Nothing is sent while an error shows.
      press("Send");
      press("tryAgain");
      await waitFor(() => assert.equal(screen.queryByText("submissionFailed"), null));
      await waitFor(() => assert.equal(document.activeElement?.textContent, "Send"));
      press("Send");
      await waitFor(() => assert.equal(document.activeElement?.textContent, "We are on our way."));
      assert.equal(sent.length, 2);
      assert.equal(new Set(sent.map(({ key }) => key)).size, 1);
    });
  }

  it("leads to the step of what the server refuses", async () => {
    const errors = { topic: "Sold out.", name: "Too short." };
    answers([422, JSON.stringify({ success: false, error: "No.", code: "invalid_choice", errors })]);
    await open();
    await toLast();
    type("name", "A");
    press("Send");
    await arrives("The damage");
    await screen.findByText("Sold out.");
    await waitFor(() => assert.equal((document.activeElement as HTMLInputElement).name, "topic"));
    assert.ok((screen.getByRole("radio", { name: "walls" }) as HTMLInputElement).checked);
  });

  it("is waited for once after two presses", async () => {
    answers();
    await open();
    await toLast();
    type("name", "Ana");
    press("Send");
    press("submitting");
    await waitFor(() => assert.equal(document.activeElement?.textContent, "We are on our way."));
    assert.equal(sent.length, 1);
  });
});

describe("the captcha of a form in steps", () => {
  /** A provider that the test tells what to do. */
  interface Widget {
    callback: (token: string) => void;
    "expired-callback": () => void;
    "error-callback": () => void;
  }
  let widgets: Widget[] = [];
  const captcha = { interface: "standin", script: "/standin.js", siteKey: "k", language: null } as unknown as SiteForm["captcha"];
  beforeEach(() => {
    widgets = [];
    // The script of the provider is there at once.
    mock.method(document.head, "append", () => queueMicrotask(() => window.captchaReady?.()));
    Object.assign(globalThis, { standin: { render: (_: Element, widget: Widget) => widgets.push(widget) } });
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "standin");
  });
  const atCaptcha = async (): Promise<Widget> => {
    await open({ captcha });
    await toLast();
    type("name", "Ana");
    await waitFor(() => assert.equal(widgets.length, 1));
    return widgets[0] as Widget;
  };
  const submit = (): HTMLElement => screen.getByRole("button", { name: /^Send/ });

  it("has to be solved, and expires", async () => {
    answers();
    const widget = await atCaptcha();
    assert.equal(submit().getAttribute("aria-disabled"), "true");
    press("Send");
    await failure("captcha_required");
    assert.equal(sent.length, 0);
    act(() => widget.callback("t1"));
    assert.equal(submit().getAttribute("aria-disabled"), null);
    act(() => widget["expired-callback"]());
    await screen.findByText("captchaExpired");
    assert.equal(submit().getAttribute("aria-disabled"), "true");
    act(() => widget.callback("t2"));
    press("Send");
    await waitFor(() => assert.equal(document.activeElement?.textContent, "We are on our way."));
    assert.deepEqual(
      sent.map(({ answers: { _captcha: token } }) => token),
      ["t2"],
    );
  });

  it("is made anew if the server refuses it", async () => {
    answers([422, '{"success": false, "error": "Again.", "code": "captcha_refused"}']);
    const widget = await atCaptcha();
    act(() => widget.callback("t1"));
    press("Send");
    await failure("Again.");
    await waitFor(() => assert.equal(widgets.length, 2));
    assert.equal(submit().getAttribute("aria-disabled"), "true");
  });

  it("that fails leaves other ways to write", async () => {
    mock.method(console, "error", () => undefined);
    const widget = await atCaptcha();
    act(() => widget["error-callback"]());
    await screen.findByRole("link", { name: "us@site.test" });
    assert.equal(submit().getAttribute("aria-disabled"), "true");
  });
});
