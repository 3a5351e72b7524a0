// Browser tests of the sanitizer for posts of a CMS, with XSS payloads and without a Content Security Policy. No script
// may run, no other host may receive a request, and the markup around the post must be the same as for a harmless post.

import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, ROOT, SIDE_BY_SIDE, sitegen, temporaryFolder } from "./site.mjs";

/** Runs a script if any part of it is parsed as markup. */
const RUNS = '<img src=x onerror="ran(1)"><svg onload="ran(2)"></svg><script>ran(3)</script>';
/** Elements whose content is parsed with special rules. */
const SPECIAL = [
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "xmp",
  "plaintext",
  "textarea",
  "title",
  "template",
  "style",
  "script",
  "select",
  "option",
  "svg",
  "math",
];
/** Contexts for such an element, which replaces `@`. */
const CONTEXTS = [
  "@",
  "<table>@</table>",
  "<select>@</select>",
  "<svg>@</svg>",
  "<svg></p>@",
  "<svg><desc>@</desc></svg>",
  "<svg><foreignObject>@</foreignObject></svg>",
  "<math><mtext>@</mtext></math>",
  "<math><mtext><table><mglyph>@",
  "<math><annotation-xml encoding=text/html>@</annotation-xml></math>",
  "<template>@</template>",
  "<!--@-->",
  "<svg><![CDATA[@]]></svg>",
  "<a><table><a>@",
  "<form><math><mtext></form><form><mglyph>@",
];
/** Other payloads: attributes, URLs, comments, names, and markup that sitegen itself generates. */
const OTHERS = [
  "<iframe></select><b><script>ran(1)</script>",
  "<iframe src=https://www.youtube.com/embed/x></iframe><img src=x onerror=ran(1)>",
  "<iframe src=https://www.youtube.com/embed/x title='\"><img src=x onerror=ran(1)>'></iframe>",
  "<iframe srcdoc='<script>parent.ran(1)</script>'></iframe>",
  "<img src='sitegen-video:0'><iframe src=https://www.youtube.com/embed/x></iframe>",
  "<img src='sitegen-picture:0' onerror=ran(1)><a href='sitegen-link:0'>a</a>",
  "<a href='java\tscript:ran(1)'>a</a><a href='&#1;javascript:ran(1)'>b</a><a href=' javascript:ran(1)'>c</a>",
  "<a href='data:text/html,<script>ran(1)</script>'>a</a><a href='vbscript:ran(1)'>b</a>",
  "<form action='javascript:ran(1)'><button formaction='javascript:ran(1)'>a</button><input autofocus onfocus=ran(1)></form>",
  "<p style='background:url(https://evil.example/x)' onclick=ran(1)>a</p>",
  "<details open ontoggle=ran(1)><summary>a</summary>b</details>",
  "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example/'><link rel=stylesheet href=https://evil.example/x.css>",
  "<object data='data:text/html,<script>parent.ran(1)</script>'></object><embed src='javascript:ran(1)'>",
  "<video src=x onerror=ran(1)><source onerror=ran(1)></video><audio src=x onerror=ran(1)></audio>",
  "<body onload=ran(1)><html onclick=ran(1)></body></html><p>a</p>",
  "</div></article></main></body></html><script>ran(1)</script><p>outside",
  "</p></div></div></section></main><footer>outside</footer>",
  "<div class='body'></div></div><h1>outside</h1>",
  "<table><tr><td></table></td></div></div>outside",
  "<!--><img src=x onerror=ran(1)>-->",
  "<!--!><img src=x onerror=ran(1)>--!><img src=x onerror=ran(1)>",
  "<?php echo '<img src=x onerror=ran(1)>' ?>",
  "<![CDATA[<img src=x onerror=ran(1)>]]>",
  "<x-y onclick=ran(1)><img/src='x'/onerror=ran(1)></x-y>",
  '<img src="x" alt="`><img src=x onerror=ran(1)>">',
  "<img alt='<script>ran(1)</script>' src='https://evil.example/x.png'>",
  "<h2 id='\"><img src=x onerror=ran(1)>'>&lt;img src=x onerror=ran(1)&gt;</h2>",
  "<h2>&lt;script&gt;ran(1)&lt;/script&gt;</h2>",
  "<pre><code class='language-js'>&lt;/code&gt;&lt;img src=x onerror=ran(1)&gt;</code></pre>",
  "<pre class='language-html\"><img src=x onerror=ran(1)>'>a</pre>",
  "<pre><code class=language-diff>+&lt;img src=x onerror=ran(1)&gt;\n</code></pre>",
  "<p title='</p><script>ran(1)</script>'>a</p>",
  "<p lang='\"><script>ran(1)</script>' dir='\"x'>a</p>",
  "<time datetime='\"><script>ran(1)</script>'>a</time>",
  "[gallery ids='<img src=x onerror=ran(1)>'] [x y=&lt;img src=x onerror=ran(1)&gt;]",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: foreign text that looks like a template.
  "{{ ''.__class__ }} {% raw %} {product.name} <b>${ran(1)}</b>",
  '<sitegen-island name="faq" onclick=ran(1)></sitegen-island>',
  "<ran-1><slot name=x><img src=x onerror=ran(1)></slot></ran-1>",
  "<marquee onstart=ran(1)>a</marquee><isindex action=javascript:ran(1) type=submit>",
  "<p>\u0000<scr\u0000ipt>ran(1)</scr\u0000ipt></p>",
  "<img src=x:x onerror\u000b=ran(1)><img src=x \u000conerror=ran(1)>",
  "<svg><animate onbegin=ran(1) attributeName=x dur=1s><set onbegin=ran(1)></svg>",
  "<svg><use href='data:image/svg+xml,<svg id=x onload=ran(1)>#x'></use></svg>",
  "<math href='javascript:ran(1)'>a</math><math><maction actiontype=statusline xlink:href='javascript:ran(1)'>b</maction></math>",
];

