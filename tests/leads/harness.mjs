// What the tests of both stores need: an emulator of AWS with the table and the bucket of deploy/aws.yaml, the API, and servers
// that stand for those of webhooks, captchas and mail.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { resolve } from "node:path";
import { python } from "../python.mjs";

const MOTO = python("moto", "moto[dynamodb,server]==5.2.5", "python");
const API = resolve(process.env.SITE_API || "target/release/site-api");
export const SITEGEN = resolve(process.env.SITEGEN || "target/release/sitegen");
const KEYS = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

/** @param {import("node:net").Server} server */
const portOf = (server) => /** @type {import("node:net").AddressInfo} */ (server.address()).port;

export const listen = (handler) =>
  new Promise((done) => {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += part)).on("end", () => handler(request, body, response));
    });
    server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${portOf(server)}`, close: () => server.close() }));
  });

/** A mail server, and the mails that it has taken. */
export const mailServer = () =>
  new Promise((done) => {
    const mails = [];
    const server = createSocket((socket) => {
      let text = "";
      let isMail = false;
      let mail = "";
      const say = (line) => socket.write(`${line}\r\n`);
      const hear = (line) => {
        if (isMail && line !== ".") mail += `${line}\n`;
        else if (isMail) {
          isMail = false;
          mails.push(mail);
          say("250 taken");
        } else if (/^data/i.test(line)) {
          isMail = true;
          mail = "";
          say("354 go on");
        } else if (/^quit/i.test(line)) socket.end("221 bye\r\n");
        else say("250 yes");
      };
      socket.on("error", () => {});
      socket.on("data", (part) => {
        text += part;
        for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
          const line = text.slice(0, end);
          text = text.slice(end + 2);
          hear(line);
        }
      });
      say("220 mail.example");
    });
    server.listen(0, "127.0.0.1", () => done({ url: `smtp://127.0.0.1:${portOf(server)}`, mails, close: () => server.close() }));
  });

/** Starts a program, and returns the first match of a pattern in its output. */
export function started(program, args, options, pattern) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((done, fail) => {
    const log = { text: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        log.text += text;
        const found = log.text.match(pattern);
        if (found) done({ child, found: found[1], log });
      });
    }
    child.on("exit", () => fail(new Error(log.text)));
  });
}

/** Creates the table as defined in deploy/aws.yaml, so that a missing index fails the tests. */
async function makeTable(url) {
  const template = readFileSync("deploy/aws.yaml", "utf8").split("Type: AWS::DynamoDB::Table")[1].split("\n\n")[0];
  const attributes = [...template.matchAll(/AttributeName: (\w+), AttributeType: "?(\w)"?/g)];
  const keys = (text) =>
    [...text.matchAll(/AttributeName: (\w+), KeyType: (\w+)/g)].map(([, AttributeName, KeyType]) => ({ AttributeName, KeyType }));
  const [own, indexes] = template.split("GlobalSecondaryIndexes:");
  const GlobalSecondaryIndexes = indexes
    .split("IndexName: ")
    .slice(1)
    .map((text) => ({
      IndexName: text.match(/^\S+/)[0],
      KeySchema: keys(text),
      Projection: { ProjectionType: text.match(/ProjectionType: (\w+)/)[1] },
    }));
  await dynamo(url, "CreateTable", {
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keys(own),
    AttributeDefinitions: attributes.map(([, AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    GlobalSecondaryIndexes,
  });
}

/** Calls an operation on the table, and returns what it answers. */
async function dynamo(url, operation, body) {
  const headers = {
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    "content-type": "application/x-amz-json-1.0",
    authorization: signedFor("dynamodb"),
  };
  const made = await fetch(url, { method: "POST", headers, body: JSON.stringify({ TableName: "leads", ...body }) });
  const text = await made.text();
  assert.equal(made.status, 200, text);
  return JSON.parse(text);
}

/** The emulator looks for the service only. */
const signedFor = (service) =>
  `AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=x`;

/** The emulator, with an empty table and an empty bucket, and the variables with which the API uses them. */
export async function aws() {
  const { child, found: url } = await started(MOTO, ["tests/leads/aws.py"], {}, /Running on (http:\S+)/);
  await makeTable(url);
  const s3 = (path, method = "GET", body = undefined) =>
    fetch(`${url}/files${path}`, { method, body, headers: { authorization: signedFor("s3") } });
  assert.equal((await s3("", "PUT")).status, 200);
  return {
    child,
    uploads: `${url}/files`,
    variables: {
      ...KEYS,
      LEADS_STORE: "dynamodb:leads",
      LEADS_FILES: "s3://files",
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_ENDPOINT_URL_S3: url,
    },
    dynamo: (operation, body) => dynamo(url, operation, body),
    /** The keys of all objects, sorted. */
    keys: async () =>
      [...(await (await s3("?list-type=2")).text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key).sort(),
    s3,
    /** Which of the next requests fail, and how. */
    trouble: async (wanted) => {
      const asked = await fetch(`${url}/trouble`, { method: "POST", body: JSON.stringify(wanted) });
      assert.equal(asked.status, 204);
    },
  };
}

/** The API with these variables, in a folder. */
export const runApi = (folder, variables) =>
  started(API, [], { cwd: folder, env: { ...process.env, LISTEN: "127.0.0.1:0", ...variables } }, /(http:[^\s"]+?)\/api\//);

/** `sitegen leads …` in a folder. Returns its output; fails if its status is not `status`. */
export const leadsCommand = (folder, variables, args, status = 0) => {
  const made = spawnSync(SITEGEN, ["leads", ...args, "--root", folder], {
    encoding: "utf8",
    env: { ...process.env, ...variables },
  });
  assert.equal(made.status, status, made.stderr);
  return made;
};

/** Waits until a condition holds. */
export const until = async (what, condition) => {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, what);
    await new Promise((done) => setTimeout(done, 20));
  }
};
