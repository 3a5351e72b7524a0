// The slot of a replica that no longer exists keeps the write-ahead log, and the setting of the post makes it let go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, postgres } from "../posts.mjs";

const [query] = code("the-night-the-disk-filled", "sql");
const write =
  "CREATE TABLE IF NOT EXISTS filling (n int, text text); INSERT INTO filling SELECT n, repeat('x', 500) FROM generate_series(1, 200000) n; SELECT pg_switch_wal(); CHECKPOINT;";
const size = "SELECT sum(size) FROM pg_ls_waldir()";

test("an inactive slot keeps the log, and without it the log shrinks at the next checkpoint", async () => {
  const database = await postgres({ max_wal_size: "64MB", min_wal_size: "32MB" });
  assert.equal(database.sql("SHOW max_slot_wal_keep_size"), "-1", "unlimited, as the post says");
  database.sql("SELECT pg_create_physical_replication_slot('reporting_1', true)");
  database.sql(write);
  const shown = database.psql(query).stdout;
  assert.match(shown, /slot_name +\| active \| wal_status \| held_back/);
  assert.match(shown, /reporting_1 +\| f +\| extended +\| \d+ MB/);
  const before = Number(database.sql(size));
  database.sql("SELECT pg_drop_replication_slot('reporting_1')");
  database.sql(`${write}CHECKPOINT;`);
  assert.ok(Number(database.sql(size)) < before, "the log is smaller");
});

test("beyond max_slot_wal_keep_size the slot is given up", async () => {
  const database = await postgres({ max_wal_size: "64MB", min_wal_size: "32MB", max_slot_wal_keep_size: "32MB" });
  database.sql("SELECT pg_create_physical_replication_slot('reporting_1', true)");
  database.sql(write);
  database.sql(write);
  assert.match(database.psql(query).stdout, /reporting_1 +\| f +\| lost/);
});
