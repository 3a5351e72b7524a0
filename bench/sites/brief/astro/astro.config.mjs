// The brief's clinics in Astro: five collections in five languages, checked by schemas.
import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://horizon.example",
  trailingSlash: "always",
  cacheDir: "./.astro-cache",
  devToolbar: { enabled: false },
});
