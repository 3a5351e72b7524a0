// Tests `scripts/explain` with real failures of cargo and npm: a local registry is unavailable or serves damaged files,
// and the script must recognize the output. Each test has separate caches.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

const EXPLAIN = resolve("scripts/explain");
const folder = mkdtempSync(join(tmpdir(), "sitegen-explain-"));
// rustup may have no default toolchain.
copyFileSync("rust-toolchain.toml", join(folder, "rust-toolchain.toml"));

// Incompressible content, so that half of the archive has half of the content.
const CONTENT = Buffer.concat(Array.from({ length: 64 }, (_, at) => createHash("sha512").update(String(at)).digest()));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Creates a gzipped tar archive with one file. */
function archive(name) {
  const header = Buffer.alloc(512);
  const put = (at, text) => header.write(text, at, "latin1");
  put(0, name);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, `${CONTENT.length.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, "        ");
  put(
    148,
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
  );
  return gzipSync(Buffer.concat([header, CONTENT, Buffer.alloc(1024)]));
}

const whole = archive("damaged-1.0.0/src/lib.rs");
const half = whole.subarray(0, whole.length / 2);

/**
 * A registry with one crate and one npm package, both called `damaged`. It always serves half of the archive. Checksums
 * below `/promises-half` match that half, those below `/promises-whole` match the whole archive.
 */
const server = createServer((request, response) => {
  const [, promise, ...rest] = request.url.split("/");
  const base = `http://127.0.0.1:${server.address().port}/${promise}`;
  const promised = promise === "promises-half" ? half : whole;
  const answers = {
    "config.json": JSON.stringify({ dl: `${base}/dl` }),
    "da/ma/damaged": JSON.stringify({
      name: "damaged",
      vers: "1.0.0",
      deps: [],
      cksum: sha256(promised),
      features: {},
      yanked: false,
    }),
    "dl/damaged/1.0.0/download": half,
    damaged: JSON.stringify({
      name: "damaged",
      "dist-tags": { latest: "1.0.0" },
      versions: {
        "1.0.0": {
          name: "damaged",
          version: "1.0.0",
          dist: { tarball: `${base}/damaged.tgz`, integrity: `sha512-${createHash("sha512").update(promised).digest("base64")}` },
        },
      },
    }),
    "damaged.tgz": half,
  };
  const answer = answers[rest.join("/")];
  response.writeHead(answer ? 200 : 404);
  response.end(answer ?? "");
});

