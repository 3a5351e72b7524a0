#!/usr/bin/env node
// Runs a command that calls cargo, and shows on a terminal how far it is: `compiling 214 of 383, about 2 minutes left`.
// Elsewhere the command prints what it prints by itself. The exit status is that of the command.
//
//   node scripts/progress.mjs scripts/explain cargo build --release

import { spawn } from "node:child_process";

/** The share of the time that has passed when a share of the units is compiled: the largest ones come last (bench/cold). */
const CURVE = [
  [0, 0],
  [0.3, 0.07],
  [0.6, 0.18],
  [0.85, 0.34],
  [0.95, 0.45],
  [0.97, 0.75],
  [1, 1],
];

/** Interpolates the curve. @param {number} units between 0 and 1 */
export function timeShare(units) {
  const at = CURVE.findIndex(([share]) => share >= units);
  if (at <= 0) return at === 0 ? 0 : 1;
  const [[x0, y0], [x1, y1]] = [CURVE[at - 1], CURVE[at]];
  return y0 + ((y1 - y0) * (units - x0)) / (x1 - x0);
}

/** Estimates the time that is left from what cargo says. Units that were compiled before count for nothing. */
export class Estimate {
  #first = null;
  #total = null;
  #line = "compiling";

  /**
   * @param {number} done @param {number} all units
   * @param {number} seconds since the start
   */
  update(done, all, seconds) {
    const [now, first] = [timeShare(done / all), (this.#first ??= timeShare(done / all))];
    const share = first < 1 ? (now - first) / (1 - first) : 1;
    // The first seconds say little.
    if (share > 0.02 && seconds > 10) this.#total = seconds / share;
    this.#line = `compiling ${Math.min(done, all)} of ${all}`;
  }

  /** @param {number} seconds since the start */
  line(seconds) {
    if (this.#total === null) return this.#line;
    const minutes = Math.ceil((this.#total - seconds) / 60);
    if (minutes <= 1) return `${this.#line}, about a minute left`;
    return `${this.#line}, about ${minutes} minutes left`;
  }
}

/** cargo's own bar: `Building [=====>    ] 214/383: site, assets`. */
export const parseBar = (text) => [...text.matchAll(/\] (\d+)\/(\d+)/g)].at(-1)?.slice(1).map(Number);

function main([program, ...rest]) {
  if (!process.stderr.isTTY || process.env.TERM === "dumb") {
    const child = spawn(program, rest, { stdio: "inherit" });
    child.once("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
    return;
  }
  const started = Date.now();
  const seconds = () => (Date.now() - started) / 1000;
  const estimate = new Estimate();
  const color = process.env.NO_COLOR ? {} : { CARGO_TERM_COLOR: "always" };
  const child = spawn(program, rest, {
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...process.env, ...color, CARGO_TERM_PROGRESS_WHEN: "always", CARGO_TERM_PROGRESS_WIDTH: "80" },
  });
  const show = () => process.stderr.write(`\r\x1b[K${estimate.line(seconds())}`);
  const timer = setInterval(show, 1000);
  let partial = "";
  child.stderr.on("data", (chunk) => {
    const parts = (partial + chunk).split(/(?<=[\r\n])/);
    partial = /[\r\n]$/.test(parts.at(-1)) ? "" : parts.pop();
    for (const part of parts) {
      const bar = parseBar(part);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal.
      const plain = part.replace(/\x1b\[[\d;]*[A-Za-z]/g, "").trim();
      if (bar) estimate.update(bar[0], bar[1], seconds());
      // What is compiled is in the line already; all else stays, above it.
      else if (plain && !/^(Compiling|Downloaded|Downloading|Finished|Locking|Updating|Building) /.test(plain)) {
        process.stderr.write(`\r\x1b[K${part.trimEnd()}\n`);
      }
    }
    show();
  });
  child.once("close", (code) => {
    clearInterval(timer);
    process.stderr.write(`\r\x1b[K${partial}`);
    process.exit(code ?? 1);
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill(signal));
}

if (process.argv[1]?.endsWith("progress.mjs")) main(process.argv.slice(2));
