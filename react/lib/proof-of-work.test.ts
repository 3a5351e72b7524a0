// Tests of the number that a browser looks for, over challenges as the API makes them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { solve } from "./proof-of-work";

const challenge = (number: number, maxnumber = 2_000) => {
  const salt = "00ff?expires=1801483200&";
  return { algorithm: "SHA-256", challenge: createHash("sha256").update(`${salt}${number}`).digest("hex"), maxnumber, salt };
};

describe("the proof of work", () => {
  it("finds the number wherever it is", async () => {
    for (const number of [0, 1, 499, 500, 501, 1_999, 2_000]) assert.equal(await solve(challenge(number)), number);
  });

  it("says so if there is none", async () => {
    await assert.rejects(solve(challenge(2_001)), /no solution/);
  });
});
