// Islands that a site adds to those of the theme: the name of each, and its component. `sitegen new island NAME` writes a
// line. Their props are declared in TypeScript, by the component itself.

type Table = Record<string, () => Promise<{ default: unknown }>>;

export const customIslands: Table = {
  "copy-code": () => import("./islands/copy-code/copy-code"),
};
