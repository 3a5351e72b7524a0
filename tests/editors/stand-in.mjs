// A stand-in for the module `vscode`, which exists in the editor only: documents, problems, settings and messages are real,
// and whatever else the client library asks for is an object that takes everything.

import { fileURLToPath, pathToFileURL } from "node:url";

class EventEmitter {
  listeners = new Set();
  event = (listener, self) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }
  dispose() {
    this.listeners.clear();
  }
}

class Disposable {
  constructor(end = () => {}) {
    this.dispose = end;
  }
  static from = (...all) => new Disposable(() => all.forEach((one) => void one.dispose()));
}

class Uri {
  constructor(address) {
    const url = new URL(address);
    this.address = url.href;
    this.scheme = url.protocol.slice(0, -1);
    this.path = decodeURIComponent(url.pathname);
    this.fsPath = this.scheme === "file" ? fileURLToPath(url) : this.path;
    this.authority = url.host;
    this.query = url.search.slice(1);
    this.fragment = url.hash.slice(1);
  }
  static parse = (address) => new Uri(address);
  static file = (path) => new Uri(pathToFileURL(path).href);
  with = ({ scheme }) => new Uri(this.address.replace(/^[a-z]+/, scheme ?? this.scheme));
  toString = () => this.address;
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, ...rest) {
    this.start = rest.length > 0 ? new Position(start, end) : start;
    this.end = rest.length > 0 ? new Position(rest[0], rest[1]) : end;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

/**
 * Whatever is not needed here: a class, a function and an object at once.
 * @returns {any}
 */
function anything(name) {
  const own = class {};
  Object.defineProperty(own, "name", { value: name });
  const known = new Map();
  return new Proxy(own, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "then") return target[key];
      if (!known.has(key))
        known.set(key, /^[A-Z]/.test(key) ? anything(key) : /^on[A-Z]/.test(key) ? new EventEmitter().event : anything(key));
      return known.get(key);
    },
    apply: () => new Disposable(),
  });
}

