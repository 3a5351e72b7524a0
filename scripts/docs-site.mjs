#!/usr/bin/env node
// Makes a site of the documentation in target/docs-site, which sitegen builds: the theme, docs/site/, and an entry for each page
// that docs/README.md lists, in its order and on its shelf.
//
//   node scripts/docs-site.mjs                  makes the site
//   node scripts/docs-site.mjs serve [FLAG…]    and serves it, with a page made again when it is saved
//   node scripts/docs-site.mjs build [FLAG…]    and builds it into target/docs
//
// SITEGEN names the program, target/release/sitegen by default; REPOSITORY the URL at which pages are edited.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";

const SITEGEN = process.env.SITEGEN ?? "target/release/sitegen";
const REPOSITORY = process.env.REPOSITORY ?? "https://github.com/OWNER/sitegen";
// Two tests that make it at the same time use folders of their own.
const ROOT = process.env.DOCS_SITE ?? "target/docs-site";
const OUT = process.env.DOCS_SITE ? `${ROOT}-out` : "target/docs";

/** The anchor of a heading, as GitHub writes it. */
export const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(" ", "-")
    .replace(/[^\p{L}\p{N}_-]/gu, "");

/** The id of a heading, as sitegen writes it in the texts of entries. */
export const id = (heading) =>
  plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** The ids of a page's headings, by the anchors that GitHub gives them. */
const ids = (markdown) =>
  new Map([...markdown.replace(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/^#{2,4} (.+)$/gm)].map(([, text]) => [anchor(text), id(text)]));

/** The pages that the index lists: `{name, shelf, group}`, each once, in its order. */
export function listed(index) {
  const pages = new Map();
  let [shelf, group] = ["", ""];
  for (const line of index.split("\n")) {
    const heading = /^(#{2,3}) (.+)$/.exec(line);
    if (heading?.[1] === "##") [shelf, group] = [heading[2], ""];
    else if (heading) group = heading[2];
    for (const [, name] of line.matchAll(/\]\(([\w-]+)\.md\)/g)) if (!pages.has(name)) pages.set(name, { name, shelf, group });
  }
  return [...pages.values()];
}

/** Text with Markdown's marks taken off. */
const plain = (text) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** Applies a function to the text outside of code. */
const outsideCode = (markdown, change) =>
  markdown
    .split(/(^ *```[\s\S]*?^ *```$|`[^`\n]*`)/m)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join("");

/** A page as an entry: `{title, summary, contents, body}`. `known` has the ids of all pages by their names. */
export function entry(markdown, known) {
  const [, title, text] = /^# (.+)\n([\s\S]*)$/.exec(markdown) ?? [];
  // "This page is for editors who …" says it to a reader of the page; in a list, "For editors who …" is enough.
  const summary = plain(text.trim().split("\n\n")[0])
    .split(/(?<=\.) /)[0]
    .replace(/^This page is for /, "For ");
  const contents = [];
  let fence = false;
  const lines = text.split("\n").map((line) => {
    if (/^ *```/.test(line)) fence = !fence;
    const heading = fence ? undefined : /^(#{2,4}) (.+)$/.exec(line);
    if (!heading) return line;
    if (heading[1] === "##") contents.push({ id: id(heading[2]), text: plain(heading[2]) });
    return line;
  });
  const body = outsideCode(lines.join("\n").trim(), (part) =>
    part.replace(/(!?)\]\(([^)\s]+)\)/g, (whole, _, target) => {
      if (/^[a-z]+:/.test(target)) return whole;
      const [path, fragment] = target.split("#");
      if (!path) return `](#${ids(markdown).get(fragment)})`;
      const name = /^([\w-]+)\.md$/.exec(path)?.[1];
      const hash = fragment ? `#${known.get(name)?.get(fragment) ?? fragment}` : "";
      if (name && known.has(name)) return `](/docs/${name}/${hash})`;
      if (name === "README") return `](/${hash})`;
      if (/\.(png|jpg)$/.test(path)) return whole;
      return `](${REPOSITORY}/blob/main/${posix.normalize(posix.join("docs", path))}${hash})`;
    }),
  );
  return { title, summary, contents, body };
}

