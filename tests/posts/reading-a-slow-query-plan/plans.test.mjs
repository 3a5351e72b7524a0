// The five plans, on the table that the post builds. Times differ from machine to machine; rows, pages and plans do not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, post, postgres } from "../posts.mjs";

const SLUG = "reading-a-slow-query-plan";
const blocks = code(SLUG, "sql");
const find = (text) => blocks.find((block) => block.includes(text)) ?? assert.fail(text);

test("the plans are the ones that the post shows", async () => {
  const database = await postgres({ autovacuum: "off" });
  // One session, so that settings last.
  const serial = "SET max_parallel_workers_per_gather = 0;";
  const query = find("EXPLAIN (ANALYZE, BUFFERS)");
  const day = blocks.filter((block) => block.startsWith("SELECT count(*)"));
  const output = (text) => database.psql(text, { options: ["-At"] }).stdout;
  output(find("CREATE TABLE orders"));

  const first = output(serial + query);
  assert.match(first, /Seq Scan on orders {2}\(cost=0\.00\.\.69995\.00 rows=4 width=22\) .*rows=4 loops=1/);
  assert.match(first, /Rows Removed by Filter: 2999996/);
  const [, hit, read] = /Buffers: shared hit=(\d+) read=(\d+)/.exec(first.split("Seq Scan")[1]);
  assert.equal(Number(hit) + Number(read), 24995);
  assert.match(output(query), /Limit {2}\(cost=44745/, "with two workers");

  output(find("CREATE INDEX orders_customer"));
  const second = output(serial + query);
  assert.match(second, /Bitmap Heap Scan[\s\S]*Rows Removed by Filter: 145\n *Heap Blocks: exact=148/);

  output(find("orders_open_by_customer"));
  const third = output(serial + query);
  assert.match(third, /Index Scan using orders_open_by_customer/);
  const pages = /Buffers: shared (?:hit=(\d+))?(?: ?read=(\d+))?/.exec(third);
  assert.equal(Number(pages[1] ?? 0) + Number(pages[2] ?? 0), 7);
  assert.equal(
    output(
      "SELECT pg_size_pretty(pg_relation_size('orders_customer')), pg_size_pretty(pg_relation_size('orders_open_by_customer'))",
    ).trim(),
    "20 MB|2800 kB",
  );

  const slow = output(`EXPLAIN ANALYZE ${day[0]}`);
  assert.match(slow, /Parallel Seq Scan on orders .*rows=6250 .*rows=3195 loops=3/);
  const fast = output(`EXPLAIN ANALYZE ${day[1]}`);
  assert.match(fast, /Index Only Scan using orders_created[\s\S]*Heap Fetches: 0/);

  const sort = `${serial} SET jit = off; EXPLAIN ANALYZE ${find("ORDER BY total")}`;
  assert.match(output(sort), /Sort Method: external merge {2}Disk: 73144kB/);
  assert.match(output(`SET work_mem = '256MB'; ${sort}`), /Sort Method: quicksort {2}Memory: 166085kB/);
});

test("statistics on two columns correct the estimate", async () => {
  const database = await postgres();
  const estimate = (text) =>
    /Seq Scan on addr .*?rows=(\d+).*?rows=(\d+)/.exec(database.psql(text, { options: ["-At"] }).stdout).slice(1);
  const serial = "SET max_parallel_workers_per_gather = 0;\n";
  const [, query] = find("CREATE TABLE addr").split("\n\n");
  const near = ([estimated, actual], wanted) => {
    assert.equal(actual, "1000");
    // ANALYZE looks at a sample.
    assert.ok(Math.abs(estimated - wanted) <= wanted * 0.2 + 5, `${estimated} instead of about ${wanted}`);
  };
  const said = [...post(SLUG).matchAll(/^-- rows=(\d+) estimated/gm)].map(([, rows]) => Number(rows));
  near(estimate(serial + find("CREATE TABLE addr")), said[0]);
  near(estimate(serial + find("CREATE STATISTICS") + query), said[1]);
});
