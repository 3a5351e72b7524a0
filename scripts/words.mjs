#!/usr/bin/env node
// Checks the English of the project's own texts by a list of patterns: documents, comments of templates, messages, `--help` and
// doc comments. Run by `tests/run words`.
//
//   node scripts/words.mjs            every text; documents must match no pattern, other texts no more often than at last
//   node scripts/words.mjs FILE…      some documents
//   node scripts/words.mjs --rust     each place in messages, `--help` and doc comments
//   node scripts/words.mjs --shrink   writes the counts of these to scripts/words.json, if they have become smaller

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const BASELINE = "scripts/words.json";

/** Documents about forms and leads: there, an answer is what a visitor sends. */
const FORMS =
  /^docs\/(forms|form-.*|lead.*|inbox|uploads|captcha|webhook-presets|promises-leads|api|visits|proxies|site-search|dental-clinics|cms)\.md$/;
/** Documents about searches and texts: there, a word is a word. */
const SEARCHES = /^docs\/(search|site-search|post-search|benchmarks|diff|typography|exchange|translations|code-map|met-elsewhere)\.md$/;
/** Documents that list evidence: reports of others, and names of tests. */
const EVIDENCE = /^docs\/(met-elsewhere.*|slow-tests|promises.*|brief.*|code-map|benchmarks)\.md$/;

/**
 * A pattern of English that is not wanted, what to write instead, and what is allowed nevertheless: a longer text around the
 * match, or documents. `only` limits a rule to one kind of text.
 * @typedef {{ name: string, pattern: RegExp, write: string, but?: RegExp, files?: RegExp, only?: string[] }} Rule
 */

