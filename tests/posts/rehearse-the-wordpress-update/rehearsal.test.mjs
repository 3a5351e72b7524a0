// Both scripts with a stand-in for WP-CLI: production gets the versions that were rehearsed, plugins and themes alike, even if
// the command reads its input.

import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, run } from "../posts.mjs";

const WP = `#!/usr/bin/env bash
cat > /dev/null   # reads its input, as the real one may
case "$1 $2" in
  "core is-installed" | "core update-db" | "cache flush") ;;
  "plugin list") echo name; echo forms; echo shop ;;
  "theme list") echo name; echo paper ;;
  "plugin get" | "theme get") echo "$3-2.0" ;;
  *) echo "$*" >> calls ;;
esac
`;

test("what was rehearsed is what is installed", async () => {
  const home = await folder();
  for (const [name, text] of [
    ["wp", WP],
    ["shoot", "#!/bin/sh\n"],
    ["compare", "#!/bin/sh\n"],
  ]) {
    await writeFile(join(home, name), text);
    await chmod(join(home, name), 0o755);
  }
  const [rehearse, install] = code("rehearse-the-wordpress-update", "bash");
  const env = { ...process.env, PATH: `${home}:${process.env.PATH}` };
  run("bash", ["-c", rehearse.replace("cd /srv/rehearsal", "")], { cwd: home, env });
  assert.equal(run("cat", ["calls"], { cwd: home }).stdout, "plugin update --all\ntheme update --all\n");
  run("rm", ["calls"], { cwd: home });
  run("bash", ["-c", install], { cwd: home, env });
  assert.equal(
    run("cat", ["calls"], { cwd: home }).stdout,
    "plugin update forms --version=forms-2.0\nplugin update shop --version=shop-2.0\ntheme update paper --version=paper-2.0\n",
  );
});
