// What the tests of posts share: the code of a post, and the programs that it runs with. They come from Debian's packages and
// PyPI (`make posts` installs them); each test starts servers of its own on sockets in a temporary folder.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { python } from "../python.mjs";

const BLOG = fileURLToPath(new URL("../../content/blog/", import.meta.url));

/** The Markdown of the post with this slug, in the language whose folder has it. */
export function post(slug) {
  for (const locale of ["en", "es"]) {
    try {
      return readFileSync(join(BLOG, locale, `${slug}.md`), "utf8");
    } catch {
      // The other language may have it.
    }
  }
  throw new Error(`no post has the slug ${slug}`);
}

/** The code blocks of a post in one language, in their order. */
export function code(slug, language) {
  const blocks = [...post(slug).matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)].filter(([, , name]) => name === language);
  if (blocks.length === 0) throw new Error(`${slug} has no code in ${language}`);
  return blocks.map(([, indent, , body]) => body.replace(new RegExp(`^${indent}`, "gm"), ""));
}

/** A folder that is deleted after the tests of the file. */
export async function folder() {
  const path = await mkdtemp(join(tmpdir(), "posts-"));
  await chmod(path, 0o755);
  after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs a program to its end, and returns `{ status, stdout, stderr }`; `wanted` is the status that it must have. */
export function run(program, args, { wanted = 0, ...options } = {}) {
  const ended = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (ended.error || (wanted !== null && ended.status !== wanted)) {
    throw new Error(`${program} ${args.join(" ")}: ${ended.error ?? `status ${ended.status}`}\n${ended.stdout}${ended.stderr}`);
  }
  return ended;
}

const CLEAN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PG")));

/**
 * A PostgreSQL of its own, without a port. `sql` runs statements and returns what they print; `environment` is what `psql` and
 * libpq need to reach it.
 */
export async function postgres(settings = {}) {
  const home = await mkdtemp(join(tmpdir(), "posts-"));
  const versions = await readdir("/usr/lib/postgresql").catch(() => []);
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (!newest) throw new Error("PostgreSQL is not installed; `make posts` installs it");
  const bin = `/usr/lib/postgresql/${newest}/bin`;
  // The server refuses to run as root.
  const root = process.getuid() === 0;
  const as = (program, args) =>
    root
      ? run("setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", program, ...args], { env: CLEAN, cwd: home })
      : run(program, args, { env: CLEAN, cwd: home });
  await chmod(home, 0o755);
  if (root) run("chown", ["postgres", home]);
  const data = join(home, "data");
  as(join(bin, "initdb"), ["-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "postgres", "--no-sync"]);
  const options = { listen_addresses: "", unix_socket_directories: home, fsync: "off", ...settings };
  const given = Object.entries(options)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(" ");
  as(join(bin, "pg_ctl"), ["-D", data, "-w", "-l", join(home, "log"), "-o", given, "start"]);
  after(async () => {
    as(join(bin, "pg_ctl"), ["-D", data, "-w", "-m", "immediate", "stop"]);
    await rm(home, { recursive: true, force: true });
  });
  const environment = { ...CLEAN, PGHOST: home, PGUSER: "postgres", PGDATABASE: "postgres" };
  const psql = (text, { options = [], wanted = 0, env = {} } = {}) =>
    run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", ...options, "-f", "-"], {
      input: text,
      env: { ...environment, ...env },
      wanted,
    });
  return {
    home,
    data,
    environment,
    psql,
    sql: (text, more) => psql(text, { options: ["-At"], ...more }).stdout.trim(),
    spawn: (text, env = {}) =>
      spawn("psql", ["-X", "-q", "-At", "-c", text], { env: { ...environment, ...env }, stdio: ["ignore", "pipe", "ignore"] }),
  };
}

/** The command of a Python with packages of PyPI, which are installed into target/ once. */
export function pythonWith(...requirements) {
  const name = requirements.map((requirement) => requirement.replace(/[^a-z]/g, "")).join("-");
  return resolve(python(`posts-${name}`, requirements.join("\n"), "python"));
}

/** A new folder inside `path`. */
export async function inside(path, name) {
  const made = join(path, name);
  await mkdir(made, { recursive: true });
  return made;
}

/**
 * Starts nginx on a free port with this configuration, in whose `server` block `inServer` is added, and returns the port. It
 * ends after the tests.
 */
export async function nginx(home, configuration, inServer) {
  const port = await freePort();
  const file = join(home, "nginx.conf");
  const http = configuration.replace(/server \{/, `server { listen 127.0.0.1:${port}; ${inServer.replaceAll("$", "$$$$")}\n`);
  const user = process.getuid() === 0 ? "user root;" : "";
  writeFileSync(file, `${user} pid ${home}/nginx.pid; error_log ${home}/error.log; events {} http { access_log off; ${http} }`);
  const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  const server = spawn(process.env.NGINX ?? "nginx", ["-c", file, "-p", home, "-g", "daemon off;"], {
    env: { ...process.env, PATH },
    stdio: "inherit",
  });
  after(() => server.kill());
  for (;;) {
    if (server.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(join(home, "error.log"), "utf8")}`);
    const answered = await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).catch(() => null);
    if (answered) return port;
    await new Promise((again) => setImmediate(again));
  }
}

/** A port that no one listens on. */
async function freePort() {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
