// Prints the bytes of a bundle of React and react-dom alone, as a page that hydrates needs them, compressed with brotli as
// sitegen counts scripts.

import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const contents = `import { createElement } from "react";
import { jsx } from "react/jsx-runtime";
import { hydrateRoot } from "react-dom/client";
globalThis.used = [createElement, jsx, hydrateRoot];`;
const { outputFiles } = await build({
  stdin: { contents, resolveDir: process.cwd() },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
  define: { "process.env.NODE_ENV": '"production"' },
});
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
process.stdout.write(`${brotliCompressSync(outputFiles[0].contents, { params }).length}\n`);
