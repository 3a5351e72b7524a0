// The hosts under test. Each takes a request `{ method, path, headers }` and returns `{ status, headers, body }`. The
// body is not decompressed.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import { delimiter, dirname, join } from "node:path";
import vm from "node:vm";
import { ROOT, serve, sitegen, temporaryFolder } from "../browser/site.mjs";

/**
 * Builds the small site with compressed files, and generates the configuration of hosts. `base` is the path that the
 * site is mounted at (`/docs`); `root` is the folder that hosts serve, in which the site is at that path. `languages` are the
 * hosts of languages that have one of their own; all hosts have the scheme of theirs.
 */
export async function buildSite(base = "", languages = {}) {
  const folder = await temporaryFolder();
  // nginx may drop privileges, and must be able to read the folder.
  await chmod(folder.path, 0o755);
  for (const source of ["tests/sites/_base", "tests/hosts/site"]) {
    await cp(join(ROOT, source), folder.path, { recursive: true });
  }
  await mkdir(join(folder.path, "content/redirects"));
  await cp(join(ROOT, "tests/hosts/queries.yaml"), join(folder.path, "content/redirects/queries.yaml"));
  const hosts = Object.keys(languages).length > 0;
  if (hosts) {
    const settings = join(folder.path, "content/site.yaml");
    const [scheme] = Object.values(languages)[0].split(":");
    const text = readFileSync(settings, "utf8").replace("https://small.example/", `${scheme}://small.example${base}/`);
    await writeFile(settings, `base_urls: ${JSON.stringify(languages)}\n${text}`);
  }
  process.env.SITEGEN_NODE_MODULES ??= join(ROOT, "node_modules");
  for (const command of [["build", "--precompress"], ["hosts"]]) {
    // With a host that can follow all redirects, or there would be a warning.
    const own = ["--strict", "--set", "host=netlify", "--root", folder.path];
    const { code, stderr } = await sitegen(...command, ...own, ...(hosts ? [] : addressOf(base)));
    if (code !== 0) throw new Error(`sitegen ${command.join(" ")}: status ${code}\n${stderr}`);
  }
  const dist = join(folder.path, "dist");
  const root = base ? join(folder.path, "root") : dist;
  if (base) {
    await mkdir(dirname(root + base), { recursive: true });
    await symlink(dist, root + base);
  }
  return { ...folder, base, dist, root, deploy: join(folder.path, "deploy/generated") };
}

const addressOf = (base) => (base ? ["--base-url", `https://small.example${base}/`] : []);

/** `sitegen serve` with an existing build. */
export async function startServe(site) {
  const flags = site.flags ?? addressOf(site.base);
  const server = await serve("--no-watch", "--allowed-host", "small.example", "--root", site.path, ...flags);
  const { hostname, port } = new URL(server.origin);
  return { ask: (request) => ask({ hostname, port }, request), stop: server.stop };
}

/** nginx with the generated configuration, on a Unix socket in the site's folder. */
export async function startNginx(site) {
  const prefix = join(site.path, "nginx");
  const socket = join(prefix, "socket");
  const server = `listen unix:${socket};
    root ${site.root};
    include ${site.deploy}/nginx.conf;`;
  return runNginx(prefix, server, { socketPath: socket });
}

/** nginx with one server, which listens at `where`; `prefix` is a new folder. */
export async function runNginx(prefix, server, where) {
  await mkdir(prefix);
  await writeFile(
    join(prefix, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
pid ${prefix}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${prefix}/${kind};`).join("\n  ")}
  server {
    ${server}
  }
}
`,
  );
  const arguments_ = ["-p", prefix, "-c", join(prefix, "nginx.conf"), "-e", "stderr"];
  const tested = spawnSync(nginxPath(), [...arguments_, "-t"], { encoding: "utf8" });
  if (tested.status !== 0 || /\[(warn|emerg)\]/.test(tested.stderr)) {
    throw new Error(`nginx does not take the snippet:\n${tested.stderr}`);
  }
  const child = spawn(nginxPath(), arguments_, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  process.once("exit", () => child.kill());
  // nginx prints nothing when it is ready, so requests are repeated until one succeeds.
  for (;;) {
    const answered = await ask(where, { path: "/" }).catch(() => null);
    if (answered) break;
    if (child.exitCode !== null) throw new Error(`nginx ended with status ${child.exitCode}\n${said}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    ask: (request) => ask(where, request),
    stop: async () => {
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** On Debian, nginx is in a folder that is not in the PATH of regular users. */
function nginxPath() {
  const names = process.env.NGINX ? [process.env.NGINX] : [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const found = [...names, ...folders.map((folder) => join(folder, "nginx"))].find((path) => existsSync(path));
  if (!found) throw new Error("no nginx found: install it, or name one in NGINX");
  return found;
}

/** The generated CloudFront function in front of a mock bucket, which serves only exact file names. */
export function startCloudFront(site) {
  const context = vm.createContext({});
  vm.runInContext(readFileSync(join(site.deploy, "cloudfront-function.js"), "utf8"), context);
  // What the policy of the template adds to every answer.
  const template = JSON.parse(readFileSync(join(site.deploy, "cloudfront-template.json"), "utf8"));
  const { Items } = template.Resources.SiteHeaders.Properties.ResponseHeadersPolicyConfig.CustomHeadersConfig;
  const added = Object.fromEntries(Items.map(({ Header, Value }) => [Header.toLowerCase(), Value]));
  const file = (path) => {
    const name = join(site.root, decodeURIComponent(path));
    return !path.endsWith("/") && existsSync(name) ? readFileSync(name) : null;
  };
  return {
    ask: async ({ method = "GET", path, headers: sent = /** @type {Record<string, string>} */ ({}) }) => {
      const [uri, query = ""] = path.split("?");
      /** @type {Record<string, any>} */
      const querystring = {};
      for (const pair of query.split("&").filter(Boolean)) {
        const [name, value = ""] = pair.split(/=(.*)/s);
        querystring[name] = { value };
      }
      const headers = { host: { value: sent.host ?? "small.example" } };
      const event = { version: "1.0", request: { method, uri, querystring, headers, cookies: {} } };
      const result = context.handler(event);
      if (result.statusCode) {
        const headers = Object.fromEntries(Object.entries(result.headers ?? {}).map(([name, { value }]) => [name, value]));
        return { status: result.statusCode, headers, body: Buffer.alloc(0) };
      }
      const found = file(result.uri);
      return { status: found ? 200 : 404, headers: added, body: found ?? file(`${site.base}/404.html`) };
    },
    stop: async () => {},
  };
}

/** Sends a path without normalizing it, as `fetch` would. */
function ask(where, { method = "GET", path, headers = {}, body = "", from: localAddress = undefined }) {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { ...where, localAddress, method, path, headers: { host: "small.example", ...headers }, agent: false },
      (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
