// Types for imported icons. esbuild imports `.svg` files as strings, with its loader `text`.

declare module "*.svg" {
  const text: string;
  export default text;
}
