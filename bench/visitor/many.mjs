// The list of case studies as a site with thousands of them has it: each study of this site many times over.

const LIST = /(<ul class="case-explorer__list">)(.*?)(<\/ul><\/div><\/div><\/sitegen-island>)/s;
const PROPS = /(<sitegen-island name="case-explorer"[^>]* props=')([^']*)(')/;

const decode = (text) => text.replaceAll("&#x27;", "'").replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
const encode = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");

/** The page with `wanted` studies, each with an address and a name of its own, as the build would have rendered it. */
function multiply(html, wanted) {
  const [, before, text, after] = PROPS.exec(html) ?? [];
  const [, start, list, end] = LIST.exec(html) ?? [];
  if (!text || !list) throw new Error("the page has no list of case studies");
  const props = JSON.parse(decode(text));
  const cards = list.split(/(?=<li class="study-card">)/);
  if (cards.length !== props.studies.length) throw new Error(`${cards.length} cards for ${props.studies.length} studies`);
  const all = Array.from({ length: wanted }, (_, at) => {
    const study = props.studies[at % cards.length];
    const [href, title] = [`${study.link.href}?n=${at}`, `${study.title} ${at}`];
    return {
      study: { ...study, title, link: { ...study.link, href } },
      card: cards[at % cards.length]
        .replaceAll(`href="${study.link.href}"`, () => `href="${href}"`)
        .replace(/(<a class="study-card__link[^>]*>)[^<]*/, (_link, tag) => `${tag}${encode(title)}`),
    };
  });
  const grown = encode(JSON.stringify({ ...props, studies: all.map(({ study }) => study) }));
  return html
    .replace(PROPS, () => before + grown + after)
    .replace(LIST, () => start + all.map(({ card }) => card).join("") + end)
    .replace(/(<h2 class="case-explorer__count">)\d+/, `$1${wanted}`);
}

/** For `prepare` of a visit: the page at this path lists as many studies as wanted. */
export const withStudies = (wanted, path) => (page) =>
  page.route(
    (url) => url.pathname === path,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: multiply(await response.text(), wanted) });
    },
  );
