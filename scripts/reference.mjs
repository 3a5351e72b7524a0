#!/usr/bin/env node
// Writes the pages of docs/ that list what the program knows: settings, section kinds, problem codes, commands and options.
//
//   node scripts/reference.mjs           fails if a page differs from what the program says
//   node scripts/reference.mjs --write   writes the pages
//
// SITEGEN names the program, target/release/sitegen by default.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const SITEGEN = process.env.SITEGEN ?? "target/release/sitegen";
const COMMAND = "node scripts/reference.mjs --write";

/** Runs the program in the folder of this repository. */
export function sitegen(...words) {
  const { status, stdout, stderr, error } = spawnSync(SITEGEN, words, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, COLUMNS: "100", NO_COLOR: "1" },
  });
  if (status !== 0) throw new Error(`${SITEGEN} ${words.join(" ")}: ${error ?? stderr}`);
  return stdout;
}

/** @typedef {Record<string, any>} Schema */

/** A paragraph in lines of at most 108 characters, which break at no space within code. */
function wrapped(text) {
  const words = text.replace(/`[^`]*`/g, (code) => code.replaceAll(" ", "\0")).split(/\s+/);
  const lines = [""];
  for (const word of words) {
    const longer = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
    if (longer.length <= 108) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("\n").replaceAll("\0", " ");
}

/** Text in a cell of a table. */
const cell = (text) => text.replaceAll("|", "\\|").replace(/\s+/g, " ").trim();

/** What a schema accepts, in a few words: `text`, `number`, `` `a`, `b` ``, `list of Question`. */
function type(schema, names) {
  if (!schema || typeof schema !== "object") return "";
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    const target = names.get(name);
    if (target?.properties) return `[${name}](#${name.toLowerCase()})`;
    return target ? type(target, names) : name;
  }
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  const choices = (schema.oneOf ?? schema.anyOf)?.filter((choice) => choice.type !== "null");
  if (choices) return [...new Set(choices.map((choice) => type(choice, names)))].filter(Boolean).join(", ");
  const kinds = [schema.type].flat().filter((kind) => kind && kind !== "null");
  if (kinds.includes("array")) return `list of ${type(schema.items, names) || "values"}`;
  if (kinds.includes("object")) return schema.properties ? "block" : `block of ${type(schema.additionalProperties, names) || "values"}`;
  if (kinds.includes("string")) return "text";
  if (kinds.includes("integer")) return "whole number";
  return kinds.join(", ").replace("boolean", "`true`, `false`");
}

/** The keys of a block that a schema describes in place, itself or in a list. */
function inner(schema) {
  for (const part of [schema, schema?.items, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])]) {
    if (part?.properties) return part;
    const item = part?.items;
    if (item?.properties) return item;
    const choice = [...(item?.anyOf ?? []), ...(item?.oneOf ?? [])].find((other) => other.properties);
    if (choice) return choice;
  }
  return undefined;
}

/** The rows of a block: its keys, what they accept, and what they mean. */
function rows(block, names, prefix = "") {
  const required = block.required ?? [];
  return Object.entries(block.properties ?? {}).flatMap(([key, schema]) => {
    const target = schema.$ref ? names.get(schema.$ref.split("/").at(-1)) : undefined;
    const text = schema.description ?? target?.description ?? "";
    const name = `${prefix}${key}`;
    const row = `| \`${name}\`${required.includes(key) ? " (required)" : ""} | ${cell(type(schema, names))} | ${cell(text)} |`;
    const below = inner(schema);
    return below ? [row, ...rows(below, names, `${name}.`)] : [row];
  });
}

const TABLE = "| Key | Takes | Meaning |\n|---|---|---|";

/** Blocks that others refer to, each with its keys, in alphabetical order. */
function blocks(used, names) {
  const seen = new Set(used);
  for (const name of seen) {
    const refs = JSON.stringify(names.get(name)).matchAll(/"#\/\$defs\/([^"]+)"/g);
    for (const [, other] of refs) if (names.get(other)?.properties) seen.add(other);
  }
  return [...seen]
    .filter((name) => names.get(name)?.properties)
    .sort((a, b) => a.localeCompare(b))
    .map((name) => {
      const block = names.get(name);
      return `### ${name}\n\n${wrapped(block.description ?? "")}\n\n${TABLE}\n${rows(block, names).join("\n")}\n`;
    })
    .join("\n");
}

/** Names of the definitions that schemas refer to. */
const references = (schemas) => [...JSON.stringify(schemas).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name]) => name);

const made = `This page is generated: \`${COMMAND}\` writes it, and a test compares it with the program.`;

