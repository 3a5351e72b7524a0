// An editor for the language server: the protocol's own client library, and documents in memory.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";
import { ROOT } from "../browser/site.mjs";
import { SITEGEN } from "./site.mjs";

/** How long a test waits for an answer, in milliseconds. The machines of tests are slow at times. */
const PATIENCE = 30_000;

/** The servers that were started. */
const servers = new Set();

/** Ends all servers: a test that fails does not get to stop its own. */
export function stopAll() {
  for (const server of servers) server.kill();
}

/** Starts the server for a folder, and an editor that has it open. */
export async function editor(folder, { root = folder, canMove = true } = {}) {
  const env = { ...process.env, SITEGEN_NODE_MODULES: join(ROOT, "node_modules") };
  const server = spawn(SITEGEN, ["lsp"], { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  servers.add(server);
  let stderr = "";
  server.stderr.on("data", (data) => {
    stderr += data;
  });
  const ended = new Promise((resolve) => server.on("exit", (code) => resolve({ code, stderr })));
  const reader = new StreamMessageReader(server.stdout);
  const writer = new StreamMessageWriter(server.stdin);
  const connection = createProtocolConnection(reader, writer);
  const problems = new Map();
  const waiting = new Set();
  /** Everything that was reported, in order. */
  const reports = [];
  connection.onNotification("textDocument/publishDiagnostics", ({ uri, version, diagnostics }) => {
    const codes = diagnostics.map(({ code }) => code);
    reports.push({ path: fileURLToPath(uri).slice(folder.length + 1), version, codes });
    problems.set(fileURLToPath(uri), diagnostics);
    for (const check of waiting) check();
  });
  const registered = [];
  connection.onRequest("client/registerCapability", ({ registrations }) => {
    registered.push(...registrations);
  });
  connection.listen();
  const uriOf = (path) => pathToFileURL(join(folder, path)).href;
  const capabilities = {
    textDocument: { publishDiagnostics: {} },
    workspace: {
      workspaceEdit: canMove ? { documentChanges: true, resourceOperations: ["rename"] } : {},
      didChangeWatchedFiles: { dynamicRegistration: true },
    },
  };
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "site" }],
  });
  await connection.sendNotification("initialized", {});

  const documents = new Map();
  /** The position of an offset; columns count UTF-16 units, as those of JavaScript do. */
  const positionAt = (text, offset) => {
    const before = text.slice(0, offset).split("\n");
    return { line: before.length - 1, character: before.at(-1).length };
  };
  const offsetAt = (text, { line, character }) => {
    const lines = text.split("\n");
    return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  };
  const textOf = (path) => documents.get(path)?.text ?? readFileSync(join(folder, path), "utf8");
  const applied = (text, edits) =>
    [...edits]
      .sort((a, b) => offsetAt(text, b.range.start) - offsetAt(text, a.range.start))
      .reduce(
        (result, { range, newText }) =>
          result.slice(0, offsetAt(text, range.start)) + newText + result.slice(offsetAt(text, range.end)),
        text,
      );
  /** Waits until `test` holds of the problems of a file, as the editor has them. */
  const until = (path, test, what = "the problems") =>
    new Promise((resolve, reject) => {
      const file = join(folder, path);
      const late = setTimeout(() => {
        waiting.delete(check);
        reject(new Error(`${what} of ${path}: ${JSON.stringify(problems.get(file) ?? [])}\n${stderr}`));
      }, PATIENCE);
      const check = () => {
        if (!test(problems.get(file) ?? [])) return;
        clearTimeout(late);
        waiting.delete(check);
        resolve(problems.get(file) ?? []);
      };
      waiting.add(check);
      check();
    });

  const self = {
    registered,
    connection,
    server,
    ended,
    problems,
    reports,
    textOf,
    until,
    /** Waits for a problem with this code in a file. */
    problem: async (path, code) =>
      (await until(path, (found) => found.some((one) => one.code === code), code)).find((one) => one.code === code),
    /** Waits until a file has no problem. */
    clean: (path) => until(path, (found) => found.length === 0, "no problem"),
    async open(path, text = textOf(path)) {
      documents.set(path, { text, version: 1 });
      const languageId = path.endsWith(".md") ? "markdown" : "yaml";
      const textDocument = { uri: uriOf(path), languageId, version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
    },
    /** Replaces the first `before` in an open document, as if it were typed. */
    async type(path, before, after) {
      const document = documents.get(path);
      const at = document.text.indexOf(before);
      if (at < 0) throw new Error(`no \`${before}\` in ${path}`);
      const range = { start: positionAt(document.text, at), end: positionAt(document.text, at + before.length) };
      document.text = document.text.slice(0, at) + after + document.text.slice(at + before.length);
      document.version += 1;
      const textDocument = { uri: uriOf(path), version: document.version };
      await connection.sendNotification("textDocument/didChange", {
        textDocument,
        contentChanges: [{ range, text: after }],
      });
    },
    /** Writes an open document to its file. */
    async save(path) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), documents.get(path).text);
      await connection.sendNotification("textDocument/didSave", { textDocument: { uri: uriOf(path) } });
    },
    async close(path) {
      documents.delete(path);
      await connection.sendNotification("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
    },
    /** Asks about the place behind the first `before` in a document, plus `shift` characters. */
    ask(method, path, before, rest = {}, shift = before.length) {
      const text = textOf(path);
      const at = text.indexOf(before);
      if (at < 0) throw new Error(`no \`${before}\` in ${path}`);
      const params = { textDocument: { uri: uriOf(path) }, position: positionAt(text, at + shift), ...rest };
      return connection.sendRequest(`textDocument/${method}`, params);
    },
    request: (method, path, rest = {}) =>
      connection.sendRequest(`textDocument/${method}`, { textDocument: { uri: uriOf(path) }, ...rest }),
    /** The labels of the completions behind `before`. */
    async completions(path, before) {
      return (await self.ask("completion", path, before)).map((item) => item.label);
    },
    /** Types what a completion inserts. */
    async complete(path, before, label) {
      const item = (await self.ask("completion", path, before)).find((one) => one.label === label);
      if (!item) throw new Error(`no completion \`${label}\` behind \`${before}\``);
      await self.edit(path, [item.textEdit]);
    },
    /** Applies edits to an open document. */
    async edit(path, edits) {
      const document = documents.get(path);
      const contentChanges = [...edits]
        .sort((a, b) => offsetAt(document.text, b.range.start) - offsetAt(document.text, a.range.start))
        .map(({ range, newText }) => ({ range, text: newText }));
      document.text = applied(document.text, edits);
      document.version += 1;
      const textDocument = { uri: uriOf(path), version: document.version };
      await connection.sendNotification("textDocument/didChange", { textDocument, contentChanges });
    },
    /** The fixes of a problem, by title. */
    async fixes(path, problem) {
      const context = { diagnostics: [problem] };
      const actions = (await self.request("codeAction", path, { range: problem.range, context })) ?? [];
      return new Map(actions.map((action) => [action.title, action.edit.changes[uriOf(path)]]));
    },
    /** Applies an edit of several files to their files, as editors do for files that are not open. */
    async applyEverywhere({ documentChanges }, { tells = true } = {}) {
      for (const change of documentChanges) {
        if (change.kind === "rename") {
          await self.move(fileURLToPath(change.oldUri), fileURLToPath(change.newUri));
        } else {
          const file = fileURLToPath(change.textDocument.uri);
          const path = file.slice(folder.length + 1);
          if (documents.has(path)) {
            await self.edit(path, change.edits);
            await self.save(path);
          } else {
            writeFileSync(file, applied(readFileSync(file, "utf8"), change.edits));
          }
        }
      }
      if (tells) await connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    },
    /** Renames a file or folder, and opens the documents in it again, as editors do. */
    async move(from, to) {
      renameSync(from, to);
      for (const path of [...documents.keys()]) {
        const file = join(folder, path);
        if (file !== from && !file.startsWith(`${from}/`)) continue;
        const { text } = documents.get(path);
        await self.close(path);
        await self.open((to + file.slice(from.length)).slice(folder.length + 1), text);
      }
    },
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const result = await ended;
      connection.dispose();
      return result;
    },
    exists: (path) => existsSync(join(folder, path)),
  };
  return self;
}
