// Writes the content of the brief's clinics for Hugo and Astro from that of the project's test site (`examples/dental-clinics`), so
// that all tools have the same facts and words.
//
//     node content.mjs HORIZON hugo|astro FOLDER
//
// Hugo has a file for each language of an entry, which repeats the facts: its pages share no front matter. Astro's collections
// take a file with all languages, as the test site has it.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";

const { parse, stringify } = createRequire(join(process.cwd(), "package.json"))("yaml");
const [horizon, tool, folder] = process.argv.slice(2);
const LANGUAGES = ["en", "es", "de", "ar", "zh-hans"];
const COLLECTIONS = ["treatments", "clinics", "team", "jobs", "events"];
// What Hugo calls the fields that it knows. The `date` of an event is ahead, and Hugo would leave its page out.
const KNOWN = { name: "title", posted: "publishDate", closes: "expiryDate", date: "begins" };
const WORDS = ["hours", "price_from", "done_by", "apply_until", "team"];

const inLanguage = (value, code) => {
  const isTranslated = value && typeof value === "object" && !Array.isArray(value) && LANGUAGES.some((of) => of in value);
  return isTranslated ? value[code] : value;
};

/** The front matter of an entry in a language, and its text. A fact is written as the test site writes it. */
function page(source, code) {
  const entry = parse(source);
  const head = {};
  for (const [key, value] of Object.entries(entry)) {
    const own = inLanguage(value, code);
    const isTime = typeof own === "string" && /T\d\d:\d\d$/.test(own);
    if (own !== undefined && key !== "text") head[KNOWN[key] ?? key] = isTime ? `${own}:00` : own;
  }
  const text = inLanguage(entry.text, code);
  return `---\n${stringify(head, { lineWidth: 0, flowCollectionPadding: false, collectionStyle: "any" })}---\n${text ? `${text}\n` : ""}`;
}

function words(code) {
  const { messages } = parse(readFileSync(join(horizon, `content/locales/${code}.yaml`), "utf8"));
  return Object.fromEntries(WORDS.map((key) => [key, messages[key].replace("{date}", "{{ .Date }}")]));
}

/** The address, the title and the description of the list of a collection. */
function list(name, code) {
  const key = { jobs: "careers", events: "home" }[name] ?? name;
  return parse(readFileSync(join(horizon, `content/pages/${key}/${code}.yaml`), "utf8"));
}

for (const name of COLLECTIONS) {
  const from = join(horizon, "content", name);
  if (tool === "astro") {
    cpSync(from, join(folder, "content", name), { recursive: true });
    continue;
  }
  for (const code of LANGUAGES) {
    const to = join(folder, "content", code, name);
    mkdirSync(to, { recursive: true });
    const { description, "hero.title": title } = list(name, code);
    writeFileSync(join(to, "_index.md"), `---\n${stringify({ title, description })}---\n`);
    for (const file of readdirSync(from)) {
      writeFileSync(join(to, file.replace(".yaml", ".md")), page(readFileSync(join(from, file), "utf8"), code));
    }
  }
}
for (const code of LANGUAGES) {
  const to = join(folder, tool === "astro" ? "src/words" : "i18n");
  mkdirSync(to, { recursive: true });
  const all = words(code);
  const lists = Object.fromEntries(COLLECTIONS.map((name) => [name, list(name, code)["hero.title"]]));
  if (tool === "astro") writeFileSync(join(to, `${code}.json`), JSON.stringify({ ...all, lists }, null, 2));
  else writeFileSync(join(to, `${code}.yaml`), stringify(all));
}
