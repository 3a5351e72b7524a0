export default {
  locale: "es",
  layout: "post.njk",
  permalink: ({ page }) => `/es/blog/${page.fileSlug}/`,
};
