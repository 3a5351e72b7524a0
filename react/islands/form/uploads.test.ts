// Tests of the upload of files: what is asked and sent, what is sent again, and what the visitor hears.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { settle, upload } from "./uploads";

const ADDRESS = "/api/forms/visit/uploads";
const form = { locale: "en", errors: { upload_missing: "Send it again." } };
const file = (name: string, text = "x"): File => new File([text], name, { lastModified: 1 });

/** Names of the files that the API was asked for, and those that the bucket got. */
let asked: string[][];
let sent: string[];
/** What the API answers; undefined for signed uploads. */
let answer: object | undefined;
let status: number;
const real = globalThis.fetch;

beforeEach(() => {
  [asked, sent, answer, status] = [[], [], undefined, 204];
  settle({ success: true });
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    if (url !== ADDRESS) {
      const body = init.body as FormData;
      assert.deepEqual([...body.keys()], ["key", "policy", "file"], "the file comes last");
      sent.push((body.get("file") as File).name);
      return new Response(null, { status });
    }
    const { files } = JSON.parse(String(init.body)) as { files: { name: string }[] };
    asked.push(files.map(({ name }) => name));
    const uploads = files.map(({ name }, at) => ({
      url: "https://bucket.example",
      fields: { key: name, policy: "p" },
      token: `${name}-${asked.length}-${at}`,
    }));
    return Response.json(answer ?? { success: true, uploads });
  }) as typeof fetch;
});
afterEach(() => {
  globalThis.fetch = real;
});

const tokens = (outcome: Awaited<ReturnType<typeof upload>>): unknown =>
  outcome !== null && "tokens" in outcome ? Object.fromEntries(outcome.tokens) : outcome;

describe("the upload of files", () => {
  it("sends each file once, whatever else is wrong with the answer", async () => {
    const files = [
      { field: "scan", file: file("a.pdf") },
      { field: "photo", file: file("b.png") },
    ];
    const expect = { scan: ["a.pdf-1-0"], photo: ["b.png-1-1"] };
    assert.deepEqual(tokens(await upload(ADDRESS, form, files)), expect);
    assert.deepEqual(tokens(await upload(ADDRESS, form, files)), expect);
    assert.deepEqual([asked, sent], [[["a.pdf", "b.png"]], ["a.pdf", "b.png"]]);
    const more = [...files, { field: "scan", file: file("c.pdf") }];
    assert.deepEqual(tokens(await upload(ADDRESS, form, more)), { ...expect, scan: ["a.pdf-1-0", "c.pdf-2-0"] });
    settle({ success: false, errors: { photo: "Wrong." } });
    assert.deepEqual(tokens(await upload(ADDRESS, form, files)), { ...expect, photo: ["b.png-3-0"] });
    settle({ success: true });
    await upload(ADDRESS, form, files);
    assert.deepEqual(asked.at(-1), ["a.pdf", "b.png"]);
  });
  it("tells files apart that look alike", async () => {
    const files = [file("a.pdf"), file("a.pdf")].map((file) => ({ field: "scan", file }));
    assert.deepEqual(tokens(await upload(ADDRESS, form, files)), { scan: ["a.pdf-1-0", "a.pdf-1-1"] });
  });
  it("leaves files to the form if the API signs none", async () => {
    answer = { success: true, uploads: [] };
    assert.equal(await upload(ADDRESS, form, [{ field: "scan", file: file("a.pdf") }]), null);
  });
  it("says what the API refuses, and what does not arrive", async () => {
    answer = { success: false, error: "Too large.", errors: { scan: "Too large." } };
    const files = [{ field: "scan", file: file("a.pdf") }];
    assert.deepEqual(await upload(ADDRESS, form, files), { refusal: answer });
    [answer, status] = [undefined, 403];
    const refusal = { success: false, error: "Send it again.", errors: { scan: "Send it again." } };
    assert.deepEqual(await upload(ADDRESS, form, files), { refusal });
    globalThis.fetch = async () => Promise.reject(new TypeError("no network"));
    await assert.rejects(upload(ADDRESS, form, files));
  });
});