/** @type {Rule[]} */
export const RULES = [
  {
    name: "address",
    pattern: /\baddress(es|ed)?\b/i,
    write: "URL (an address is for email, post and networks)",
    but: /\b(e-?mail|IP|IPv[46]|client|visitor[’']s|postal|street|private|loopback|network|company[’']s|host|sender[’']s|readable|single) address(es)?\b|address bar|address, phones?|address(es)? (of|in) (a|the) (network|visitor|client|sender|person)|Addresses in private networks|email or an address|a reply goes to the address|the addresses in it|addresses in the header/i,
  },
  {
    name: "answer",
    pattern: /\banswer(s|ed|ing)?\b/i,
    write: "response, or respond (people answer)",
    but: /\b(questions? and answers?|visitors?[’']? answers?|answers? to (a|the|this|each|its) (form|question)s?|form answers?|first answer|write the answer|has no answer)\b/i,
    files: FORMS,
  },
  {
    name: "answer of a server",
    pattern:
      /\b(server|host|CMS|service|bucket|Google|nginx|CDN|provider|API)s? (does not |doesn’t |doesn't )?answers?\b|\banswers? (with )?(403|404|410|503|2xx)|\banswers? (from|of) (the|a) (CMS|server|API|service)\b/i,
    write: "responds, response",
  },
  {
    name: "words",
    pattern: /\bwords?\b/i,
    write: "text, message or label",
    but: /\b(passwords?|scripts\/words|word file|in other words|words? (per|a) (minute|sentence)|(search|query|stop|compound|eight|few|ten|four|25|unfinished|first|last|whole|each|every|misspelled|a|one) words?|number of words|word (count|processor)|words a visitor (types|enters)|twenty-five words|words-mismatch|word for word|words in (a|the) (query|text)|misspelled word|words? of (all|ten|four) |words that readers type|Word,)/i,
    files: SEARCHES,
  },
  { name: "picture", pattern: /\bpictures?\b/i, write: "image" },
  {
    name: "holds",
    pattern: /\bholds?\b|\bholding\b|\bheld\b/i,
    write: "contains, has, keeps",
    but: /\bhold (\*\*)?(Alt|down)|\bon hold\b|(holds?|holding) (a|the|its|no|each|this) locks?\b|(locks?|nobody|who|process(es)?) (holds?|is held)|while \*\*?Alt\*?\*? is held|while Alt is held|legal hold/i,
  },
  {
    name: "stands, lies",
    pattern: /\b(stands?|lies?|lain|lay beside|standing)\b/i,
    write: "is",
    but: /\bstands? (for|in|out)\b|stand-in/i,
  },
  {
    name: "leads to",
    pattern: /\b(leads?|led|leading) (to|nowhere|elsewhere|back|through|outside|out|you|people|visitors|readers)\b|\bleads? on(?=[.,;: |]*($|\||[.,;]))/i,
    write: "links to, redirects to, takes you to",
    but: /\bleads to (forward|store|delete|be|send|a (store|webhook|CRM))|\b(the|of|all|your|their|new|stored|deletes|forwards|sends|exports|with) leads (to|on|from)\b/i,
  },
  {
    name: "asks",
    pattern:
      /\b(programs?|pages?|builds?|API|server|template|command|list|filter|workflow|sitegen|nginx|proxy|preview) asks?\b|\basks? (the |a |its |your )?(CMS|server|provider|host|registry|API|network)\b|\b(host|server|CMS|provider|site)s? (is|are) asked\b/i,
    write: "requests, fetches",
  },
  {
    name: "may",
    pattern: /\bmay\b/,
    write: "can (may only for what is uncertain)",
    but: /\bmay (be|have|not be|differ|vary|change|already|take|still|contain|mean|need|show|come|appear|look)\b/,
  },
  { name: "is no", pattern: /(?<!\b(there|and|or) )\b(is|are|was|were) (no|none)\b(?! (longer|more|such|fewer|less))/i, write: "isn’t a" },
  { name: "also", pattern: /, also (in|if|for|of|from|by|on|as|at|when|with|without|the|a)\b/i, write: "even if, including" },
  {
    name: "mail",
    pattern: /\bmails?\b/i,
    write: "email",
    but: /\bmail (server|client|program)s?\b/i,
  },
  {
    name: "idiom",
    pattern:
      /\bin any case\b|\bat the latest\b|\banew\b|\bsecond last\b|\belse the\b|\bat last\b|\bis made for\b|\btakes? over\b|\bhowever many\b|\bof its own kind\b/i,
    write: "in upper or lower case, no later than, again, second-to-last, otherwise",
  },
  {
    name: "contraction",
    pattern: /\b(does|do|did|is|are|was|were|has|have|could|should|would) not\b(?! only)|\bcannot\b|(^|[.;:,] )(it|that|there) is\b(?![.,;:)])/i,
    write: "contractions, as the site uses them",
    but: /\bor not\b/,
    only: ["document"],
  },
  {
    name: "what, who",
    pattern: /(^|[.;:] |\| )(What|Who|Whoever) (?![^.|]*\?)[^.|:]{3,}[.|]/,
    write: "anything that, anyone who",
    but: /\| (What|Who)( [a-z]+){0,6} \|/,
    only: ["document", "template"],
  },
  {
    name: "order",
    pattern: /(^|[.;] )(Refused|Allowed|Required|Optional|Reported|Left alone|Left out|Needed|Not kept|Given) (are|is)\b|(^|[.;] )Of [A-Za-z ]+, /,
    write: "the subject first",
  },
  { name: "was expected", pattern: /\b(was|were) expected\b/i, write: "expected …, found …", only: ["message"] },
];

/** A pattern that finds all of its matches, whose spaces may be an end of a line with the indent of the next one. */
const every = (pattern) => new RegExp(pattern.source.replaceAll(" ", "\\s+"), `g${pattern.flags}`);
const COMPILED = RULES.map((rule) => ({ rule, pattern: every(rule.pattern), but: every(rule.but ?? /(?!)/) }));

/** How many "of" a document may have in 1,000 words, from 150 words on: the posts of the blog have 16. */
export const MOST_OF = 26;
/** How many lines a section may have. */
export const MOST_LINES = 40;

/** The prose of Markdown: spaces in place of code, targets of links and HTML. Lines and columns stay. */
export function prose(markdown) {
  const blank = (text) => text.replace(/[^\n]/g, " ");
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2$/gm, blank)
    // The last column of a table of promises: the file and the name of a test.
    .replace(/^(\|.*\| )`[^`|]+`: [^|]*\|$/gm, (row, rest) => rest + blank(row.slice(rest.length)))
    .replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, (code) => code.replace(/[^\n]/g, "·"))
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/<[^>\n]+>|https?:\/\/\S+/g, blank);
}

/** The comments of a template. */
export function comments(template) {
  let rest = template;
  const found = [];
  for (const match of template.matchAll(/\{#[\s\S]*?#\}/g)) found.push(match);
  rest = template.replace(/[^\n]/g, " ");
  for (const { 0: text, index } of found) {
    const shown = text.replace(/`[^`]*`/g, (code) => code.replace(/[^\n]/g, "·"));
    rest = rest.slice(0, index) + shown + rest.slice(index + text.length);
  }
  return rest;
}

/** The texts of a Rust file: messages and help, and the doc comments of public items. Tests are left out. */
export function rust(source, isHelp) {
  const lines = source.split("\n");
  const end = lines.findIndex((line, at) => line.startsWith("#[cfg(test)]") && /^mod tests? \{/.test(lines[at + 1] ?? ""));
  const kept = end < 0 ? lines : lines.slice(0, end);
  const doc = /^\s*\/\/[/!] ?(.*)$/;
  const messages = [];
  const docs = [];
  let block = [];
  for (const [at, line] of kept.entries()) {
    const text = doc.exec(line)?.[1];
    if (text !== undefined) {
      block.push([at + 1, text]);
      continue;
    }
    if (block.length > 0 && !/^\s*#!?\[/.test(line)) {
      const isModule = kept[block[0][0] - 1].trimStart().startsWith("//!");
      if (isHelp) messages.push(...block);
      else if (isModule || /^\s*pub\b/.test(line)) docs.push(...block);
      block = [];
    }
    if (/^\s*\/\//.test(line)) continue;
    for (const [, text] of line.matchAll(/"((?:[^"\\]|\\.)*)"/g)) if (/[a-z] [a-z]/.test(text)) messages.push([at + 1, text]);
  }
  const join = (parts) => {
    const shown = [];
    for (const [line, text] of parts) shown[line - 1] = `${shown[line - 1] ?? ""}${text.replace(/`[^`]*`/g, (code) => "·".repeat(code.length))}`;
    return Array.from(shown, (line) => line ?? "").join("\n");
  };
  return { messages: join(messages), docs: join(docs) };
}

/** The places of a text that match a rule: `{line, rule, found}`. Lines of a paragraph are read as one. */
export function places(text, kind, file) {
  const found = [];
  let line = 1;
  for (const part of text.split(/(\n[^\S\n]*(?=\n|[-*|#]|\d+\. ))/)) {
    const flat = part.replace(/\n/g, " ");
    for (const { rule, pattern, but } of COMPILED) {
      if ((rule.only && !rule.only.includes(kind)) || (file && rule.files?.test(file))) continue;
      // The head of a table.
      if (rule.name === "what, who" && /^ *\|/.test(flat) && flat.search(but) >= 0) continue;
      const exceptions = [...flat.matchAll(but)];
      for (const match of flat.matchAll(pattern)) {
        const end = match.index + match[0].length;
        const isAllowed = exceptions.some((other) => other.index <= match.index && end <= other.index + other[0].length + 12);
        if (isAllowed) continue;
        const before = flat.slice(0, match.index);
        const at = line + (part.slice(0, before.length).match(/\n/g) ?? []).length;
        const shown = flat.slice(Math.max(0, match.index - 40), end + 40);
        found.push({ line: at, rule, found: match[0].trim(), shown: shown.replace(/\s+/g, " ").trim() });
      }
    }
    line += (part.match(/\n/g) ?? []).length;
  }
  return found;
}

/** What is too long in a document: sections, and phrases with "of". */
export function lengths(markdown, file = "") {
  const problems = [];
  const counted = prose(markdown).match(/[A-Za-z’']+/g) ?? [];
  const of = counted.filter((word) => word.toLowerCase() === "of").length;
  const rate = (1000 * of) / counted.length;
  if (counted.length >= 150 && rate > MOST_OF && !EVIDENCE.test(file))
    problems.push({ line: 1, text: `${rate.toFixed(1)} "of" in 1,000 words, at most ${MOST_OF}: write noun phrases` });
  let heading = { line: 1, text: "the beginning" };
  let length = 0;
  let fence = "";
  const lines = markdown.trimEnd().split("\n");
  const close = () => {
    if (length > MOST_LINES) problems.push({ line: heading.line, text: `"${heading.text}" has ${length} lines, at most ${MOST_LINES}` });
  };
  for (const [at, line] of lines.entries()) {
    const mark = /^ *(`{3,})/.exec(line)?.[1];
    if (mark) fence = fence ? (line.trim() === fence ? "" : fence) : mark;
    if (!fence && /^#{1,4} /.test(line)) {
      close();
      heading = { line: at + 1, text: line.replace(/^#+ /, "") };
      length = 0;
    }
    // Rows of a table are looked up, and code is not read line by line.
    else if (line.trim() && !fence && !mark && !/^\s*\|/.test(line)) length += 1;
  }
  close();
  return problems;
}

/** The files below some folders whose path matches. */
const below = (folders, pattern) =>
  folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => pattern.test(file))
    .sort();
const documents = () => [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...below(["docs"], /\.md$/),
  ...below(["examples"], /^examples\/[^/]+\/README\.md$/),
];

/** Each match in the Rust sources, by kind. */
function sources() {
  const found = { message: [], "doc comment": [] };
  for (const file of below(["src", "crates"], /^(src|crates\/[^/]+\/src)\/.*\.rs$/)) {
    if (/\/(tests|testing|properties|fixtures)(\.rs|\/)/.test(file)) continue;
    const { messages, docs } = rust(readFileSync(file, "utf8"), /\bcli(\.rs|\/)/.test(file));
    for (const place of places(messages, "message")) found.message.push({ file, ...place });
    for (const place of places(docs, "doc comment")) found["doc comment"].push({ file, ...place });
  }
  return found;
}

/** Counts of rules: `{"message": {"address": 12}}`. */
export function counts(found) {
  return Object.fromEntries(
    Object.entries(found).map(([kind, all]) => [
      kind,
      Object.fromEntries(RULES.map(({ name }) => [name, all.filter(({ rule }) => rule.name === name).length]).filter(([, count]) => count)),
    ]),
  );
}

/** What has become more than the baseline allows, and whether anything has become less. */
export function compared(now, baseline) {
  const more = [];
  let isLess = false;
  for (const kind of Object.keys(now)) {
    for (const { name } of RULES) {
      const [count, most] = [now[kind][name] ?? 0, baseline[kind]?.[name] ?? 0];
      if (count > most) more.push(`${kind}: "${name}" ${count} times, at most ${most}`);
      isLess ||= count < most;
    }
  }
  return { more, isLess };
}

function main(words) {
  const named = words.filter((word) => !word.startsWith("--"));
  let problems = 0;
  const report = (place, text) => {
    problems += 1;
    console.error(`${place}: ${text}`);
  };
  const isRust = words.includes("--rust");
  for (const file of isRust ? [] : named.length > 0 ? named : documents()) {
    // What the program and the tests say is checked where they say it.
    if (/\/(slow-tests|settings|section-fields|command-line)\.md$/.test(file)) continue;
    const text = readFileSync(file, "utf8");
    for (const { line, rule, shown } of places(prose(text), "document", file))
      report(`${file}:${line}`, `${rule.name}: “${shown}”: write ${rule.write}`);
    if (file !== "CHANGELOG.md") for (const { line, text: said } of lengths(text, file)) report(`${file}:${line}`, said);
  }
  if (named.length > 0) process.exit(problems > 0 ? 1 : 0);
  for (const file of isRust ? [] : below(["templates", "starter"], /\.html$/))
    for (const { line, rule, shown } of places(comments(readFileSync(file, "utf8")), "template"))
      report(`${file}:${line}`, `${rule.name}: “${shown}”: write ${rule.write}`);

  const found = sources();
  if (isRust)
    for (const [kind, all] of Object.entries(found))
      for (const { file, line, rule, shown } of all) console.log(`${file}:${line}: ${kind}: ${rule.name}: “${shown}”`);
  if (isRust) return;
  const now = counts(found);
  const baseline = JSON.parse(readFileSync(BASELINE, "utf8"));
  const { more, isLess } = compared(now, baseline);
  if (words.includes("--shrink") && more.length === 0) writeFileSync(BASELINE, `${JSON.stringify(now, null, 2)}\n`);
  else if (isLess && !isRust) console.log("some patterns have become rarer: `node scripts/words.mjs --shrink` records it");
  for (const text of more) report("Rust", `${text}: \`node scripts/words.mjs --rust\` lists them`);
  if (problems > 0) {
    console.error(`${problems} places need better wording; the rules and their exceptions are in scripts/words.mjs`);
    process.exitCode = 1;
  }
}

if (process.argv[1]?.endsWith("words.mjs")) main(process.argv.slice(2));
