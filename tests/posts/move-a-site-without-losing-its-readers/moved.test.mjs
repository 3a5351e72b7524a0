// The list, the map and the check of the post: a log of nginx, an nginx with the map, and the program that tests each line.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, nginx, pythonWith, run } from "../posts.mjs";

const SLUG = "move-a-site-without-losing-its-readers";
const PYTHON = pythonWith("requests==2.32.5");

test("the log becomes a list of addresses that were asked for at least twice", async () => {
  const home = await folder();
  const line = (request, status) =>
    `10.0.0.1 - - [16/Apr/2024:10:00:00 +0000] "${request} HTTP/1.1" ${status} 512 "-" "Mozilla"\n`;
  const log = [
    ...Array(3).fill(line("GET /guide/?utm=a", 200)),
    ...Array(2).fill(line("GET /old/", 200)),
    line("GET /once/", 200),
    ...Array(5).fill(line("GET /logo.png", 200)),
    ...Array(5).fill(line("GET /gone/", 404)),
    ...Array(5).fill(line("POST /form/", 200)),
  ].join("");
  await writeFile(join(home, "access.log"), log);
  run("bash", ["-c", code(SLUG, "bash")[0].replace("/var/log/nginx/", `${home}/`)], { cwd: home });
  assert.equal(run("cat", ["seen.tsv"], { cwd: home }).stdout, "3\t/guide/\n2\t/old/\n");
});

test("the map moves each address in one hop, and the check finds those that do not arrive", async () => {
  const home = await folder();
  await writeFile(
    join(home, "moved.map"),
    '"/productos/bombas?id=17" /pumps/series-17/;\n"~^/news\\?id=4(&|$)" /pumps/;\n"/broken" /nowhere/;\n',
  );
  await writeFile(join(home, "gone.map"), '"/tag/varios" 1;\n');
  const configuration = code(SLUG, "nginx")[0].replaceAll("/etc/nginx/", `${home}/`);
  const port = await nginx(
    home,
    configuration,
    "location = /pumps/ { return 200 a; } location = /pumps/series-17/ { return 200 b; } location / { return 404; }",
  );
  const check = async (rows) => {
    await writeFile(join(home, "moved.csv"), `old,new\n${rows.map((row) => row.join(",")).join("\n")}\n`);
    return run(PYTHON, ["-c", code(SLUG, "python")[0], `http://127.0.0.1:${port}/`], { cwd: home, wanted: null });
  };
  const good = await check([
    ["/productos/bombas?id=17", "/pumps/series-17/"],
    ["/news?id=4&utm_source=mail", "/pumps/"],
    ["/tag/varios", "410"],
  ]);
  assert.equal(good.status, 0, good.stdout + good.stderr);
  const bad = await check([
    ["/broken", "/pumps/"],
    ["/productos/bombas?id=17&utm_source=mail", "/pumps/series-17/"],
  ]);
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /^\/broken: arrives at .*nowhere.* with 404$/m);
  assert.match(bad.stdout, /utm_source=mail: \[\] instead of one 301$/m);
});
