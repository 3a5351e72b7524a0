// Both scripts of the post, with a repository in a folder instead of a bucket: a backup is restored and checked, and a check
// that should fail does.

import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, postgres, run } from "../posts.mjs";

test("what was backed up is restored, and an upload that is missing is noticed", async () => {
  const database = await postgres();
  const home = await folder();
  const [backup, restore] = code("backups-you-have-restored", "bash").map((script) =>
    script
      .replace('"s3:https://s3.other-provider.example/backups"', join(home, "repository"))
      .replace("/etc/backup/key", join(home, "key"))
      .replace("/srv/uploads /etc/nginx /etc/shop", join(home, "srv/uploads"))
      .replace(/^curl .*$/m, `touch ${join(home, "said")}`)
      .replaceAll("/restore/srv/uploads", `${join(home, "restored")}${join(home, "srv/uploads")}`)
      .replaceAll(/(--target|find) \/restore/g, `$1 ${join(home, "restored")}`),
  );
  await mkdir(join(home, "srv/uploads"), { recursive: true });
  for (let n = 0; n < 20; n++) await writeFile(join(home, `srv/uploads/${n}.pdf`), "a contract");
  await writeFile(join(home, "key"), "secret");
  run("createdb", ["shop"], { env: database.environment });
  const shop = { PGDATABASE: "shop" };
  database.sql(
    "CREATE TABLE orders (created_at timestamptz); INSERT INTO orders SELECT now() FROM generate_series(1, 100001); CREATE TABLE uploads (path text); INSERT INTO uploads SELECT n || '.pdf' FROM generate_series(0, 19) n",
    { env: shop },
  );
  const env = {
    ...database.environment,
    HOME: home,
    RESTIC_REPOSITORY: join(home, "repository"),
    RESTIC_PASSWORD_FILE: join(home, "key"),
  };
  run("restic", ["init"], { env });
  const bash = (script, wanted = 0) => run("bash", ["-c", script], { env, cwd: home, wanted });
  const again = async () => {
    await rm(join(home, "restored"), { recursive: true, force: true });
    run("dropdb", ["--if-exists", "restored"], { env: database.environment });
  };
  bash(backup);
  assert.ok((await readdir(home)).includes("said"), "the monitor hears of it");
  bash(restore);

  await rm(join(home, "srv/uploads/7.pdf"));
  bash(backup);
  await again();
  bash(restore, 1);

  // The dump fails, so nothing is reported: `set -e` stops before the last line.
  await rm(join(home, "said"));
  bash(backup.replace('shop.dump" shop', 'shop.dump" nowhere'), 1);
  assert.ok(!(await readdir(home)).includes("said"));
});
