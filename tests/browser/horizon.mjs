// The site of the brief for tests in browsers: the collections of examples/dental-clinics in the theme, in five languages, with a
// search, a map, a video and a service that counts visits.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { ROOT, sitegen } from "./site.mjs";

export const HORIZON = join(ROOT, "examples/dental-clinics");

/** By language: the path of the search page, its words, and a query of one letter and of more with the page that it finds. */
export const LANGUAGES = {
  en: {
    path: "/find/",
    title: "Find",
    label: "Search this site",
    letter: "i",
    query: "implants",
    found: "/treatments/implants/",
  },
  es: {
    path: "/es/buscar/",
    title: "Buscar",
    label: "Buscar en este sitio",
    letter: "i",
    query: "implantes",
    found: "/es/tratamientos/implants/",
  },
  de: {
    path: "/de/suche/",
    title: "Suche",
    label: "Diese Website durchsuchen",
    letter: "I",
    query: "Implantate",
    found: "/de/behandlungen/implants/",
  },
  ar: {
    path: "/ar/find/",
    title: "بحث",
    label: "ابحث في هذا الموقع",
    letter: "ز",
    query: "زراعة",
    found: "/ar/treatments/implants/",
  },
  "zh-hans": {
    path: "/zh-hans/find/",
    title: "搜索",
    label: "搜索本站",
    letter: "种",
    query: "种植牙",
    found: "/zh-hans/treatments/implants/",
  },
};
export const CODES = Object.keys(LANGUAGES);
/** The address of the page with a map and a video. */
export const WAY = "/way/";
/** By language: the address of the list of people, and the label of the search within it. */
export const PEOPLE = {
  en: ["/people/", "Find a person by name or profession"],
  ar: ["/ar/people/", "ابحث عن شخص بالاسم أو المهنة"],
};
/** The other hosts of the site, by name. */
export const HOSTS = {
  map: "https://www.openstreetmap.org",
  video: "https://www.youtube-nocookie.com",
  plausible: "https://plausible.io",
};

/** In each language: the name of the filter, and of a clinic, and what some of its people are. */
export const CLINIC = {
  en: ["Clinic", "Horizon Madrid", "dentist"],
  es: ["Clínica", "Clínica Horizonte Madrid", "odontóloga"],
  de: ["Praxis", "Horizont Madrid", "Zahnärztin"],
  ar: ["العيادة", "هورايزن مدريد", "طبيبة"],
  "zh-hans": ["诊所", "地平线马德里", "牙医"],
};

const KINDS = { treatments: "Treatments", team: "Team", clinics: "Clinics" };

/** Makes a new site that has the collections of the other one, and a search. */
export async function prepare(root) {
  const created = await sitegen("new", root, "--sample", "--languages", CODES.join(","), "--no-blog", "--name", "Horizon");
  assert.equal(created.code, 0, created.stderr);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  // The other site writes the code of Chinese in lower case.
  renameSync(join(root, "content/pages/home/zh-Hans.yaml"), join(root, "content/pages/home/zh-hans.yaml"));
  for (const name of Object.keys(KINDS)) {
    cpSync(join(HORIZON, "content", name), join(root, "content", name), { recursive: true });
    cpSync(join(HORIZON, "templates/collections", name), join(root, "templates/collections", name), { recursive: true });
  }
  cpSync(join(HORIZON, "templates/layouts/entry.html"), join(root, "templates/layouts/entry.html"), { recursive: true });
  const labels = Object.entries(KINDS).map(([name, label]) => ({
    name,
    label: Object.fromEntries(CODES.map((code) => [code, label])),
  }));
  const settings = join(root, "content/site.yaml");
  const label = Object.fromEntries(CODES.map((code) => [code, CLINIC[code][0]]));
  const filters = [{ name: "clinic", label, fields: { team: "clinics", treatments: "team.clinics" } }];
  const search = { kinds: labels, filters, fallback: "https://find.example/?sites=horizon.example" };
  const embeds = ["map", "video"].map((name) => ({ name, frame: HOSTS[name] }));
  const visits = { preset: "plausible", domain: "horizon.example" };
  const more = Object.entries({ search, embeds, visits }).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  writeFileSync(settings, more.join("") + readFileSync(settings, "utf8").replaceAll("zh-Hans", "zh-hans"));
  mkdirSync(join(root, "content/pages/way"));
  const frames = ["/export/embed.html?bbox=1,2,3,4", "/embed/abc"].map((path, at) => {
    return { kind: "embed", title: embeds[at].name, frame: embeds[at].frame + path };
  });
  const sections = [{ kind: "hero", title: "The way to us" }, ...frames];
  const way = { path: WAY, title: "Way", description: "The way to us.", unlinked: true, sections };
  writeFileSync(join(root, "content/pages/way/en.yaml"), stringify(way));
  mkdirSync(join(root, "content/pages/people"));
  for (const [code, [path, search]] of Object.entries(PEOPLE)) {
    const list = { kind: "entries", of: "team", group: "clinics", layout: "list", search };
    const title = { kind: "hero", title: search };
    const page = { path, title: search, description: search, unlinked: true, sections: [title, list] };
    writeFileSync(join(root, `content/pages/people/${code}.yaml`), stringify(page));
  }
  mkdirSync(join(root, "content/locales"), { recursive: true });
  mkdirSync(join(root, "content/pages/find"));
  for (const [code, { path, title, label }] of Object.entries(LANGUAGES)) {
    const words = parse(readFileSync(join(HORIZON, `content/locales/${code}.yaml`), "utf8")).messages;
    const file = join(root, `content/locales/${code}.yaml`);
    const written = readdirSync(join(root, "content/locales")).includes(`${code}.yaml`) ? parse(readFileSync(file, "utf8")) : {};
    const own = Object.fromEntries(["price_from", "done_by", "hours"].map((key) => [key, words[key]]));
    const messages = { ...written.messages, ...own, site_search_label: label };
    writeFileSync(file, stringify({ ...written, messages }));
    const page = { path, title, description: title, sections: [{ kind: "search", title }] };
    writeFileSync(join(root, `content/pages/find/${code}.yaml`), stringify(page));
  }
}
