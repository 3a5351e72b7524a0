// Machines that share a cache in a bucket, with the built program. moto's server emulates S3.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { python } from "../python.mjs";

const MOTO = python("moto", "moto[dynamodb,server]==5.2.5", "moto_server");
const SITEGEN = resolve(process.env.SITEGEN || "target/release/sitegen");
const BUCKET = "site-cache";

let server;
let endpoint;
const folders = [];

before(async () => {
  server = spawn(MOTO, ["-H", "127.0.0.1", "-p", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  endpoint = await new Promise((done, fail) => {
    let said = "";
    for (const stream of [server.stdout, server.stderr]) {
      stream.on("data", (text) => {
        said += text;
        const found = said.match(/Running on (http:\S+)/);
        if (found) done(found[1]);
      });
    }
    server.on("exit", () => fail(new Error(said)));
  });
  const created = await request("", { method: "PUT" });
  assert.ok(created.ok, `the bucket was not created: ${created.status}`);
});

after(() => {
  server?.kill();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A copy of the small site with an island on each page, as on a new machine. */
function machine() {
  const folder = mkdtempSync(join(tmpdir(), "sitegen-cache-"));
  folders.push(folder);
  cpSync("tests/sites/_base", folder, { recursive: true });
  cpSync("react", join(folder, "react"), { recursive: true });
  rmSync(join(folder, "react/islands"), { recursive: true });
  cpSync("tests/islands", folder, { recursive: true });
  const call = '{{ island("faq", {"name": "x", "items": []}, "load") }}';
  const pages =
    '{% for section in sections %}{% include "sections/" ~ section.kind ~ "/" ~ section.kind ~ ".html" %}{% endfor %}';
  writeFileSync(
    join(folder, "templates/pages/page.html"),
    `{% extends "layouts/base.html" %}\n{% block main %}${pages}${call}{% endblock %}\n`,
  );
  return folder;
}

function build(folder, environment = {}) {
  const run = spawnSync(SITEGEN, ["build", "--precompress", "--root", folder, "--cache", `s3://${BUCKET}/sites/one`], {
    encoding: "utf8",
    env: {
      ...process.env,
      SITEGEN_NODE_MODULES: resolve("node_modules"),
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      GITHUB_ACTIONS: "",
      ...environment,
    },
  });
  assert.equal(run.status, 0, run.stderr);
  return { files: files(join(folder, "dist")), stderr: run.stderr };
}

const files = (folder) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path), readFileSync(path, "base64")]),
  );

/** A request to the bucket. The emulator asks for a signature, and does not check it. */
const request = (path, options) => {
  const headers = { authorization: "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request" };
  return fetch(`${endpoint}/${BUCKET}${path}`, { ...options, headers });
};

/** The keys of all objects. */
async function objects() {
  const text = await (await request("?list-type=2")).text();
  return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key);
}

test("a second machine takes what the first one computed, and starts no Node.js", async () => {
  const first = build(machine());
  const keys = await objects();
  for (const kind of ["islands", "compressed"]) {
    assert.ok(
      keys.some((key) => key.startsWith(`sites/one/v1/${kind}/`)),
      keys.join(),
    );
  }
  const second = build(machine(), { SITEGEN_NODE: "/no/such/node" });
  assert.deepEqual(second.files, first.files);
  assert.equal(second.stderr, "");
});

test("credentials in the files of AWS's tools are used", () => {
  const home = mkdtempSync(join(tmpdir(), "sitegen-home-"));
  folders.push(home);
  const credentials = join(home, "credentials");
  writeFileSync(
    credentials,
    "[other]\naws_access_key_id = other\n\n[ci]\naws_access_key_id = test\naws_secret_access_key = test\n",
  );
  const environment = {
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    AWS_PROFILE: "ci",
    AWS_SHARED_CREDENTIALS_FILE: credentials,
  };
  const run = build(machine(), { ...environment, SITEGEN_NODE: "/no/such/node" });
  assert.equal(run.stderr, "");
});

test("damaged objects are replaced, and a bucket that does not exist changes nothing", async () => {
  const first = build(machine());
  for (const key of await objects()) await request(`/${key}`, { method: "PUT", body: "damaged" });
  const second = build(machine());
  assert.deepEqual(second.files, first.files);
  assert.match(second.stderr, /cache-unavailable.*an entry is damaged/);
  for (const key of await objects()) {
    const object = await (await request(`/${key}`)).text();
    assert.ok(object.startsWith("sitegen cache "), `${key} was not replaced`);
    await request(`/${key}`, { method: "DELETE" });
  }
  await request("", { method: "DELETE" });
  assert.deepEqual(build(machine()).files, first.files);
});
