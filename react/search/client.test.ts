// Tests of the search client over a worker that answers as Pagefind's does.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { Client } from "./client";

interface Message {
  id: string;
  method: string;
  args: unknown[];
}

/** The messages that the workers got, in order. */
let sent: Message[] = [];

class FakeWorker extends EventTarget {
  static parts: Record<string, string[]> | undefined;

  constructor() {
    super();
    if (FakeWorker.parts) this.tell({ parts: FakeWorker.parts });
  }

  postMessage(message: Message): void {
    sent.push(message);
    this.tell({ id: message.id, result: message.method === "search" ? { results: [], filters: {} } : true });
  }

  terminate(): void {}

  private tell(data: object): void {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }
}

const given = { Worker: globalThis.Worker, document: globalThis.document };

beforeEach(() => {
  sent = [];
  const document = { documentElement: { lang: "de-AT" }, title: "Alles" };
  Object.assign(globalThis, { Worker: FakeWorker, document });
});

afterEach(() => {
  FakeWorker.parts = undefined;
  Object.assign(globalThis, given);
});

const searched = async (): Promise<string[]> => {
  await new Client("/docs/pagefind/", "/docs/", false).search({ words: "brücke", choices: {} });
  return sent.map(({ method, args }) => (method === "mergeIndex" ? `${method} ${args[0]}` : method));
};

it("searches an index in one part without asking for others", async () => {
  assert.ok(!(await searched()).some((method) => method.startsWith("mergeIndex")));
});

it("searches all parts of its language together, before it answers", async () => {
  FakeWorker.parts = { de: ["a1", "b2"], en: ["c3"] };
  const methods = await searched();
  assert.deepEqual(methods.slice(0, 3), ["init", "mergeIndex /docs/pagefind/parts/a1/", "mergeIndex /docs/pagefind/parts/b2/"]);
  assert.ok(methods.slice(3).length > 0 && methods.slice(3).every((method) => method === "search"), methods.join());
});
