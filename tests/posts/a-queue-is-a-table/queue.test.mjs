// The table and the worker of the post: twenty workers, a handler that fails, a worker that dies.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, postgres, pythonWith, run } from "../posts.mjs";

const SLUG = "a-queue-is-a-table";
const PYTHON = pythonWith("psycopg[binary]==3.2.13");

async function worker(database, script) {
  const home = await folder();
  await writeFile(join(home, "worker.py"), code(SLUG, "python").join("\n"));
  return run(PYTHON, ["-c", script], { cwd: home, env: database.environment }).stdout;
}

test("workers take different jobs, and what fails comes back later, with its error", async () => {
  const database = await postgres();
  database.sql(code(SLUG, "sql")[0]);
  database.sql(
    "CREATE TABLE done (id int); INSERT INTO job (kind, payload) SELECT 'note', jsonb_build_object('id', n) FROM generate_series(1, 200) n",
  );
  const script = `
import threading, psycopg, worker
def note(connection, payload):
    connection.execute("INSERT INTO done VALUES (%s)", (payload["id"],))
    if payload["id"] % 50 == 0:
        raise ValueError("no")
def work():
    with psycopg.connect("", autocommit=True) as connection:
        while worker.work_once(connection, {"note": note}):
            pass
threads = [threading.Thread(target=work) for _ in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
`;
  await worker(database, script);
  assert.equal(
    database.sql("SELECT count(*), count(DISTINCT id) FROM done"),
    "196|196",
    "each once, and nothing of the failed ones",
  );
  assert.equal(
    database.sql(
      "SELECT count(*), min(attempts), max(last_error), bool_and(run_at BETWEEN now() + '5 s' AND now() + '11 s') FROM job",
    ),
    "4|1|ValueError('no')|t",
  );
});

test("the job of a worker that died is there again", async () => {
  const database = await postgres();
  database.sql(code(SLUG, "sql")[0]);
  database.sql("INSERT INTO job (kind, payload) VALUES ('note', '{}')");
  const [, take] = code(SLUG, "sql");
  const dying = database.spawn(`${take.replace(/COMMIT;/, "")} SELECT pg_sleep(600)`);
  while (
    database.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%DELETE FROM job%' AND wait_event = 'PgSleep'") === "0"
  );
  assert.equal(database.sql(`${take}`), "", "another worker skips it");
  dying.kill("SIGKILL");
  database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  let taken = "";
  while (!taken) taken = database.sql(take);
  assert.match(taken, /^1\|note/);
});

test("a job that keeps failing has more than eight attempts after some forty minutes", () => {
  let minutes = 0;
  for (let attempts = 0; attempts < 8; attempts++) minutes += Math.min(3600, 10 * 2 ** attempts) / 60;
  assert.ok(minutes > 40 && minutes < 45, String(minutes));
});
