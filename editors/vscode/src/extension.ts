// The extension for Visual Studio Code: starts `sitegen lsp` for each folder that holds a site, and stops it with the folder.

import type { WorkspaceFolder } from "vscode";
import { commands, type Disposable, type ExtensionContext, type LogOutputChannel, Uri, window, workspace } from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { findProgram, findSite } from "./find";

/** The servers that run, by the address of their folder. */
const clients = new Map<string, LanguageClient>();
/** One change at a time: a folder may be closed while its server is started. */
let queue: Promise<unknown> = Promise.resolve();
let log: LogOutputChannel;

export async function activate(context: ExtensionContext): Promise<void> {
  log = window.createOutputChannel("sitegen", { log: true });
  const listeners: Disposable[] = [
    log,
    commands.registerCommand("sitegen.restart", () => enqueue(restart)),
    commands.registerCommand("sitegen.showLog", () => log.show()),
    workspace.onDidChangeWorkspaceFolders(({ added, removed }) =>
      enqueue(async () => {
        await Promise.all(removed.map(stop));
        await Promise.all(added.map(start));
      }),
    ),
    workspace.onDidChangeConfiguration((change) => {
      const isOwn = ["sitegen.path", "sitegen.strict"].some((name) => change.affectsConfiguration(name));
      if (isOwn) enqueue(restart);
    }),
  ];
  context.subscriptions.push(...listeners);
  await commands.executeCommand("setContext", "sitegen.active", true);
  await enqueue(() => Promise.all((workspace.workspaceFolders ?? []).map(start)));
}

export async function deactivate(): Promise<void> {
  await enqueue(stopAll);
}

function enqueue(change: () => Promise<unknown>): Promise<unknown> {
  queue = queue.then(change).catch((error: unknown) => log.error(String(error)));
  return queue;
}

async function restart(): Promise<void> {
  await stopAll();
  await Promise.all((workspace.workspaceFolders ?? []).map(start));
}

async function stopAll(): Promise<void> {
  await Promise.all([...clients.keys()].map(stopAt));
}

const stop = (folder: WorkspaceFolder) => stopAt(folder.uri.toString());

async function stopAt(key: string): Promise<void> {
  const client = clients.get(key);
  clients.delete(key);
  await client?.dispose();
}

/** Starts the server for a folder, if it holds a site. */
async function start(folder: WorkspaceFolder): Promise<void> {
  const key = folder.uri.toString();
  if (folder.uri.scheme !== "file" || clients.has(key)) return;
  const open = folder.uri.fsPath;
  const site = await findSite(open);
  if (site === undefined) return;
  const settings = workspace.getConfiguration("sitegen", folder.uri);
  const found = await findProgram(site, open, settings.get("path", ""));
  if ("problem" in found) {
    log.error(`${found.problem} ${found.hint}`);
    // Not awaited: it is answered when somebody reads it.
    void explain(found.problem, found.hint);
    return;
  }
  const args = ["lsp", "--root", site, ...(settings.get("strict", false) ? ["--strict"] : [])];
  log.info(`${found.program} ${args.join(" ")}`);
  const server: ServerOptions = {
    command: found.program,
    args,
    // npm's scripts on Windows run in a shell only.
    options: { cwd: site, shell: found.program.endsWith(".cmd") },
  };
  const below = `${site.replaceAll("\\", "/")}/**/*`;
  const options: LanguageClientOptions = {
    workspaceFolder: { ...folder, uri: Uri.file(site) },
    documentSelector: [
      { scheme: "file", language: "yaml", pattern: `${below}.{yaml,yml}` },
      { scheme: "file", language: "markdown", pattern: `${below}.md` },
    ],
    outputChannel: log,
    diagnosticCollectionName: "sitegen",
  };
  const client = new LanguageClient("sitegen", "sitegen", server, options);
  clients.set(key, client);
  try {
    await client.start();
  } catch (error) {
    clients.delete(key);
    log.error(`${found.program} could not be started: ${String(error)}`);
    void explain(`The language server ${found.program} could not be started.`, "The log says why.");
  }
}

/** Shows a problem, with what to do about it. */
async function explain(problem: string, hint: string): Promise<void> {
  const [settings, again, details] = ["Open Settings", "Try Again", "Show Log"];
  const chosen = await window.showErrorMessage(`${problem} ${hint}`, settings, again, details);
  if (chosen === settings) await commands.executeCommand("workbench.action.openSettings", "sitegen.path");
  if (chosen === again) await enqueue(restart);
  if (chosen === details) log.show();
}