/** Writes the entries. */
function writeEntries() {
  const pages = listed(readFileSync("docs/README.md", "utf8"));
  const known = new Map(pages.map(({ name }) => [name, ids(readFileSync(`docs/${name}.md`, "utf8"))]));
  const folder = join(ROOT, "content/docs/en");
  rmSync(join(ROOT, "content/docs"), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [at, { name, shelf, group }] of pages.entries()) {
    const { title, summary, contents, body } = entry(readFileSync(`docs/${name}.md`, "utf8"), known);
    const head = {
      title,
      summary,
      shelf,
      ...(group ? { group } : {}),
      place: at + 1,
      source: `${REPOSITORY}/edit/main/docs/${name}.md`,
      ...(at > 0 ? { previous: pages[at - 1].name } : {}),
      ...(at + 1 < pages.length ? { next: pages[at + 1].name } : {}),
      contents,
    };
    const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    writeFileSync(join(folder, `${name}.md`), `---\n${lines.join("\n")}\n---\n${body}\n`);
  }
  const shelves = [...new Set(pages.map(({ shelf }) => shelf))];
  const home = {
    path: "/",
    title: "{product.name} · Documentation",
    description: "How to build, edit, translate and publish company sites with sitegen.",
    sections: [
      { kind: "hero", band: "paper", title: "Documentation", actions: [{ label: "Your first site", to: "page:docs/a-site-of-your-own" }] },
      ...shelves.map((shelf) => {
        return { kind: "entries", id: anchor(shelf), title: shelf, of: "docs", where: { shelf }, group: "group", layout: "cards" };
      }),
    ],
  };
  mkdirSync(join(ROOT, "content/pages/home"), { recursive: true });
  writeFileSync(join(ROOT, "content/pages/home/en.yaml"), `${JSON.stringify(home, null, 2)}\n`);
  // Curly quotes, dashes and no-break spaces, as on every page of a site.
  spawnSync(SITEGEN, ["fmt", "--root", ROOT, "--quiet"], { stdio: "inherit" });
  return pages.length;
}

function main(words) {
  // All but the cache of the last build: with it, a build takes less than a second.
  for (const folder of ["content", "static", "templates", "react"]) rmSync(join(ROOT, folder), { recursive: true, force: true });
  mkdirSync(join(ROOT, "content"), { recursive: true });
  // A new site gives its design, its icon and the version of the theme; nothing can be created inside of this site.
  const folder = mkdtempSync(join(tmpdir(), "docs-site-"));
  const { status, stderr } = spawnSync(SITEGEN, ["new", join(folder, "new"), "--sample", "--no-blog", "--name", "sitegen"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  cpSync(join(folder, "new/content/design.yaml"), join(ROOT, "content/design.yaml"));
  cpSync(join(folder, "new/static"), join(ROOT, "static"), { recursive: true });
  const theme = /^theme:.*$/m.exec(readFileSync(join(folder, "new/content/site.yaml"), "utf8"))?.[0];
  rmSync(folder, { recursive: true });
  cpSync("docs/site", ROOT, { recursive: true });
  const settings = join(ROOT, "content/site.yaml");
  writeFileSync(settings, `${theme}\n${readFileSync(settings, "utf8")}`);
  mkdirSync(join(ROOT, "content/images"), { recursive: true });
  for (const image of ["new-site.jpg", "new-site-mistake.jpg", "editor-problem.png", "editor-completion.png"])
    cpSync(`docs/${image}`, join(ROOT, "content/images", image));
  const count = writeEntries();
  console.log(`${count} pages in ${ROOT}`);
  const [command, ...flags] = words;
  if (command === "build") {
    const out = ["--root", ROOT, "--out", OUT, "--strict"];
    process.exitCode = spawnSync(SITEGEN, ["build", ...out, ...flags], { stdio: "inherit" }).status ?? 1;
  } else if (command === "serve") {
    const served = spawn(SITEGEN, ["serve", "--root", ROOT, ...flags], { stdio: "inherit" });
    served.on("exit", (status) => process.exit(status ?? 0));
    watch("docs", (_, file) => file?.endsWith(".md") && writeEntries());
  }
}

if (process.argv[1]?.endsWith("docs-site.mjs")) main(process.argv.slice(2));
