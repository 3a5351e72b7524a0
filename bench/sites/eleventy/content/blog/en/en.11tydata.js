export default {
  locale: "en",
  layout: "post.njk",
  permalink: ({ page }) => `/blog/${page.fileSlug}/`,
};
