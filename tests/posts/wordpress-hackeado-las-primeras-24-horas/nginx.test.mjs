// The rules for nginx: PHP in uploads/ is refused if the rule comes before the general one, as the post says, and the pages
// that intruders left are gone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { code, folder, nginx } from "../posts.mjs";

const [uploads, pages] = code("wordpress-hackeado-las-primeras-24-horas", "nginx");
const PHP = "location ~ \\.php$ { return 200 executed; }";

const statuses = async (server, paths) => {
  const home = await folder();
  const port = await nginx(home, "server {}", `${server}\nlocation / { return 200 page; }`);
  return Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status));
};

test("PHP in uploads is refused, but only by a rule that comes before the general one", async () => {
  const paths = ["/wp-content/uploads/2024/x.php", "/wp-content/uploads/x.phtml", "/index.php", "/wp-content/uploads/photo.jpg"];
  assert.deepEqual(await statuses(uploads + PHP, paths), [403, 403, 200, 200]);
  assert.deepEqual(await statuses(PHP + uploads, paths), [200, 403, 200, 200]);
});

test("the pages of the intruders are gone, and others are not", async () => {
  const paths = ["/ab12cd34.html", "/shop-shoes-jp/", "/about.html", "/contacto/", "/shop/"];
  assert.deepEqual(await statuses(pages, paths), [410, 410, 200, 200, 200]);
});
