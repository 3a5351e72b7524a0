// The program of the post, on a small site with the mistakes that it looks for.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { code } from "../posts.mjs";

test("pages that do not name each other are found, and a good pair is not", async () => {
  let origin;
  const links = {
    "/": ["/", "/es/"],
    "/es/": ["/", "/es/"],
    "/alone/": [],
    "/a/": ["/a/", "/es/a/"],
    "/es/a/": ["/es/a/"],
    "/es/b/": [],
  };
  const server = http.createServer((request, response) => {
    if (request.url === "/sitemap.xml") {
      const urls = Object.keys(links).map((path) => `<url><loc>${origin}${path}</loc></url>`);
      return response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`);
    }
    const canonical = request.url === "/es/b/" ? "/" : request.url;
    const pairs = links[request.url].map(
      (path) => `<link rel="alternate" hreflang="${path.startsWith("/es/") ? "es" : "en"}" href="${origin}${path}">`,
    );
    response.end(`<link rel="canonical" href="${origin}${canonical}">${pairs.join("")}`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  origin = `http://127.0.0.1:${server.address().port}`;
  const program = spawn("python3", ["-c", code("un-sitio-en-dos-idiomas", "python")[0], `${origin}/sitemap.xml`]);
  let output = "";
  program.stdout.on("data", (data) => (output += data));
  program.stderr.pipe(process.stderr);
  assert.equal((await once(program, "close"))[0], 0);
  assert.deepEqual(output.replaceAll(origin, "").trim().split("\n"), [
    "/a/: /es/a/ no la nombra de vuelta",
    "/es/b/: la canónica es /",
  ]);
});
