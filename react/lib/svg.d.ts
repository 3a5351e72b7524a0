// Icons are imported as text: esbuild's loader for `.svg` in scripts is `text`.

declare module "*.svg" {
  const text: string;
  export default text;
}
