// Draws the pictures of docs/editing.md: `node tests/editors/pictures.mjs` starts Neovim in tmux with a new site, makes a mistake
// and a completion, and writes what the terminal shows to docs/editor-problem.png and docs/editor-completion.png. It needs
// tmux, Neovim, Chromium and the release binary.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import sharp from "sharp";
import { openBrowser, ROOT } from "../browser/site.mjs";
import { newSite, SITEGEN } from "./site.mjs";

const [COLUMNS, LINES] = [118, 21];
const HOME = "content/pages/home/en.yaml";

const site = newSite();
const socket = `sitegen-${process.pid}`;

function tmux(...words) {
  const { status, stdout, stderr } = spawnSync("tmux", ["-L", socket, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const screen = () => tmux("capture-pane", "-p", "-e", "-t", "editor");

/** Waits until the screen shows a text, and then until it stays as it is. */
async function shows(text) {
  let before = "";
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 400))) {
    const now = screen();
    // Colors are between the letters.
    if (plain(now).includes(text) && now === before) return now;
    before = now;
  }
  throw new Error(`the editor does not show ${text}:\n${plain(screen())}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colors are written
const ESCAPE = /\u001b\[([\d;:]*)m|\u001b\(B|\u000f|\u000e/g;
const plain = (text) => text.replace(ESCAPE, "");

/** The CSS of a sequence of codes, added to what is there. */
function styled(style, codes) {
  const own = { ...style };
  const parts = codes
    .split(";")
    .flatMap((part) => (part.startsWith("4:") ? [part] : part.split(":")))
    .map((part) => part || "0");
  while (parts.length > 0) {
    const code = parts.shift();
    if (code === "0") for (const key of Object.keys(own)) delete own[key];
    if (code === "1") own["font-weight"] = "700";
    if (code === "4:3" || code === "4") own["text-decoration-line"] = "underline";
    if (code === "4:3") own["text-decoration-style"] = "wavy";
    if (code === "24" || code === "4:0") delete own["text-decoration-line"];
    if (code === "39") delete own.color;
    if (code === "49") delete own["background-color"];
    const name = { 38: "color", 48: "background-color", 58: "text-decoration-color" }[code];
    if (!name) continue;
    if (parts.shift() !== "2") throw new Error(`the terminal has other colors than RGB: ${codes}`);
    own[name] = `rgb(${parts
      .splice(0, parts[0] === "" ? 4 : 3)
      .filter(Boolean)
      .join(" ")})`;
  }
  return own;
}

function html(text) {
  let style = {};
  let from = 0;
  let body = "";
  const add = (part) => {
    const css = Object.entries(style).map(([key, value]) => `${key}:${value}`);
    const escaped = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    if (part) body += css.length > 0 ? `<span style="${css.join(";")}">${escaped}</span>` : escaped;
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(text.slice(from, match.index));
    if (match[1] !== undefined) style = styled(style, match[1]);
    from = match.index + match[0].length;
  }
  add(text.slice(from));
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#0e1412}
pre{margin:0;padding:20px 24px;width:max-content;color:#dde3e0;font:16px/1.4 "DejaVu Sans Mono","Liberation Mono",monospace;text-underline-offset:3px}</style><pre>${body}</pre>`;
}

const browser = await openBrowser();
async function draw(name, text) {
  const page = await browser.newPage({ deviceScaleFactor: 1.5, viewport: { width: 1200, height: 800 } });
  // Without the line of commands.
  await page.setContent(
    html(
      text
        .trimEnd()
        .split("\n")
        .slice(0, LINES - 1)
        .join("\n"),
    ),
  );
  const picture = await page.locator("pre").screenshot();
  await page.close();
  const file = join(ROOT, `docs/editor-${name}.png`);
  const { size } = await sharp(picture).png({ palette: true, colors: 64, effort: 10 }).toFile(file);
  console.log(`${file}: ${Math.round(size / 1000)} kB`);
}

try {
  const nvim = process.env.NVIM || "nvim";
  const environment = { SITEGEN_NODE_MODULES: join(ROOT, "node_modules"), SITEGEN_PROGRAM: SITEGEN, SITEGEN_SITE: site.folder };
  const variables = Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const editor = `${nvim} --clean -n -u ${join(ROOT, "tests/editors/pictures.lua")} ${HOME}`;
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    "editor",
    "-x",
    String(COLUMNS),
    "-y",
    String(LINES),
    "-c",
    site.folder,
    ...variables,
    editor,
  );
  tmux("set", "-g", "status", "off");
  tmux("set", "-s", "escape-time", "0");
  const keys = (...words) => tmux("send-keys", "-t", "editor", ...words);
  await shows("kind: hero");
  keys("-l", ":/eyebrow/s/eyebrow/eyebro/");
  keys("Enter");
  keys("-l", ":/See our work/s/page:case-studies/page:case-studie/");
  keys("Enter");
  keys("-l", ":1");
  keys("Enter");
  await shows("unknown key");
  keys("-l", ":/eyebro:/");
  keys("Enter");
  await draw("problem", await shows("did you mean"));
  keys("-l", ":%s/eyebro:/eyebrow:/");
  keys("Enter");
  keys("-l", ":/See our work/s/page:case-studie}/page:}/");
  keys("Enter");
  keys("-l", "f}i");
  keys("C-x");
  keys("C-o");
  await draw("completion", await shows("page:about"));
} finally {
  spawnSync("tmux", ["-L", socket, "kill-server"]);
  await browser.close();
  site.remove();
}