const payloads = [
  ...CONTEXTS.flatMap((context) =>
    SPECIAL.map((name) =>
      context.replace("@", `<${name}>${RUNS}</select></table></svg></math></form></div>${RUNS}</${name}>${RUNS}`),
    ),
  ),
  ...OTHERS,
];

/** Elements that a post may contain: those that the sanitizer allows, and those that sitegen generates. */
const ALLOWED = new Set(
  (
    "a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr i img ins " +
    "kbd li mark ol p pre q s samp section small source picture span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr"
  ).split(" "),
);

/** Mocks a CMS with a post for each payload, followed by a harmless post. */
function startCms() {
  const posts = [...payloads, "<p>Harmless.</p>"].map((content, at) => ({
    id: at + 1,
    slug: `payload-${at}`,
    title: `Payload ${at}`,
    date: "2025-01-05T10:00:00",
    content,
    excerpt: "Short.",
    tags: ["SQL"],
    author: { name: "Ana Ruiz", slug: "ana" },
  }));
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://cms");
    const own = searchParams.get("lang") ? [] : posts;
    const page = Number(searchParams.get("page") ?? 1);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        posts: own.slice((page - 1) * 100, page * 100),
        pagination: {
          total: own.length,
          total_pages: Math.max(1, Math.ceil(own.length / 100)),
          current_page: page,
          per_page: 100,
        },
      }),
    );
  });
  return listening(server);
}

/** A host that sends no headers except `content-type`. */
function startHost(folder) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    try {
      const body = await readFile(join(folder, decodeURIComponent(pathname), pathname.endsWith("/") ? "index.html" : ""));
      response.setHeader("content-type", pathname.endsWith(".css") ? "text/css" : "text/html; charset=utf-8");
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return listening(server);
}

async function listening(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => new Promise((done) => server.close(done)) };
}

