// The server serves the npm package `yaml` beside the page.
declare module "*/yaml/index.js" {
  export * from "yaml";
}
