// The four programs of the post print the same, and treat broken lines as its table says.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, post, run } from "../posts.mjs";

const SLUG = "two-million-lines-in-four-languages";
const PRINT =
  'for path, (count, seconds) in sorted(totals.items()):\n    print(f"{path.decode():20} {count:8} {seconds / count:.3f}")\n';

async function programs() {
  const home = await folder();
  const write = (name, text) => writeFile(join(home, name), text);
  const [regular, bytes] = code(SLUG, "python");
  await write("regular.py", regular);
  await write("bytes.py", bytes + PRINT);
  await write("count.cpp", code(SLUG, "cpp")[0]);
  await write("count.rs", code(SLUG, "rust")[0]);
  await write("count.sh", `${code(SLUG, "bash")[0].trimEnd()} | LC_ALL=C sort\n`);
  run("g++", ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "count.cpp", "-o", "cpp"], { cwd: home });
  run("rustc", ["--edition", "2021", "-O", "-D", "warnings", "count.rs", "-o", "rust"], { cwd: home });
  const start =
    (program, args) =>
    (wanted = 0) =>
      run(program, args, { cwd: home, wanted }).stdout;
  return {
    write,
    regular: start("python3", ["regular.py"]),
    bytes: start("python3", ["bytes.py"]),
    awk: start("bash", ["count.sh"]),
    cpp: start("./cpp", []),
    rust: start("./rust", []),
  };
}

const line = (request, rest = "200 51950 1.302") => `10.0.0.0 - - [14/Mar/2025:10:00:00 +0000] "${request}" ${rest}\n`;
const GOOD = ["/login", "/search?q=a", "/search?q=b", "/", "/cart", "/api/orders", "/product?id=1"]
  .map((path) => line(`GET ${path} HTTP/1.1`))
  .join("");
// A field that is no number, a request that is none, and a line that ends too soon.
const BROKEN = `${line("GET /login HTTP/1.1", "200 51950 -") + line("", "400 0 0.000")}10.0.0.0 - - [14/Mar/2025:10:00:00 +0000] "GET /lo\n`;

test("all programs print the same six lines", async () => {
  const { write, ...each } = await programs();
  await write("access.log", GOOD.repeat(50));
  const wanted = each.regular();
  assert.equal(wanted.split("\n").length, 7);
  assert.match(wanted, /^\/search +100 1\.302$/m);
  for (const [name, start] of Object.entries(each)) assert.equal(start(), wanted, name);
});

test("broken lines are skipped, miscounted or fatal, as the table says", async () => {
  const { write, ...each } = await programs();
  await write("access.log", GOOD);
  const wanted = each.regular();
  await write("access.log", GOOD + BROKEN);
  const rows = { "Python, regular expression": "regular", "Python, bytes": "bytes", awk: "awk", "C++": "cpp", Rust: "rust" };
  const said = Object.fromEntries(
    [...post(SLUG).matchAll(/^\| (.+?) \| [\d.]+ \| \d+ \| (.+) \|$/gm)].map(([, name, skips]) => [rows[name], skips]),
  );
  assert.deepEqual(said, { regular: "yes", bytes: "no, it stops", awk: "miscounts it", cpp: "yes", rust: "yes" });
  for (const [name, skips] of Object.entries(said)) {
    if (skips === "yes") assert.equal(each[name](), wanted, name);
    else if (skips === "miscounts it") assert.notEqual(each[name](), wanted, name);
    else each[name](1);
  }
});

test("the table counts the lines of each program", () => {
  const lines = (text) => text.split("\n").filter((line) => line.trim()).length;
  const [regular, bytes] = code(SLUG, "python");
  const given = [regular, bytes + PRINT, code(SLUG, "bash")[0], code(SLUG, "cpp")[0], code(SLUG, "rust")[0]].map(lines);
  assert.deepEqual(
    [...post(SLUG).matchAll(/^\| .+? \| [\d.]+ \| (\d+) \| .+ \|$/gm)].map(([, said]) => Number(said)),
    given,
  );
});