let folder;
let host;
let browser;

before(async () => {
  folder = await temporaryFolder();
  for (const part of ["sitegen", "_shared"]) await cp(join(ROOT, "bench/sites", part), folder.path, { recursive: true });
  const cms = await startCms();
  const built = await sitegen("build", "--root", folder.path, "--set", "blog.source=posts_api", "--set", `blog.url=${cms.url}`);
  await cms.stop();
  assert.equal(built.code, 0, built.stderr);
  host = await startHost(join(folder.path, "dist"));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await host?.stop();
  await folder?.remove();
});

/** A browser context that records executed payloads: `ran(…)` appends to `hasRun`. */
async function watched() {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    const hasRun = [];
    Object.assign(window, { hasRun, ran: (what) => hasRun.push(what) });
  });
  return context;
}

/**
 * Opens a post, and returns executed payloads, requests to other hosts, elements of the post, and the markup around it.
 */
async function visit(page, at) {
  const asked = [];
  const note = (request) => {
    if (!request.url().startsWith(host.url)) asked.push(request.url());
  };
  page.on("request", note);
  await page.goto(`${host.url}/blog/payload-${at}/`, { waitUntil: "load" });
  // Waits for events after the load event, such as errors of images and starts of animations.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const found = await page.evaluate(() => {
    const body = document.querySelector("article > .body");
    const names = new Set();
    const attributes = [];
    for (const element of body.querySelectorAll("*")) {
      names.add(element.localName);
      if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") names.add(`${element.namespaceURI} ${element.localName}`);
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on") || name === "style" || name === "srcdoc" || /^\s*(javascript|data|vbscript):/i.test(value))
          attributes.push(`${name}=${value}`);
      }
    }
    body.replaceChildren();
    // Links to other posts and the table of contents differ from post to post.
    for (const own of document.querySelectorAll(".neighbors, .contents, title, h1")) own.replaceChildren();
    for (const own of document.querySelectorAll(".contents")) own.remove();
    const skeleton = [...document.querySelectorAll("html, body, body *")]
      .map((element) => `${element.localName}.${element.className}`)
      .join(" ");
    return { ran: Reflect.get(window, "hasRun"), names: [...names], attributes, skeleton };
  });
  page.off("request", note);
  return { ...found, asked };
}

test("posts run no scripts, send no requests, and do not change the page around them", { timeout: 600_000 }, async () => {
  assert.ok(payloads.length >= 150, `only ${payloads.length} payloads`);
  const harmless = payloads.length;
  const context = await watched();
  const faults = [];
  const todo = [...payloads.keys()];
  const first = await context.newPage();
  const { skeleton, names } = await visit(first, harmless);
  assert.deepEqual(names, ["p"]);
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      const page = await context.newPage();
      page.on("dialog", (dialog) => dialog.dismiss());
      for (let at = todo.shift(); at !== undefined; at = todo.shift()) {
        const found = await visit(page, at);
        const findings = [];
        if (found.ran.length) findings.push(`ran ${found.ran}`);
        if (found.asked.length) findings.push(`asked ${found.asked}`);
        if (found.attributes.length) findings.push(`kept ${found.attributes}`);
        const foreign = found.names.filter((name) => !ALLOWED.has(name));
        if (foreign.length) findings.push(`kept ${foreign.map((name) => `<${name}>`)}`);
        if (found.skeleton !== skeleton) findings.push(`changed the page around it:\n${found.skeleton}\n${skeleton}`);
        if (findings.length) faults.push(`${payloads[at]}\n  ${findings.join("\n  ")}`);
      }
    }),
  );
  assert.deepEqual(faults, []);
});

test("the test detects a payload that runs", async () => {
  const context = await watched();
  const page = await context.newPage();
  await page.setContent(`<article><div class="body">${RUNS}</div></article>`);
  await page.waitForFunction(() => Reflect.get(window, "hasRun").length >= 2);
});
