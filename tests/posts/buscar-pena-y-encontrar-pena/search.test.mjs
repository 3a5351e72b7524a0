// The searches of the post: accents, trigrams and the order of a dictionary.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, postgres } from "../posts.mjs";

const blocks = code("buscar-pena-y-encontrar-pena", "sql");
const find = (text) => blocks.find((block) => block.includes(text)) ?? assert.fail(text);

test("each query gives what the post shows", async () => {
  const database = await postgres();
  const [shown] = /'Pena[^\n]*/.exec(find("CREATE EXTENSION"));
  assert.deepEqual(
    database.sql(find("CREATE EXTENSION")).split("|"),
    shown.split(/\s*\|\s*/).map((text) => text.replaceAll("'", "")),
  );
  database.sql(find("CREATE FUNCTION"));
  database.sql(`CREATE TABLE clientes (nombre text);
    INSERT INTO clientes SELECT 'Persona ' || md5(n::text) FROM generate_series(1, 100000) n;
    INSERT INTO clientes VALUES ('Peña Echeverri, Ana'), ('Pena Gómez, Luis'); ANALYZE clientes`);
  database.sql(find("CREATE INDEX CONCURRENTLY"));
  database.sql("ANALYZE clientes");

  assert.match(database.sql(`EXPLAIN ${find("LIKE '%'")}`), /Bitmap Index Scan on clientes_nombre_trgm/);
  assert.equal(database.sql(find("LIKE '%'")), "Peña Echeverri, Ana");
  assert.equal(database.sql(find("LIKE '%'").replace("Echeverri", "pena")).split("\n").length, 2, "both surnames");
  // With two letters, there is no trigram to look for.
  assert.match(database.sql(`EXPLAIN ${find("LIKE '%'").replace("Echeverri", "pe")}`), /^Seq Scan/);

  const [similar, word] = database.sql(find("similarity('echeverri'")).split("\n");
  const said = [...find("similarity('echeverri'").matchAll(/-- ([\d.]+)/g)].map(([, number]) => number);
  assert.deepEqual([Number(similar).toFixed(2), Number(word).toFixed(2)], said);
  assert.match(database.sql(find("<% sin_tildes")), /^Peña Echeverri, Ana\|0\.8$/);
  assert.equal(database.sql("LOAD 'pg_trgm'; SHOW pg_trgm.word_similarity_threshold"), "0.6");

  const ordered = find('COLLATE "C"');
  const wanted = [...ordered.matchAll(/^-- (.+?) {2,}\(/gm)].map(([, names]) => names.split(", "));
  const given = ordered
    .split(";")
    .filter((query) => query.includes("SELECT"))
    .map((query) => database.sql(query).split("\n"));
  assert.deepEqual(given, wanted);
});
