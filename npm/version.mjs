// The version of the workspace, which all crates and packages have.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const manifest = readFileSync(join(ROOT, "Cargo.toml"), "utf8");
const found = /^\[workspace\.package\]\n(?:[^[].*\n)*?version = "(.+)"$/m.exec(manifest);
if (!found) throw new Error("Cargo.toml has no `version` below `[workspace.package]`");

export const version = found[1];
