// How `node --test` speaks here: a line per test as it ends, a failure with its reason, and at the very end the
// line `tests: N passed N failed`, which tests/run reads. Suites are not counted, only what they group.

/** @param {AsyncIterable<any>} events what the runner tells, one event at a time */
export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  // The names on the way to the test that is reported, outermost first.
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      names.length = data.nesting;
      names.push(data.name);
    }
    if (type === "test:stderr" || type === "test:stdout") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;

    const name = [...names.slice(0, data.nesting), data.name].join(" › ");
    const error = data.details.error?.cause ?? data.details.error;
    const isSuite = data.details.type === "suite";
    if (type === "test:fail" && !(isSuite && data.details.error?.failureType === "subtestsFailed")) {
      failed += 1;
      yield `FAIL  ${name}\n${reason(error)}\n`;
    } else if (type === "test:pass" && !isSuite && !data.skip && !data.todo) {
      passed += 1;
      yield `ok    ${name} (${Math.round(data.details.duration_ms)} ms)\n`;
    }
  }
  yield `tests: ${passed} passed ${failed} failed\n`;
}

/** What went wrong and where in our own files; the runner's own frames tell nothing. */
function reason(error) {
  const lines = String(error?.stack ?? error?.message ?? error).split("\n");
  return lines.filter((line) => !/^\s+at .*(node:internal|node_modules)/.test(line)).map((line) => `      ${line}`).join("\n");
}
