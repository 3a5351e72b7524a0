// The job of the post, in both languages, against a warehouse that answers as some do.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, post, postgres, pythonWith, run } from "../posts.mjs";

const PYTHON = pythonWith("psycopg[binary]==3.2.13", "requests==2.32.5");
const IMPORTS = `import zlib
from contextlib import contextmanager
import requests
class AlreadyRunning(Exception): pass
YaEstaCorriendo = AlreadyRunning
`;

async function script(slug, text) {
  const database = await postgres();
  const home = await folder();
  const blocks = code(slug, "python");
  if (slug === "el-proceso-que-decia-ok") {
    // Its loop is not inside a function.
    blocks[3] = `def run(connection, tienda, bodega, monitor):\n${blocks[3].replace(/^/gm, "    ")}`;
  }
  await writeFile(join(home, "job.py"), IMPORTS + blocks.join("\n"));
  return run(PYTHON, ["-c", text], { cwd: home, env: database.environment }).stdout;
}

for (const [slug, names] of [
  ["the-job-that-said-ok", { plausible: "is_plausible", one: "only_one", orders: "orders_to_send", sent: "mark_sent" }],
  ["el-proceso-que-decia-ok", { plausible: "es_verosimil", one: "uno_solo", orders: "por_enviar", sent: "marcar_enviado" }],
]) {
  test(`${slug}: a bad order stops nothing, silence and zero are noticed, and two runs never meet`, async () => {
    const output = await script(
      slug,
      `
import job, psycopg, requests
assert job.${names.plausible}(0, [40, 44, 39, 41, 50]) is False
assert job.${names.plausible}(41, [40, 44, 39, 41, 50]) is True
assert job.${names.plausible}(0, []) is True
class Answer:
    def __init__(self, status): self.status_code = status
    def raise_for_status(self):
        if self.status_code >= 400: raise requests.HTTPError(str(self.status_code))
class Warehouse:
    def __init__(self, answer): self.answer, self.keys = answer, []
    def post(self, path, json, headers, timeout):
        self.keys.append(headers["Idempotency-Key"])
        status = self.answer(json)
        if status is None: raise requests.ReadTimeout("silent")
        return Answer(status)
class Order:
    def __init__(self, pk): self.pk = pk
    def as_json(self): return self.pk
class Shop:
    def __init__(self): self.sent = []
    def ${names.orders}(self): return [Order(n) for n in range(1, 121)]
    def ${names.sent}(self, order): self.sent.append(order.pk)
class Monitor:
    def counts(self, name, *, same_weekday): assert same_weekday; return [110, 118, 121, 125]
    def report(self, name, count, ok, details): self.said = (count, ok, [pk for pk, _ in details])
def night(answer):
    shop, warehouse, monitor = Shop(), Warehouse(answer), Monitor()
    with psycopg.connect("", autocommit=True) as connection: job.run(connection, shop, warehouse, monitor)
    return monitor.said, len(shop.sent), len(warehouse.keys)
print(night(lambda order: 201))
print(night(lambda order: 400 if order == 4 else 201))
print(night(lambda order: 409 if order == 4 else 201))
print(night(lambda order: None))
with psycopg.connect("", autocommit=True) as one, psycopg.connect("", autocommit=True) as two:
    with job.${names.one}(one, "x"):
        try:
            with job.${names.one}(two, "x"): print("both")
        except job.AlreadyRunning: print("one")
    with job.${names.one}(two, "x"): print("free again")
`,
    );
    assert.deepEqual(output.trim().split("\n"), [
      "((120, True, []), 120, 120)",
      "((119, False, [4]), 119, 120)",
      "((119, False, [4]), 119, 120)",
      `((0, False, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), 0, 11)`,
      "one",
      "free again",
    ]);
  });
}

test("the code has as many lines as the excerpts say", () => {
  const lines = (slug) =>
    code(slug, "python")
      .join("\n")
      .split("\n")
      .filter((line) => line.trim()).length;
  assert.match(post("the-job-that-said-ok"), /about fifty lines/);
  assert.ok(Math.abs(lines("the-job-that-said-ok") - 50) <= 5, String(lines("the-job-that-said-ok")));
  assert.match(post("el-proceso-que-decia-ok"), /menos de cincuenta líneas/);
  assert.ok(lines("el-proceso-que-decia-ok") < 50);
});
