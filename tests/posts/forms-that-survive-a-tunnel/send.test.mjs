// The function that sends the form, in a train: failures are tried again with the same key, and after four it gives up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { transform } from "esbuild";
import { code } from "../posts.mjs";

async function sender(answers) {
  const [source] = code("forms-that-survive-a-tunnel", "typescript");
  const { code: script } = await transform(source, { loader: "ts" });
  const sent = [];
  const pauses = [];
  const fetch = async (action, { body }) => {
    sent.push([action, body.get("key")]);
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("no connection");
    return { status: answer };
  };
  class FormData extends Map {
    constructor(form) {
      super(Object.entries(form.fields));
    }
  }
  const setTimeout = (done, ms) => {
    pauses.push(ms);
    done();
  };
  const send = new Function("fetch", "FormData", "setTimeout", `${script}; return send;`)(fetch, FormData, setTimeout);
  return { send, sent, pauses };
}

const FORM = { action: "/appointments/", fields: { key: "5f0c" } };

test("a request that failed is sent again with its key", async () => {
  const { send, sent, pauses } = await sender([undefined, 503, 200]);
  assert.equal((await send(FORM)).status, 200);
  assert.deepEqual(sent, Array(3).fill(["/appointments/", "5f0c"]));
  assert.deepEqual(
    pauses.map((ms) => Math.floor(ms / 1000)),
    [1, 2],
  );
});

test("a mistake in a field is not sent again, and after four attempts it gives up", async () => {
  assert.equal((await (await sender([422])).send(FORM)).status, 422);
  const { send, sent } = await sender([]);
  await assert.rejects(send(FORM), /not sent/);
  assert.equal(sent.length, 4);
});
