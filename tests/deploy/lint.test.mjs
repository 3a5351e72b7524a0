// Checks the files in deploy/: the AWS template with cfn-lint, the container file with custom rules, and the
// environment variables of both against those that the program reads.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { python } from "../python.mjs";

const CFN_LINT = python("cfn-lint", "cfn-lint==1.58.0", "cfn-lint");
const read = (path) => readFileSync(path, "utf8");
/** Reads a source file of the API. */
const source = (path) => read(join("crates/api/src", path));

test("the AWS template passes its linter", () => {
  const run = spawnSync(CFN_LINT, ["--regions", "us-east-1", "--", "deploy/aws.yaml"], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
});

test("the template grants exactly the permissions that the program needs", () => {
  const template = read("deploy/aws.yaml");
  const allowed = [...template.matchAll(/dynamodb:([A-Z]\w+)/g)].map(([, action]) => action);
  // `Scan` is not listed, because only `sitegen leads forget` uses it, with the credentials of its user.
  const used = [...source("leads/dynamodb.rs").matchAll(/"(GetItem|PutItem|UpdateItem|DeleteItem|Query|BatchGetItem)"/g)];
  // A transaction needs the permission for each of its operations.
  const needed = new Set([...used.map(([, action]) => action), "PutItem"]);
  assert.deepEqual([...new Set(allowed)].sort(), [...needed].sort());
  for (const policy of template.matchAll(/Effect: Allow\n(?:.*\n)*?\s+Resource: (.*)/g)) assert.notEqual(policy[1].trim(), '"*"');
});

test("the program reads every setting in deploy/", () => {
  const known = new Set(
    [
      ...source("settings.rs").matchAll(/pub const (\w+): &str/g),
      ...source("leads/settings.rs").matchAll(/pub const (\w+): &str/g),
    ].map(([, name]) => name),
  );
  const variables = read("deploy/aws.yaml")
    .split("Variables:")[1]
    .split(/\n {0,8}\S/)[0];
  const named = [...variables.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name);
  const both = read("deploy/Containerfile") + read("deploy/site-api.Containerfile");
  const container = [...both.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name]) => name);
  assert.ok(named.length > 5 && container.length > 3);
  for (const name of [...named, ...container]) assert.ok(known.has(name), name);
});

for (const file of ["Containerfile", "site-api.Containerfile", "sitegen.Containerfile"]) {
  test(`${file} follows the rules`, () => {
    const lines = read(`deploy/${file}`)
      .replace(/\\\n\s*/g, " ")
      .split("\n")
      .filter((line) => line && !line.startsWith("#"));
    const all = (word) => lines.filter((line) => line.startsWith(`${word} `));
    for (const from of all("FROM"))
      assert.match(from, /^FROM \S+:\d[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/, "no version and digest");
    for (const run of all("RUN")) {
      assert.ok(!/\bsudo\b|\bcurl\b.*\|/.test(run), run);
      if (run.includes("apt-get install")) {
        assert.match(run, /--no-install-recommends/, run);
        assert.match(run, /rm -rf \/var\/lib\/apt\/lists/, run);
        assert.match(run, /=\d/, "a package without a version");
      }
    }
    assert.equal(all("ADD").length, 0, "COPY does what ADD does, without surprises");
    // sitegen is a command, the others are servers.
    assert.equal(all("HEALTHCHECK").length, file === "sitegen.Containerfile" ? 0 : 1);
    for (const line of [...all("CMD"), ...all("ENTRYPOINT"), ...all("HEALTHCHECK")]) assert.match(line, /\[".*"\]$/, line);
    for (const copy of all("COPY").filter((line) => !line.includes("--from"))) {
      const generated = ["nginx.conf", "nginx-api.conf"].map((name) => `deploy/generated/${name}`);
      const made = ["dist", "search", "leads.json", ...generated, "programs/sitegen", "programs/site-api"];
      for (const from of copy.split(" ").slice(1, -1)) assert.ok(existsSync(from) || made.includes(from), copy);
    }
    assert.ok(!/SECRET|PASSWORD|TOKEN/.test(all("ENV").join("\n")), "a secret in an image");
  });
}

for (const base of ["", "/docs/v1.2"]) {
  test(`the container serves the site at ${base || "the root"}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "sitegen-container-"));
    try {
      const [step] = read("deploy/Containerfile").match(/^RUN base=(?:.*\\\n)*.*$/m) ?? [];
      assert.ok(step, "the step that mounts the site");
      mkdirSync(join(folder, "srv/dist"), { recursive: true });
      mkdirSync(join(folder, "etc/nginx"), { recursive: true });
      writeFileSync(join(folder, "srv/dist/index.html"), "home");
      writeFileSync(join(folder, "etc/nginx/site-api.conf"), `location ${base}/api/ {\n}\nlocation = ${base}/api/metrics { }\n`);
      const script = step.replace(/^RUN /, "").replaceAll(/\/(srv|etc)\b/g, `${folder}/$1`);
      const { status, stderr } = spawnSync("sh", ["-euc", script], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.equal(readFileSync(join(folder, "srv/root", base, "index.html"), "utf8"), "home");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test("the scripts are valid", () => {
  for (const file of ["deploy/start.sh", "deploy/real-ip.sh"]) {
    const checked = spawnSync("sh", ["-n", file], { encoding: "utf8" });
    assert.equal(checked.status, 0, checked.stderr);
  }
});

test("nothing but networks reaches the configuration of nginx", () => {
  const run = (networks) => spawnSync("sh", ["deploy/real-ip.sh", networks], { encoding: "utf8" });
  assert.equal(run("").stdout, "");
  assert.equal(
    run("10.0.0.0/8, 2001:db8::/32").stdout,
    "set_real_ip_from 10.0.0.0/8;\nset_real_ip_from 2001:db8::/32;\nreal_ip_header X-Forwarded-For;\nreal_ip_recursive on;\n",
  );
  for (const wrong of ["10.0.0.0/8; return 200", "$host", "proxy.example", "*", "10.0.0.0/8\n;"]) {
    const { status, stdout, stderr } = run(wrong);
    assert.deepEqual([status, stdout], [1, ""], wrong);
    assert.match(stderr, /^error: TRUSTED_PROXIES: /);
  }
});

test("only CloudFront can ask the API of the AWS template", () => {
  const template = read("deploy/aws.yaml");
  assert.match(template, /OriginCustomHeaders:\n\s+- \{HeaderName: X-Origin-Secret, HeaderValue: !Ref OriginSecret\}/);
  assert.match(template, /ORIGIN_SECRET: !Sub "\$\{OriginSecret\},\$\{OriginSecretBefore\}"/);
  // A visitor could write the header with the address, if requests without the secret were answered.
  assert.match(template, /CLIENT_ADDRESS_HEADER: CloudFront-Viewer-Address/);
  assert.match(template, /OriginSecret:\n\s+Type: String\n\s+NoEcho: true\n(?!\s+Default)/);
});

test("the days that backups keep deleted leads are documented", () => {
  const [, days] = read("deploy/aws.yaml").match(/RecoveryPeriodInDays: (\d+)/);
  assert.match(read("deploy/README.md").replaceAll("\n", " "), new RegExp(`forget\\b.*\\b${days} days`));
});
