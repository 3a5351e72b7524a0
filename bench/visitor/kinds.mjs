// One page of each kind, found by what the site's own routes say, so that no brand and no slug is repeated here.

/** By the key of a page; a list takes the first key that the site has in the locale. */
const KEYS = {
  home: "home",
  services: "services",
  service: "development-support",
  about: "about",
  "org chart": "org-chart",
  contact: "contact",
  plans: "maintenance-plans",
  privacy: "privacy",
  "case list": "case-studies",
  "lead form": "lead-form",
  "style guide": "style-guide",
  blog: "blog",
};

/** By the address of a page below another one: what is left of it after that. */
const BELOW = {
  "case study": ["case-studies", /^[^/]+\/$/],
  "case filter": ["case-studies", /^service\/[^/]+\/$/],
  "blog page 2": ["blog", /^page\/2\/$/],
  post: ["blog", /^[^/]+\/$/],
  tag: ["blog", /^tag\/[^/]+\/$/],
  author: ["blog", /^author\/[^/]+\/$/],
  "style guide colors": ["style-guide", /^styles\/colors\/$/],
  "style guide icons": ["style-guide", /^styles\/icons\/$/],
  "style guide type": ["style-guide", /^styles\/typography\/$/],
  "style guide buttons": ["style-guide", /^components\/buttons\/$/],
};

/** The kinds whose counterpart in another language is measured, too. */
const TRANSLATED = ["home", "service", "blog", "post", "lead form"];

/** `[{ kind, path }]`, each kind in the first language, some in the others. */
export function kinds(site) {
  const locales = [...new Set(site.pages.map((page) => page.locale))];
  const found = [];
  locales.forEach((locale, at) => {
    const own = site.pages.filter((page) => page.locale === locale);
    const path = (key) => own.find((page) => page.key === key)?.path;
    const add = (kind, address) => {
      if (address && (at === 0 || TRANSLATED.includes(kind)))
        found.push({ kind: at === 0 ? kind : `${kind}, ${locale}`, path: address });
    };
    for (const [kind, key] of Object.entries(KEYS)) add(kind, path(key));
    for (const [kind, [key, rest]] of Object.entries(BELOW)) {
      const base = path(key);
      add(kind, base && own.find((page) => page.path.startsWith(base) && rest.test(page.path.slice(base.length)))?.path);
    }
  });
  return found;
}
