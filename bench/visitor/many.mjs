// The lists of case studies and of posts as a site with thousands of them has them: each one of this site many times over.

const LIST = /(<ul class="case-explorer__list">)(.*?)(<\/ul><\/div><\/div><\/sitegen-island>)/s;
const PROPS = /(<sitegen-island name="case-explorer"[^>]* props=')([^']*)(')/;

const POSTS = /(<div class="blog-explorer__posts"[^>]*>)(.*?)(<div class="blog-explorer__room)/s;
const POST_PROPS = /(<sitegen-island name="blog-explorer"[^>]* props=')([^']*)(')/;

const decode = (text) => text.replaceAll("&#x27;", "'").replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
const encode = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");

/** The page with `wanted` studies, each with an address and a name of its own, as the build would have rendered it. */
function multiply(html, wanted) {
  const [, before, text, after] = PROPS.exec(html) ?? [];
  const [, start, list, end] = LIST.exec(html) ?? [];
  if (!text || !list) throw new Error("the page has no list of case studies");
  const props = JSON.parse(decode(text));
  const cards = list.split(/(?=<li class="case-explorer-card">)/);
  if (cards.length !== props.studies.length) throw new Error(`${cards.length} cards for ${props.studies.length} studies`);
  const all = Array.from({ length: wanted }, (_, at) => {
    const study = props.studies[at % cards.length];
    const [href, title] = [`${study.link.href}?n=${at}`, `${study.title} ${at}`];
    return {
      study: { ...study, title, link: { ...study.link, href } },
      card: cards[at % cards.length]
        .replaceAll(`href="${study.link.href}"`, () => `href="${href}"`)
        .replace(/(<a class="case-explorer-card__link[^>]*>)[^<]*/, (_link, tag) => `${tag}${encode(title)}`),
    };
  });
  const grown = encode(JSON.stringify({ ...props, studies: all.map(({ study }) => study) }));
  return html
    .replace(PROPS, () => before + grown + after)
    .replace(LIST, () => start + all.map(({ card }) => card).join("") + end)
    .replace(/(<h2 class="case-explorer__count">)\d+/, `$1${wanted}`);
}

/** The same for posts. The first one stays the only large one, so the others are copies of those that follow it. */
function multiplyPosts(html, wanted) {
  const [, before, text, after] = POST_PROPS.exec(html) ?? [];
  const [, start, list, end] = POSTS.exec(html) ?? [];
  if (!text || !list) throw new Error("the page has no list of posts");
  const props = JSON.parse(decode(text));
  const cards = list.split(/(?=<article class="post-card)/);
  if (cards.length !== props.posts.length) throw new Error(`${cards.length} cards for ${props.posts.length} posts`);
  const all = Array.from({ length: wanted }, (_, at) => {
    const from = at === 0 ? 0 : 1 + ((at - 1) % (cards.length - 1));
    const post = props.posts[from];
    return {
      post: { ...post, id: `${post.id} ${at}`, link: `${post.link}?n=${at}` },
      card: cards[from].replaceAll(`href="${post.link}"`, () => `href="${post.link}?n=${at}"`),
    };
  });
  const pagination = { ...props.pagination, total: wanted };
  const grown = encode(JSON.stringify({ ...props, pagination, posts: all.map(({ post }) => post) }));
  return html
    .replace(POST_PROPS, () => before + grown + after)
    .replace(POSTS, () => start + all.map(({ card }) => card).join("") + end)
    .replace(/(<p class="blog-explorer__count">)\d+/, `$1${wanted}`);
}

/** Changes the page at this path. */
const changed = (path, change) => (page) =>
  page.route(
    (url) => url.pathname === path,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    },
  );

/** For `prepare` of a visit: the page at this path lists as many studies, or posts, as wanted. */
export const withStudies = (wanted, path) => changed(path, (html) => multiply(html, wanted));
export const withPosts = (wanted, path) => changed(path, (html) => multiplyPosts(html, wanted));
