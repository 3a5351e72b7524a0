// The benchmark's site in Astro: static, without scripts or pictures, and Markdown left as it is written.
import { satteri } from "@astrojs/markdown-satteri";
import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://bench.example",
  compressHTML: false,
  trailingSlash: "always",
  publicDir: "./static",
  cacheDir: "./.astro-cache",
  devToolbar: { enabled: false },
  image: { service: { entrypoint: "astro/assets/services/noop" } },
  markdown: { syntaxHighlight: false, processor: satteri({ features: { smartPunctuation: false } }) },
});
