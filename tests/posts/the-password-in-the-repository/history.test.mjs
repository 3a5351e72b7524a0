// The search in the history finds a key that is in no file anymore.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, run } from "../posts.mjs";

test("a key that was deleted years ago is found", async () => {
  const home = await folder();
  const who = ["-c", "user.name=Ana", "-c", "user.email=ana@mail.example", "-c", "commit.gpgsign=false"];
  const git = (...args) => run("git", [...who, ...args], { cwd: home });
  git("init", "--quiet");
  const key = `AKIA${"ABCD1234".repeat(2)}`;
  for (const text of ["nothing\n", `key = ${key}\n`, "nothing\n"]) {
    await writeFile(join(home, "settings.py"), text);
    git("add", ".");
    git("commit", "--quiet", "-m", "a change");
  }
  const { stdout } = run("bash", ["-c", code("the-password-in-the-repository", "bash")[0]], { cwd: home });
  assert.match(stdout, new RegExp(`^[0-9a-f]{7,} Ana \\d{4}-\\d\\d-\\d\\d$[\\s\\S]*^\\+key = ${key}$`, "m"));
});
