// The only island of the test site.

export const islands = {
  faq: () => import("./islands/faq/faq"),
};
