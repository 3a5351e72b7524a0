// Maps the name of each island to its component. Names and props are generated from Rust (generated/wire.ts), so a
// missing island or a component with different props is a type error.

import type { ComponentType } from "react";
import type { Islands } from "./generated/wire";

export type Table = { [Name in keyof Islands]: () => Promise<{ default: ComponentType<Islands[Name]> }> };

export const islands: Table = {
  "blog-explorer": () => import("./islands/blog-explorer/blog-explorer"),
  "case-explorer": () => import("./islands/case-explorer/case-explorer"),
  embed: () => import("./islands/embed/embed"),
  faq: () => import("./islands/faq/faq"),
  form: () => import("./islands/form/form"),
  "form-steps": () => import("./islands/form-steps/form-steps"),
  "guide-copy": () => import("./islands/guide-copy/guide-copy"),
  "guide-icons": () => import("./islands/guide-icons/guide-icons"),
  "guide-search": () => import("./islands/guide-search/guide-search"),
  "guide-swatches": () => import("./islands/guide-swatches/guide-swatches"),
  "guide-type": () => import("./islands/guide-type/guide-type"),
  "list-search": () => import("./islands/list-search/list-search"),
  menu: () => import("./islands/menu/menu"),
};