/** An editor with a folder open. `settings` are those of the extension; `answer` chooses from the buttons of a message. */
export function standIn({ folders, settings = {}, answer = (_message, _buttons) => undefined }) {
  const events = Object.fromEntries(
    ["open", "change", "close", "save", "folders", "configuration"].map((name) => [name, new EventEmitter()]),
  );
  const state = { commands: new Map(), contexts: {}, documents: [], executed: [], log: [], messages: [], problems: new Map() };
  const asFolder = (path, index) => ({ uri: Uri.file(path), name: path.split("/").at(-1), index });
  const workspace = {
    workspaceFolders: folders.map(asFolder),
    get textDocuments() {
      return state.documents;
    },
    notebookDocuments: [],
    fs: {},
    isTrusted: true,
    getConfiguration: (section) => ({
      get: (key, fallback) => settings[section ? `${section}.${key}` : key] ?? fallback,
      has: (key) => `${section}.${key}` in settings,
      inspect: () => undefined,
    }),
    getWorkspaceFolder: (uri) => workspace.workspaceFolders.find((folder) => uri.fsPath.startsWith(`${folder.uri.fsPath}/`)),
    createFileSystemWatcher: () =>
      Object.assign(anything("watcher")(), { onDidCreate: none, onDidChange: none, onDidDelete: none }),
    onDidOpenTextDocument: events.open.event,
    onDidChangeTextDocument: events.change.event,
    onDidCloseTextDocument: events.close.event,
    onDidSaveTextDocument: events.save.event,
    onDidChangeWorkspaceFolders: events.folders.event,
    onDidChangeConfiguration: events.configuration.event,
  };
  const write = (level) => (text) => state.log.push(`${level}: ${text}`);
  const channel = {
    name: "sitegen",
    ...Object.fromEntries(["trace", "debug", "info", "warn", "error", "append", "appendLine"].map((name) => [name, write(name)])),
    onDidChangeLogLevel: none,
    logLevel: 3,
    show: () => state.executed.push("show log"),
    dispose() {},
  };
  const vscode = {
    version: "1.91.0",
    CancellationTokenSource: class {
      token = { isCancellationRequested: false, onCancellationRequested: none };
      cancel() {}
      dispose() {}
    },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    Diagnostic,
    Disposable,
    EventEmitter,
    Position,
    Range,
    Uri,
    env: { language: "en", appName: "stand-in" },
    extensions: { getExtension: () => undefined, all: [], onDidChange: none },
    languages: {
      createDiagnosticCollection: (name) => ({
        name,
        set: (uri, list) => state.problems.set(uri.fsPath, list ?? []),
        delete: (uri) => state.problems.delete(uri.fsPath),
        clear: () => state.problems.clear(),
        dispose: () => state.problems.clear(),
      }),
      match: (selector, document) => (matches(selector, document) ? 10 : 0),
    },
    window: {
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: none, onDidChangeTabGroups: none },
      createOutputChannel: () => channel,
      showErrorMessage: async (message, ...buttons) => {
        state.messages.push(message);
        return answer(
          message,
          buttons.filter((button) => typeof button === "string"),
        );
      },
    },
    workspace,
    commands: {
      registerCommand: (name, run) => {
        state.commands.set(name, run);
        return new Disposable(() => state.commands.delete(name));
      },
      executeCommand: async (name, ...values) => {
        if (name === "setContext") state.contexts[values[0]] = values[1];
        else state.executed.push([name, ...values].join(" "));
      },
    },
  };
  const rest = anything("vscode");
  const deep = (own, more) => new Proxy(own, { get: (target, key) => (key in target ? target[key] : more[key]) });
  for (const name of ["languages", "window", "workspace", "commands", "env"]) vscode[name] = deep(vscode[name], rest[name]);

  return {
    vscode: deep(vscode, rest),
    state,
    settings,
    /** Opens a document, as the editor does. */
    async open(path, languageId, text) {
      const document = { uri: Uri.file(path), languageId, version: 1, text, isUntitled: false, fileName: path, isClosed: false };
      document.getText = () => document.text;
      state.documents.push(document);
      await events.open.fire(document);
      return document;
    },
    /** Replaces the text of a document. */
    async replace(document, text) {
      const lines = document.text.split("\n");
      const range = new Range(0, 0, lines.length - 1, lines.at(-1).length);
      Object.assign(document, { text, version: document.version + 1 });
      await events.change.fire({ document, contentChanges: [{ range, rangeLength: 0, rangeOffset: 0, text }] });
    },
    /** Changes a setting of the extension. */
    async set(name, value) {
      settings[name] = value;
      await events.configuration.fire({ affectsConfiguration: (asked) => name === asked || name.startsWith(`${asked}.`) });
    },
    /** Opens and closes folders. */
    async setFolders(paths) {
      const now = paths.map(asFolder);
      const has = (list, folder) => list.some((one) => one.uri.fsPath === folder.uri.fsPath);
      const before = workspace.workspaceFolders;
      workspace.workspaceFolders = now;
      await events.folders.fire({
        added: now.filter((folder) => !has(before, folder)),
        removed: before.filter((folder) => !has(now, folder)),
      });
    },
  };
}

function none() {
  return new Disposable();
}

// Whether a document has the language and the pattern of a selector, which is `FOLDER/**/*.ENDING`.
function matches(selector, document) {
  return [selector].flat().some(({ language, scheme, pattern }) => {
    const glob = typeof pattern === "string" ? pattern : (pattern?.pattern ?? "/**/*");
    const [folder, rest] = glob.split("/**/*");
    const endings =
      rest
        ?.replace(/^\.\{?|\}$/g, "")
        .split(",")
        .filter(Boolean) ?? [];
    const path = document.uri.fsPath;
    const isEnding = endings.length === 0 || endings.some((ending) => path.endsWith(`.${ending}`));
    return (
      (!language || language === document.languageId) &&
      (!scheme || scheme === document.uri.scheme) &&
      path.startsWith(folder) &&
      isEnding
    );
  });
}
