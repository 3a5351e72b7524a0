// The only island of the trial site.

export const islands = {
  faq: () => import("./islands/faq/faq"),
};
