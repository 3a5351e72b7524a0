// The key of an invoice with the example of the technical annex, the discount to the cent, and numbers without gaps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, post, postgres, run } from "../posts.mjs";

const SLUG = "factura-electronica-sin-sobresaltos";
const [key, discount] = code(SLUG, "python");

test("the key of the example in the annex is the one that the annex gives", () => {
  const example = `
datos = dict(numero="323200000129", fecha="2019-01-16", hora="10:53:10-05:00", subtotal=Decimal("1500000.00"), iva=Decimal("285000.00"),
             consumo=Decimal("0.00"), ica=Decimal("0.00"), total=Decimal("1785000.00"), nit_emisor="700085371",
             documento_cliente="800199436", clave_tecnica="693ff6f2a553c3646a063436fd4dd9ded0311471", ambiente="1")
print(DatosCufe(**datos).cufe())
try:
    DatosCufe(**datos | {"iva": Decimal("285000.005")}).cufe()
except AssertionError:
    print("refused")
`;
  const given = run("python3", ["-c", key + example]).stdout.split("\n");
  assert.equal(given[0], "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4");
  assert.ok(given[0].startsWith(/CUFE que empieza por `(\w+)`/.exec(post(SLUG))[1]));
  assert.equal(given[1], "refused");
});

test("a discount is shared out to the cent", () => {
  run("python3", [
    "-c",
    `${discount}
import random
random.seed(1)
for _ in range(2000):
    lineas = [Decimal(random.randint(1, 10**6)) / 100 for _ in range(random.randint(1, 9))]
    descuento = Decimal(random.randint(0, int(sum(lineas) * 100))) / 100
    partes = repartir(descuento, lineas)
    assert sum(partes) == descuento and all(parte == parte.quantize(CENTAVO) for parte in partes)
`,
  ]);
});

test("a number that was rolled back is given again, and an empty range gives none", async () => {
  const database = await postgres();
  const next = code(SLUG, "sql")[0].replace("$1", "1");
  database.sql(
    "CREATE TABLE rango_numeracion (id int, prefijo text, ultimo bigint, hasta bigint, vence date); INSERT INTO rango_numeracion VALUES (1, 'SETP', 990000000, 990000002, current_date)",
  );
  database.sql(`BEGIN; ${next} ROLLBACK;`);
  assert.deepEqual([database.sql(next), database.sql(next), database.sql(next)], ["SETP990000001", "SETP990000002", ""]);
});
