// Tests `bench/cold` with a repository that compiles in a second: a program that serves a page with pictures. Its files
// have the names that the benchmark edits, and the expected measurements are known.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "sitegen-cold-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  Makefile: "serve:\n\t@cargo build --quiet --release --offline --bin site\n\t@exec target/release/site $(PORT)\n",
  "Cargo.toml":
    '[workspace]\nmembers = ["leaf"]\n[package]\nname = "site"\nedition = "2024"\n[dependencies]\nleaf = { path = "leaf" }\n',
  "leaf/Cargo.toml": '[package]\nname = "leaf"\nedition = "2024"\n',
  "leaf/src/lib.rs": 'pub fn picture() -> &\'static str {\n    "GIF89a"\n}\n',
  "src/render/head.rs":
    "pub fn head() -> &'static str {\n    \"<img src='/one.gif' srcset='/one.gif 1x, /two.gif 2x'><img src='https://elsewhere.test/no.gif'>\"\n}\n",
  "src/cli/routes.rs":
    "pub fn routes() -> u16 {\n    std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0)\n}\n",
  "src/main.rs": `
#[path = "cli/routes.rs"] mod routes;
#[path = "render/head.rs"] mod head;
use std::io::{BufRead, BufReader, Write};
fn main() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", routes::routes())).unwrap();
    let mut asked = std::collections::HashSet::new();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (status, body) = match path.as_str() {
            "/" => (200, head::head()),
            // The first request for a picture fails with 503, as while it is being encoded.
            "/one.gif" | "/two.gif" if asked.insert(path.clone()) => (503, "later"),
            "/one.gif" | "/two.gif" => (200, leaf::picture()),
            _ => (404, "none"),
        };
        let _ = write!(stream, "HTTP/1.1 {status} X\\r\\ncontent-length: {}\\r\\nconnection: close\\r\\n\\r\\n{body}", body.len());
    }
}
`,
  "content/pages/about/en.yaml": "title: About\n",
  "templates/layouts/base.html": "<html>\n",
  "react/loader.ts": "export {};\n",
  ".gitignore": "/target\n",
  // rustup may have no default toolchain.
  "rust-toolchain.toml": readFileSync("rust-toolchain.toml", "utf8"),
};
// git may be missing if the repository was downloaded as an archive.
const skip = spawnSync("git", ["--version"]).error && "git is not installed";

const git = (...words) => {
  const run = spawnSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(run.status, 0, run.stderr);
};
const cold = (...words) => spawnSync("bench/cold", words, { cwd: folder, encoding: "utf8" });

before(() => {
  if (skip) return;
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const part of ["cold", "corpus.py", "harness"])
    cpSync(join("bench", part), join(folder, "bench", part), { recursive: true });
  spawnSync("cargo", ["generate-lockfile", "--offline"], { cwd: folder });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "A site");
});

test("it measures the first page, its pictures, each compiled unit, and changed lines", { skip }, () => {
  const run = cold("HEAD", "HEAD", "--limit", "300", "--work", join(folder, "work"));
  assert.equal(run.status, 0, run.stderr);
  const { caches, commits } = JSON.parse(readFileSync(join(folder, "target/bench/results.json"), "utf8")).cold;
  assert.equal(caches, "kept");
  assert.equal(commits.length, 2);
  for (const own of commits) {
    assert.equal(own.pictures, 2, "those of this host");
    assert.ok(own.first_page > 0 && own.complete > own.first_page, "pictures come after the page");
    assert.deepEqual(own.units.map((unit) => unit.name).sort(), ["leaf", "site (program)"]);
    assert.ok(own.compile_cpu > 0.05 && own.cpu > own.compile_cpu, "the compilers are a part of everything");
  }
  const [first, second] = commits;
  assert.deepEqual(second.edits, [], "lines are changed in the first commit alone");
  assert.deepEqual(
    first.edits.map((edit) => [edit.name, edit.units]),
    [
      ["render", ["site (program)"]],
      ["leaf", ["site (program)"]],
      ["texts", []],
    ],
  );
  assert.match(run.stdout, /lines in content\/, templates\/ and react\/ .* nothing$/m);
});

test("a commit that does not compile fails with the compiler's message", { skip }, () => {
  writeFileSync(join(folder, "src/render/head.rs"), "no Rust\n");
  git("commit", "--quiet", "--all", "--message", "A mistake");
  const run = cold("--limit", "300", "--work", join(folder, "work"));
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^error: `make serve` ended with 2$/m);
  assert.match(run.stderr, /src\/render\/head\.rs/);
});

test("a missing commit is an error", { skip }, () => {
  const run = cold("nowhere");
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^error: `nowhere` is not a commit of this repository$/m);
});