export function settings() {
  /** @type {Schema} */
  const schema = JSON.parse(sitegen("schema", "site"));
  const names = new Map(Object.entries(schema.$defs));
  const top = rows(schema, names);
  const parts = blocks(references(schema.properties), names);
  return `# Settings\n\n${wrapped(
    `This page is for anyone who looks up a setting in \`content/site.yaml\`. Each key can also be set for one run with \`--set KEY=VALUE\`. ${made}`,
  )}\n\n${TABLE}\n${top.join("\n")}\n\n## Blocks\n\n${wrapped("A key that takes a block has one of these.")}\n\n${parts}`;
}

export function sectionFields() {
  /** @type {Schema} */
  // Of a folder without a site, because this repository's site has kinds of its own.
  const schema = JSON.parse(sitegen("schema", "page", "--root", tmpdir()));
  const names = new Map(Object.entries(schema.$defs));
  // The kinds are the definitions whose `kind` is their own name.
  const kinds = [...names].filter(([name, block]) => block.properties?.kind?.const === name && !name.startsWith("guide_"));
  const common = ["kind", "id", "band", "publish_at", "expires_at"];
  const [, first] = kinds[0];
  const shared = rows({ properties: Object.fromEntries(common.map((key) => [key, first.properties[key]])) }, names).map((row) =>
    row.startsWith("| `kind`") ? "| `kind` (required) | the name of the kind | What the section shows. |" : row,
  );
  const parts = kinds.map(([name, block]) => {
    const own = { ...block, properties: Object.fromEntries(Object.entries(block.properties).filter(([key]) => !common.includes(key))) };
    const table = rows(own, names);
    return `### ${name}\n\n${wrapped(block.properties.kind.description ?? "")}\n${table.length > 0 ? `\n${TABLE}\n${table.join("\n")}\n` : ""}`;
  });
  const used = references(kinds.map(([, block]) => block)).filter((name) => !kinds.some(([kind]) => kind === name));
  return `# Section kinds and their fields\n\n${wrapped(
    `This page is for editors who look up the fields of a section. [Sections](sections.md#kinds) says what each kind is for. ${made}`,
  )}\n\n## Every kind\n\n${TABLE}\n${shared.join("\n")}\n\n## Kinds\n\n${parts.join("\n")}\n## Blocks\n\n${wrapped(
    "A field that takes a block has one of these.",
  )}\n\n${blocks(used, names)}`;
}

/** What a help text says before the options of every command. */
const ownPartOf = (help) => help.split(/^Options of every command:\n/m)[0].trimEnd();

/** The commands in a help text: under `Commands:`, or in groups. */
const commandsOf = (help) => {
  const groups = ownPartOf(help).split(/\n\n/).filter((part) => /^[A-Z][a-z]+:\n {2}[a-z]/.test(part) && !part.startsWith("Arguments:"));
  const names = groups.flatMap((group) => [...group.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name));
  return names.filter((name) => name !== "help");
};

export function commandLine() {
  const fenced = (text) => `\`\`\`text\n${text.replace(/[ \t]+$/gm, "").trimEnd()}\n\`\`\``;
  const parts = [];
  const visit = (words) => {
    const help = sitegen(...words, "--help");
    // `--help` is an option of every command, too.
    const own = ownPartOf(help).replace(/\n+ {2}-h, --help\n.*$/m, "").replace(/\n+Options:$/, "");
    parts.push(`## sitegen ${words.join(" ")}\n\n${fenced(own)}\n`);
    for (const name of commandsOf(help)) visit([...words, name]);
  };
  const all = sitegen("--help");
  for (const name of commandsOf(all)) visit([name]);
  const options = all.slice(all.indexOf("Options of every command:"));
  return `# Commands and options\n\n${wrapped(
    `This page is for anyone who needs to look up a command or an option. [Command line](cli.md) has the common ones, with examples. ${made}`,
  )}\n\n## Commands\n\n${fenced(ownPartOf(all))}\n\n## Options of every command\n\n${fenced(options.replace(/^.*\n/, ""))}\n\n${parts.join("\n")}`;
}

/** The generated pages. */
export const PAGES = new Map([
  ["docs/settings.md", settings],
  ["docs/section-fields.md", sectionFields],
  ["docs/command-line.md", commandLine],
]);

function main(words) {
  for (const [file, make] of PAGES) {
    const text = make().trimEnd();
    if (words.includes("--write")) writeFileSync(file, `${text}\n`);
    else if (readFileSync(file, "utf8").trimEnd() !== text) {
      console.error(`error: ${file} differs from the program's output\nhint: run \`${COMMAND}\``);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1]?.endsWith("reference.mjs")) main(process.argv.slice(2));
