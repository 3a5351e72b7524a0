// The reporter for `node --test`: a line for each test, failures with their reason, and a last line `tests: N passed N
// failed`, which tests/run parses. Suites are not counted.

/**
 * A test that has ended.
 * @typedef {{ name: string, passed: boolean, milliseconds: number, reason: string }} Result
 */

/** @param {AsyncIterable<any>} events events of the test runner */
export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  for await (const found of results(events)) {
    if (typeof found === "string") yield found;
    else {
      if (found.passed) passed += 1;
      else failed += 1;
      yield line(found);
    }
  }
  yield `tests: ${passed} passed ${failed} failed\n`;
}

/**
 * Results of tests, and between them what their files print.
 * @param {AsyncIterable<any>} events events of the test runner
 * @returns {AsyncGenerator<Result | string>}
 */
export async function* results(events) {
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
    const milliseconds = Math.round(data.details.duration_ms);
    if (type === "test:fail" && !(isSuite && data.details.error?.failureType === "subtestsFailed")) {
      yield { name, passed: false, milliseconds, reason: reasonOf(error) };
    } else if (type === "test:pass" && !isSuite && !data.skip && !data.todo) {
      yield { name, passed: true, milliseconds, reason: "" };
    }
  }
}

/** The lines of a result. @param {Result} result */
export const line = ({ name, passed, milliseconds, reason }) =>
  passed ? `ok    ${name} (${milliseconds} ms)\n` : `FAIL  ${name}\n${reason}\n`;

/** The error message and stack, without frames of Node.js and dependencies. */
function reasonOf(error) {
  const lines = String(error?.stack ?? error?.message ?? error).split("\n");
  return lines
    .filter((line) => !/^\s+at .*(node:internal|node_modules)/.test(line))
    .map((line) => `      ${line}`)
    .join("\n");
}
