// The migrations of the post, run by Django against PostgreSQL while a report keeps a transaction open.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, inside, postgres, pythonWith, run } from "../posts.mjs";

const SLUG = "django-migrations-while-people-work";
const PYTHON = pythonWith("django==5.2.9", "psycopg[binary]==3.2.13");

/** A project whose migrations use the settings of the post. */
async function project(database) {
  const home = await folder();
  const blocks = code(SLUG, "python");
  const settings = blocks.find((block) => block.includes("from .production"));
  const index = blocks.find((block) => block.includes("AddIndexConcurrently"));
  const copy = blocks.find((block) => block.includes("def copy("));
  const write = (name, text) => writeFile(join(home, name), text);
  await inside(home, "shop/settings");
  await inside(home, "shop/migrations");
  for (const name of ["shop/__init__.py", "shop/settings/__init__.py", "shop/migrations/__init__.py"]) await write(name, "");
  await write(
    "shop/settings/production.py",
    `INSTALLED_APPS = ["shop"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres", "USER": "postgres", "HOST": ${JSON.stringify(database.home)}}}
`,
  );
  await write("shop/settings/migrate.py", settings);
  await write(
    "shop/models.py",
    `from django.db import models

class Order(models.Model):
    customer = models.IntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    send_date = models.DateTimeField(null=True)
    shipped_at = models.DateTimeField(null=True)
    class Meta:
        indexes = [models.Index(fields=["customer", "-created_at"], name="order_customer_recent")]
`,
  );
  await write(
    "shop/migrations/0041_order_shipped_at.py",
    `from django.db import migrations, models

class Migration(migrations.Migration):
    operations = [migrations.CreateModel("Order", [
        ("id", models.AutoField(primary_key=True)), ("customer", models.IntegerField()), ("created_at", models.DateTimeField(auto_now_add=True)),
        ("send_date", models.DateTimeField(null=True)), ("shipped_at", models.DateTimeField(null=True))])]
`,
  );
  await write("shop/migrations/0042_index.py", index);
  await write(
    "shop/migrations/0043_copy.py",
    `${copy}

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("shop", "0042_index")]
    operations = [migrations.RunPython(copy)]
`,
  );
  const command = (args) => ["-m", "django", ...args, "--settings=shop.settings.migrate"];
  const options = { cwd: home, env: { ...database.environment, PYTHONPATH: home } };
  return {
    write,
    index,
    manage: (args, wanted = 0) => run(PYTHON, command(args), { ...options, wanted }),
    migrate: (args) => spawn(PYTHON, command(args), { ...options, stdio: ["ignore", "ignore", "inherit"] }),
  };
}

/** A transaction that is open until the server ends it. */
async function report(database) {
  const session = database.spawn("SELECT pg_sleep(600)");
  for (;;) {
    const [pid] = database
      .sql("SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'")
      .split("\n");
    if (!pid) continue;
    const end = () => {
      database.sql(`SELECT pg_terminate_backend(${pid})`);
      return once(session, "close");
    };
    return { end };
  }
}

test("an index is built while a report is running, and only without the two timeouts", async () => {
  const database = await postgres();
  const { manage, migrate, write, index } = await project(database);
  manage(["migrate", "shop", "0041"]);
  const running = await report(database);

  // As the post warns: without the two lines, the build is canceled and leaves an invalid index.
  await write("shop/migrations/0042_index.py", index.replace(/^.*RunSQL.*\n/gm, ""));
  assert.match(manage(["migrate", "shop", "0042"], 1).stderr, /canceling statement due to lock timeout/);
  const invalid = code(SLUG, "sql").find((block) => block.includes("NOT indisvalid"));
  assert.equal(database.sql(invalid), "order_customer_recent");
  database.sql("DROP INDEX CONCURRENTLY order_customer_recent");

  await write("shop/migrations/0042_index.py", index);
  // It waits for the report longer than the timeout would allow, so the report is ended once the build is waiting for it.
  const waiting =
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock' AND now() - query_start > interval '2.5 s'";
  const built = once(migrate(["migrate", "shop", "0042"]), "close");
  while (database.sql(waiting) === "0");
  await running.end();
  assert.equal((await built)[0], 0);
  assert.equal(database.sql(invalid), "");
  assert.equal(database.sql("SELECT indisvalid FROM pg_index WHERE indexrelid = 'order_customer_recent'::regclass"), "t");
});

test("values are copied in batches, each in a transaction of its own, and NOT NULL follows in four steps", async () => {
  const database = await postgres();
  const { manage } = await project(database);
  manage(["migrate", "shop", "0042"]);
  database.sql(
    "INSERT INTO shop_order (customer, created_at, send_date) SELECT n, now(), '2024-05-01' FROM generate_series(1, 12000) n",
  );
  manage(["migrate", "shop", "0043"]);
  // Each transaction leaves its number in the rows that it wrote: 12,000 rows are three batches of 5,000 at most.
  assert.equal(
    database.sql("SELECT count(*), count(DISTINCT xmin::text) FROM shop_order WHERE shipped_at = send_date"),
    "12000|3",
  );
  const steps = code(SLUG, "sql").find((block) => block.includes("shipped_at_set"));
  database.sql("CREATE TABLE shop_shipment AS SELECT id AS order_id, shipped_at FROM shop_order");
  database.sql(steps);
  assert.equal(
    database.sql("SELECT attnotnull FROM pg_attribute WHERE attrelid = 'shop_shipment'::regclass AND attname = 'shipped_at'"),
    "t",
  );
});

test("a waiting rename blocks readers that came after it, until its timeout", async () => {
  const database = await postgres();
  database.sql("CREATE TABLE shop_order (send_date timestamptz)");
  const reader = database.spawn("BEGIN; SELECT * FROM shop_order; SELECT pg_sleep(600)");
  const waits = (text) =>
    database.sql(`SELECT count(*) FROM pg_stat_activity WHERE query LIKE '${text}%' AND wait_event_type = 'Lock'`);
  while (database.sql("SELECT count(*) FROM pg_locks WHERE relation = 'shop_order'::regclass AND granted") === "0");
  const rename = database.spawn("ALTER TABLE shop_order RENAME COLUMN send_date TO shipped_at");
  while (waits("ALTER TABLE") === "0");
  const late = database.spawn("SELECT count(*) FROM shop_order");
  while (waits("SELECT count(*) FROM shop_order") === "0");
  database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE%'");
  assert.equal((await once(late, "close"))[0], 0, "without the rename, the reader goes on at once");
  assert.notEqual(rename.exitCode, 0);
  database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT * FROM shop_order%'");
  await once(reader, "close");

  const blocked = database.spawn("BEGIN; SELECT * FROM shop_order; SELECT pg_sleep(600)");
  while (database.sql("SELECT count(*) FROM pg_locks WHERE relation = 'shop_order'::regclass AND granted") === "0");
  const [timeouts] = code(SLUG, "sql");
  const given = database.psql(`${timeouts} ALTER TABLE shop_order RENAME COLUMN send_date TO shipped_at;`, { wanted: 3 });
  assert.match(given.stderr, /canceling statement due to lock timeout/);
  database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT * FROM shop_order%'");
  await once(blocked, "close");
});