let away;
before(async () => {
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  // Finds a free port on which nothing listens.
  const closed = createServer();
  await new Promise((ready) => closed.listen(0, "127.0.0.1", ready));
  away = `http://127.0.0.1:${closed.address().port}`;
  await new Promise((done) => closed.close(done));
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const registry = (promise) => `http://127.0.0.1:${server.address().port}/${promise}`;

/** Runs a command with `scripts/explain`, and returns its status, stdout and stderr. */
function explain(command, { cwd = folder, env = {} } = {}) {
  return new Promise((done) => {
    const own = { ...process.env, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1", ...env };
    const run = spawn(EXPLAIN, command, { cwd, env: own, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) run[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
    run.on("close", (status) => done({ status, ...said }));
  });
}

let number = 0;

/** Creates a crate that depends on `damaged` from the registry at the URL. */
function crate(address) {
  const home = join(folder, `crate-${number++}`);
  mkdirSync(join(home, "src"), { recursive: true });
  mkdirSync(join(home, "cargo"));
  writeFileSync(join(home, "src/lib.rs"), "");
  writeFileSync(join(home, "Cargo.toml"), '[package]\nname = "own"\nedition = "2024"\n[dependencies]\ndamaged = "1"\n');
  writeFileSync(
    join(home, "cargo/config.toml"),
    `[source.crates-io]\nreplace-with = "test"\n[source.test]\nregistry = "sparse+${address}/"\n[net]\nretry = 0\n`,
  );
  return { cwd: home, env: { CARGO_HOME: join(home, "cargo") } };
}

/** Creates an npm package that depends on `damaged`. */
function npmPackage() {
  const home = join(folder, `npm-${number++}`);
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), '{"name": "own", "version": "1.0.0", "dependencies": {"damaged": "1.0.0"}}');
  return { cwd: home, env: { npm_config_cache: join(home, "cache") } };
}

const npmInstall = (address) => [
  "npm",
  "install",
  `--registry=${address}`,
  "--fetch-retries=0",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

test("a command that succeeds keeps its output and adds nothing", async () => {
  const run = await explain(["sh", "-c", "echo out; echo No space left on device >&2"]);
  assert.deepEqual(run, { status: 0, stdout: "out\n", stderr: "No space left on device\n" });
});

test("a command that fails for an unknown reason keeps its status and adds nothing", async () => {
  const run = await explain(["sh", "-c", "echo out; echo 'error[E0425]: cannot find value' >&2; exit 101"]);
  assert.deepEqual(run, { status: 101, stdout: "out\n", stderr: "error[E0425]: cannot find value\n" });
});

test("without a command it prints its usage", async () => {
  const run = await explain([]);
  assert.equal(run.status, 2);
  assert.match(run.stderr, /^usage: /);
});

/** Checks that the last two lines are the explanation, and that the command's own output precedes it. */
function assertExplained(run, error, hint) {
  assert.notEqual(run.status, 0, run.stderr);
  const lines = run.stderr.trimEnd().split("\n");
  assert.match(lines.at(-2), error, run.stderr);
  assert.match(lines.at(-1), hint, run.stderr);
  assert.ok(lines.length > 2, run.stderr);
}

test("cargo without network", async () => {
  assertExplained(
    await explain(["cargo", "fetch"], crate(away)),
    /^error: cargo cannot reach its registry$/,
    /^hint: check the network/,
  );
});

test("cargo with an incomplete download of a crate", async () => {
  const run = await explain(["cargo", "fetch"], crate(registry("promises-whole")));
  assertExplained(run, /^error: a downloaded crate is damaged/, /^hint: delete `.*\/cargo\/registry`/);
});

test("cargo with a damaged crate in its cache", async () => {
  const run = await explain(["cargo", "fetch"], crate(registry("promises-half")));
  assertExplained(run, /^error: a downloaded crate is damaged/, /^hint: delete `.*\/cargo\/registry`/);
});

test("npm without network", async () => {
  assertExplained(
    await explain(npmInstall(away), npmPackage()),
    /^error: npm cannot reach its registry$/,
    /^hint: check the network/,
  );
});

test("npm with an incomplete download of a package", async () => {
  const run = await explain(npmInstall(registry("promises-whole")), npmPackage());
  assertExplained(run, /^error: a package downloaded by npm is damaged$/, /^hint: run `npm cache clean --force`/);
});

test("a full disk", { skip: process.platform !== "linux" && "needs /dev/full" }, async () => {
  const run = await explain(["sh", "-c", "cat /etc/passwd >/dev/full"]);
  assertExplained(run, /^error: the disk is full while `sh` writes; free here: \S+ on \//, /^hint: free some space/);
});

test("a linker that crashed because the disk is full", async () => {
  const run = await explain([
    "sh",
    "-c",
    "echo 'collect2: fatal error: ld terminated with signal 7 [Bus error], core dumped' >&2; exit 1",
  ]);
  assertExplained(run, /^error: the disk is full/, /^hint: free some space/);
});

test("a compiler that was killed because memory ran out", async () => {
  const run = await explain(["sh", "-c", "echo 'error: could not compile `x` (signal: 9, SIGKILL: kill)' >&2; exit 101"]);
  assert.equal(run.status, 101);
  assertExplained({ ...run, stderr: `\n${run.stderr}` }, /^error: the machine ran out of memory/, /^hint: .*CARGO_BUILD_JOBS=1/);
});

// Messages of cargo 1.95 and npm 10. They are not produced by real requests, which would need a TLS server.
for (const said of [
  "  [60] SSL peer certificate or SSH remote key was not OK (SSL certificate problem: self-signed certificate)",
  "npm error code DEPTH_ZERO_SELF_SIGNED_CERT",
]) {
  test(`a proxy with its own certificate: ${said.trim()}`, async () => {
    const run = await explain(["sh", "-c", 'echo "failed to download" >&2; echo "$0" >&2; exit 1', said]);
    assertExplained(run, /^error: `sh` does not trust the certificate of its registry/, /^hint: .*NODE_EXTRA_CA_CERTS=FILE/);
  });
}
