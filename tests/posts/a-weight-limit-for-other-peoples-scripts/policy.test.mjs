// The chat of the post, under the policy of the post, in a browser: its script runs, and one inside the HTML would not.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { transform } from "esbuild";
import { openBrowser } from "../../browser/site.mjs";
import { code } from "../posts.mjs";

const SLUG = "a-weight-limit-for-other-peoples-scripts";

test("the policy lets the chat load, and blocks scripts inside the HTML", async () => {
  const [, policy] = /Content-Security-Policy: (.+)/.exec(code(SLUG, "text").join("\n"));
  const source = code(SLUG, "typescript").find((block) => block.includes("// chat.ts"));
  const { code: script } = await transform(source, { loader: "ts" });
  const files = {
    "/": ["text/html", `<!doctype html><title>x</title>${code(SLUG, "html")[0]}<script>document.title = "inline"</script>`],
    "/static/chat.js": ["text/javascript", script],
    "/static/chat-loader.js": ["text/javascript", 'export const open = () => { document.title = "open"; };'],
  };
  const server = http.createServer((request, response) => {
    const [type, body] = files[request.url] ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type, "content-security-policy": policy });
    response.end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const browser = await openBrowser();
  after(async () => {
    await browser.close();
    server.close();
    server.closeAllConnections();
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  assert.equal(await page.title(), "x", "the script inside the HTML is blocked");
  await page.getByRole("button").click();
  await page.waitForFunction(() => document.title === "open");
});
