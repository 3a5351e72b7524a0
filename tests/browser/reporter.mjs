// The reporter for `node --test`: a line for each test, failures with their reason, and a last line `tests: N passed N
// failed`, which tests/run parses. Suites are not counted.

/** @param {AsyncIterable<any>} events events of the test runner */
export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  // Names of the current test and the suites around it, outermost first.
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

/** The error message and stack, without frames of Node.js and dependencies. */
function reason(error) {
  const lines = String(error?.stack ?? error?.message ?? error).split("\n");
  return lines
    .filter((line) => !/^\s+at .*(node:internal|node_modules)/.test(line))
    .map((line) => `      ${line}`)
    .join("\n");
}
