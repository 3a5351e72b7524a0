// Where the site is, and the program that reads it. Without the editor, so that tests can ask it anything.

import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";

const NAME = process.platform === "win32" ? "sitegen.exe" : "sitegen";
/** npm writes a script beside the link on Windows. */
const INSTALLED = process.platform === "win32" ? "sitegen.cmd" : "sitegen";

/** What the settings of the editor write for the folder that is open. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the editor fills it in, as in its own settings
const WORKSPACE_FOLDER = "${workspaceFolder}";

/** What was found, or why nothing was: a sentence for the person who opened the folder, and what to do. */
export type Found = { program: string } | { problem: string; hint: string };

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isProgram(path: string): Promise<boolean> {
  if (!(await isFile(path))) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

const isSite = (folder: string) => isFile(join(folder, "content/site.yaml"));

/** The folder of the site: the one that is open, or one right below it. */
export async function findSite(folder: string): Promise<string | undefined> {
  if (await isSite(folder)) return folder;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== "node_modules").map((entry) => entry.name);
  for (const name of names.sort()) {
    if (await isSite(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/**
 * The program for a site: the one of the setting, else the one that npm installed for the site or above it, else the first one
 * in `PATH`. A setting that is wrong is a problem: another version would report other mistakes.
 */
export async function findProgram(site: string, open: string, setting: string, path = process.env.PATH ?? ""): Promise<Found> {
  const written = setting.trim().replaceAll(WORKSPACE_FOLDER, open);
  if (written !== "") {
    const program = isAbsolute(written) ? written : resolve(open, written);
    if (await isProgram(program)) return { program };
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    const what = isThere ? "is not a program that can be started" : "does not exist";
    return { problem: `The setting sitegen.path names ${program}, which ${what}.`, hint: "Correct the setting, or clear it." };
  }
  for (let folder = site; ; folder = dirname(folder)) {
    const program = join(folder, "node_modules/.bin", INSTALLED);
    if (await isProgram(program)) return { program };
    if (dirname(folder) === folder) break;
  }
  for (const folder of path.split(delimiter).filter((folder) => isAbsolute(folder))) {
    if (await isProgram(join(folder, NAME))) return { program: join(folder, NAME) };
  }
  return {
    problem: "sitegen is not installed: it is neither in node_modules of this site nor in PATH.",
    hint: "Run `npm install` in the folder of the site, or name the program in the setting sitegen.path.",
  };
}
