// The command of the npm package with a stand-in for the program: what it passes on, and what it says when it cannot start.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { command, folder, PLATFORM, platforms, run, standIn, started } from "./packages.mjs";

/** Node.js with other properties of `process`, as on another system. */
function onSystem(properties, sitegen, ...args) {
  const before = Object.entries(properties).map(
    ([name, value]) => `Object.defineProperty(process, "${name}", { value: ${value} });`,
  );
  const url = `data:text/javascript,${encodeURIComponent(before.join("\n"))}`;
  return run(process.execPath, ["--import", url, sitegen, ...args]);
}

test("arguments, streams and the exit status are passed on", () => {
  const sitegen = standIn('for word; do echo "<$word>"; done; cat; echo trouble >&2; exit 7');
  const { status, stdout, stderr } = run(sitegen, ["build", "--set", "product.name=Otra casa", ""], { input: "typed" });
  assert.deepEqual([status, stdout, stderr], [7, "<build>\n<--set>\n<product.name=Otra casa>\n<>\ntyped", "trouble\n"]);
});

test("the program learns who installed it and which Node.js runs", () => {
  const sitegen = standIn('echo "$SITEGEN_INSTALLED_BY $SITEGEN_NODE"');
  assert.equal(run(sitegen, []).stdout, `npm ${process.execPath}\n`);
  assert.equal(run(sitegen, [], { env: { ...process.env, SITEGEN_NODE: "/opt/node" } }).stdout, "npm /opt/node\n");
});

test("packages are named unless the program finds them", () => {
  const sitegen = standIn('echo "$SITEGEN_NODE_MODULES"');
  const modules = dirname(dirname(dirname(dirname(sitegen))));
  const fill = (packages) => {
    for (const name of Object.keys(command.dependencies)) {
      mkdirSync(join(packages, name), { recursive: true });
      writeFileSync(join(packages, name, "package.json"), "{}");
    }
  };
  const asked = (cwd, args = [], more = {}) => run(sitegen, args, { cwd, env: { ...process.env, ...more } }).stdout.trim();

  const site = join(folder, "site");
  mkdirSync(join(site, "content"), { recursive: true });
  assert.equal(asked(site), "", "there are none");
  fill(modules);
  assert.equal(asked(site), modules, "beside the command");
  assert.equal(asked(site, [], { SITEGEN_NODE_MODULES: "/opt/modules" }), "/opt/modules", "named by the user");
  assert.equal(asked(dirname(modules)), "", "above the current folder");
  assert.equal(asked(dirname(modules), ["build", "--root", site]), modules, "not above the site");
  assert.equal(asked(dirname(modules), ["build", `--root=${site}`]), modules, "not above the site");
  // A folder of another tool, which the program would take.
  mkdirSync(join(site, "node_modules/.cache"), { recursive: true });
  mkdirSync(join(site, "node_modules/react"));
  writeFileSync(join(site, "node_modules/react/package.json"), "{}");
  assert.equal(asked(site), modules, "React alone is not enough");
  fill(join(site, "node_modules"));
  assert.equal(asked(join(site, "content")), "", "above the current folder");
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  test(`${signal} reaches the program, which decides how to end`, async () => {
    const name = signal.slice(3);
    // `read` waits in the shell itself, so that the trap runs at once.
    const sitegen = standIn(`trap 'echo got ${name}; exit 5' ${name}; mkfifo "$1"; echo ready; read -r line <>"$1"`);
    const { child, ended } = await started(sitegen, [join(folder, `pipe-${name}`)], /ready/);
    child.kill(signal);
    // A signal just before `read` begins does not end it.
    const again = setInterval(() => child.kill(signal), 500);
    const { status, said } = await ended;
    clearInterval(again);
    assert.deepEqual([status, said], [5, `ready\ngot ${name}\n`]);
  });

  test(`a program that ${signal} ends makes the command end by it`, () => {
    assert.equal(run(standIn(`kill -${signal.slice(3)} $$`), []).signal, signal);
  });
}

test("a platform without a package is told what to do", () => {
  const sitegen = standIn("exit 0");
  const windows = onSystem({ platform: '"win32"' }, sitegen, "build");
  assert.deepEqual(windows, {
    status: 3,
    signal: null,
    stdout: "",
    stderr: `error: sitegen has no program for win32-${process.arch}; there are ${platforms.join(", ")}
  hint: run it in WSL, a Linux inside of Windows: https://learn.microsoft.com/windows/wsl/install\n`,
  });
  const other = onSystem({ platform: '"linux"', arch: '"riscv64"' }, sitegen, "build");
  assert.equal(other.status, 3);
  assert.match(other.stderr, /no program for linux-riscv64.*\n {2}hint: compile it .* `cargo install --path \.`/);
});

test("an installation without the program is told what to do", () => {
  const run = onSystem({}, standIn(null), "build");
  assert.equal(run.status, 3);
  const name = `${command.name.split("/")[0]}/${PLATFORM}`;
  assert.match(run.stderr, new RegExp(`^error: the package ${name}, .* not installed\n {2}hint: .*--omit=optional`));
});

test("a Linux without glibc is told what to do", () => {
  const report = "{ getReport: () => ({ header: {} }) }";
  const properties = { platform: '"linux"', arch: '"x64"', report };
  const other = command.optionalDependencies;
  assert.ok("@sitegen/linux-x64" in other);
  const run = onSystem(properties, standIn(null), "build");
  assert.match(run.stderr, /^error: sitegen needs glibc.*\n {2}hint: use an image with glibc/);
});
