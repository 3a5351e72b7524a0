// Packs the extension for Visual Studio Code:
//
//   npm run --prefix editors/vscode package -- --out FOLDER [--repository URL]
//
// A .vsix is a ZIP with the files of the extension and two files that describe it. `vsce`, which also writes such files, brings
// 100 packages to publish them; here, esbuild bundles and fflate zips. The version is that of Cargo.toml.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { strToU8, zipSync } from "fflate";
import { ROOT, version } from "../../npm/version.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const USAGE = "usage: npm run --prefix editors/vscode package -- --out FOLDER [--repository URL]";

/** Of each ending in the package, as the format asks for. */
const TYPES = {
  js: "application/javascript",
  json: "application/json",
  md: "text/markdown",
  png: "image/png",
  txt: "text/plain",
  vsixmanifest: "text/xml",
};

const { out, repository } = readArguments();
const own = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
const { scripts: _, private: __, ...manifest } = own;
const source = repository && { repository: { type: "git", url: `${repository}.git` } };
const files = {
  "extension.vsixmanifest": strToU8(description()),
  "[Content_Types].xml": strToU8(contentTypes()),
  "extension/package.json": strToU8(`${JSON.stringify({ ...manifest, ...source, version }, null, 2)}\n`),
  "extension/readme.md": readFileSync(join(HERE, "README.md")),
  "extension/LICENSE.txt": readFileSync(join(ROOT, "LICENSE")),
  "extension/icon.png": readFileSync(join(HERE, own.icon)),
  ...(await bundle()),
};
mkdirSync(out, { recursive: true });
const file = join(out, `sitegen-vscode-${version}.vsix`);
// A fixed time, so that the same sources give the same bytes.
writeFileSync(file, zipSync(files, { level: 9, mtime: "1980-01-01T12:00:00" }));
console.log(file);

function readArguments() {
  try {
    const { values } = parseArgs({ options: { out: { type: "string" }, repository: { type: "string" } } });
    if (!values.out) throw new Error("the option --out is missing");
    // npm runs scripts in the folder of the package.
    return { out: resolve(process.env.INIT_CWD ?? ".", values.out), repository: values.repository };
  } catch (error) {
    console.error(`error: ${error.message}\n${USAGE}`);
    return process.exit(2);
  }
}

/** The extension with its libraries, in one file, and their licenses. The editor brings the module `vscode`. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(HERE, "src/extension.ts")],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    minify: true,
    legalComments: "inline",
    absWorkingDir: ROOT,
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const folders = Object.keys(metafile.inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const notices = [...new Set(folders)].filter(Boolean).sort().map(notice);
  return {
    "extension/dist/extension.js": outputFiles[0].contents,
    "extension/ThirdPartyNotices.txt": strToU8(notices.join("\n")),
  };
}

/** The name, version and license of a library. */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
  const file = readdirSync(join(ROOT, folder)).find((file) => /^licen[sc]e/i.test(file));
  if (!file) throw new Error(`${name} has no file with its license`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(ROOT, folder, file), "utf8").trim()}\n`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function contentTypes() {
  const types = Object.entries(TYPES).map(([ending, type]) => `<Default Extension=".${ending}" ContentType="${type}"/>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types.join("")}</Types>
`;
}

/** What the editor and the marketplace read before they unpack. */
function description() {
  const property = (id, value) => `      <Property Id="Microsoft.VisualStudio.${id}" Value="${escaped(value)}"/>\n`;
  const asset = (type, path) =>
    `    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${path}" Addressable="true"/>\n`;
  const properties = [
    property("Code.Engine", own.engines.vscode),
    property("Code.ExtensionDependencies", ""),
    property("Code.ExtensionPack", ""),
    property("Code.ExtensionKind", own.extensionKind.join(",")),
    property("Code.ExecutesCode", "true"),
    ...(repository
      ? [property("Services.Links.Source", `${repository}.git`), property("Services.Links.GitHub", repository)]
      : []),
    property("Services.GitHubFlavoredMarkdown", "true"),
  ];
  const assets = [
    asset("Code.Manifest", "package.json"),
    asset("Services.Content.Details", "readme.md"),
    asset("Services.Content.License", "LICENSE.txt"),
    asset("Services.Icons.Default", "icon.png"),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${own.name}" Version="${version}" Publisher="${own.publisher}"/>
    <DisplayName>${escaped(own.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(own.description)}</Description>
    <Tags>${escaped(own.keywords.join(","))}</Tags>
    <Categories>${escaped(own.categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${properties.join("")}    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/icon.png</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${assets.join("")}  </Assets>
</PackageManifest>
`;
}
