import { SITE } from "../lib/words";

export const GET = () => new Response(`User-agent: *\nAllow: /\n\nSitemap: ${SITE.url}/sitemap.xml\n`);
