// Finds the claims that no pod mounts, from what kubectl prints, and the sums of the bill are right.

import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, post, run } from "../posts.mjs";

const SLUG = "switch-it-off-at-night";

test("claims that no pod mounts are listed", async () => {
  const home = await folder();
  const claims = { items: ["a", "b", "c"].map((name) => ({ metadata: { namespace: "shop", name } })) };
  const volume = (claimName) => ({ persistentVolumeClaim: { claimName } });
  const pods = {
    items: [
      { metadata: { namespace: "shop" }, spec: { volumes: [volume("a"), { emptyDir: {} }, volume("a")] } },
      { metadata: { namespace: "other" }, spec: { volumes: [volume("b")] } },
      { metadata: { namespace: "shop" }, spec: {} },
    ],
  };
  await writeFile(
    join(home, "kubectl"),
    `#!/bin/sh\ncase $2 in pvc) echo '${JSON.stringify(claims)}' ;; pods) echo '${JSON.stringify(pods)}' ;; esac\n`,
  );
  await chmod(join(home, "kubectl"), 0o755);
  const command = code(SLUG, "bash")[0].slice(code(SLUG, "bash")[0].indexOf("comm -23"));
  const { stdout } = run("bash", ["-c", command], { env: { ...process.env, PATH: `${home}:${process.env.PATH}`, LC_ALL: "C" } });
  assert.deepEqual(stdout.trim().split("\n"), ["shop/b", "shop/c"]);
});

test("the sums of the bill add up", () => {
  const columns = (pattern) =>
    [...post(SLUG).matchAll(pattern)].map((match) => match.slice(1).map((text) => Number(text.replace(",", ""))));
  const rows = columns(/^\| (?!\*)[^|$]+ \| \$([\d,]+) \| \$([\d,]+) \|$/gm);
  const [[before, after]] = columns(/^\| \*\*total\*\* \| \*\*\$([\d,]+)\*\* \| \*\*\$([\d,]+)\*\* \|$/gm);
  assert.equal(rows.length, 5);
  assert.deepEqual(
    [0, 1].map((index) => rows.reduce((sum, row) => sum + row[index], 0)),
    [before, after],
  );
  assert.equal(Math.round((1 - after / before) * 100), 31);
  const [, hours, days] = /It took (\w+) hours\. At our usual rate of \$125, it had paid for itself in (\w+) days/.exec(
    post(SLUG),
  );
  assert.deepEqual([hours, days], ["twelve", "seventeen"]);
  assert.equal(Math.ceil((12 * 125) / ((before - after) / 30)), 17);
});
