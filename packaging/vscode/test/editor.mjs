// A stub of the `vscode` module, for what cannot run here: it keeps what the extension shows, and the test presses buttons.
// `real.sh` runs the same extension in a real editor.
import Module, { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

class EventEmitter {
  listeners = new Set();
  event = (listener) => (this.listeners.add(listener), { dispose: () => this.listeners.delete(listener) });
  fire(value) { for (const it of this.listeners) it(value); }
  dispose() { this.listeners.clear(); }
}

/** What a test sees of one editor, and does in it. */
export class Editor {
  messages = []; commands = new Map(); contexts = {}; terminals = []; opened = []; texts = []; secrets = new Map(); inputs = [];
  windowState = new EventEmitter(); focused = true; isTrusted = true; folders = []; view = {}; item = { visible: false }; watchers = new Set();

  /** Waits until something is shown. */
  until(condition) {
    return new Promise((done) => {
      const look = () => condition() && (this.watchers.delete(look), done(condition()));
      this.watchers.add(look);
      look();
    });
  }
  note(value) { queueMicrotask(() => this.watchers.forEach((look) => look())); return value; }
  /** A message that waits for a button. */
  message(kind, text, words) {
    const [first] = words;
    const options = typeof first === 'object' ? words.shift() : {};
    return new Promise((done) => this.note(this.messages.push({ kind, text, buttons: words, modal: options.modal ?? false, press: done })));
  }
  get secretStorage() {
    return { get: async (it) => this.secrets.get(it), store: async (it, value) => void this.note(this.secrets.set(it, value)), delete: async (it) => void this.secrets.delete(it) };
  }
  terminal({ name }) {
    const it = { name, shown: 0, text: [], isOpen: true, show: () => this.note((it.shown += 1)), sendText: (text) => it.text.push(text), dispose: () => (it.isOpen = false) };
    this.terminals.push(it);
    return it;
  }
  module() {
    const editor = this;
    return {
      EventEmitter, StatusBarAlignment: { Left: 1 }, TreeItem: class { constructor(label) { this.label = label; } }, ThemeIcon: class { constructor(id) { this.id = id; } },
      Uri: { parse: (it) => it, file: (it) => it },
      env: { remoteName: undefined, asExternalUri: async (it) => it, openExternal: async (it) => void editor.note(editor.opened.push(it)) },
      workspace: { get isTrusted() { return editor.isTrusted; }, getWorkspaceFolder: (path) => editor.folders.find((it) => path.startsWith(it)) },
      commands: {
        registerCommand: (name, act) => (editor.commands.set(name, act), { dispose: () => editor.commands.delete(name) }),
        executeCommand: async (_, key, value) => void editor.note((editor.contexts[key] = value)),
      },
      window: {
        state: { get focused() { return editor.focused; } }, onDidChangeWindowState: editor.windowState.event,
        get terminals() { return editor.terminals; }, createTerminal: (options) => editor.terminal(options),
        showInformationMessage: (text, ...words) => editor.message('information', text, words),
        showWarningMessage: (text, ...words) => editor.message('warning', text, words),
        showErrorMessage: (text, ...words) => editor.message('error', text, words),
        showInputBox: (options) => new Promise((done) => editor.note(editor.inputs.push({ ...options, type: done }))),
        setStatusBarMessage: (text) => editor.note(editor.texts.push(text)),
        createTreeView: (id, { treeDataProvider }) => Object.assign(editor.view, { id, provider: treeDataProvider, dispose() {} }),
        createStatusBarItem: () => Object.assign(editor.item, { show: () => (editor.item.visible = true), hide: () => (editor.item.visible = false), dispose() {} }),
      },
    };
  }
  /** The compiled extension in this editor, each time as new. */
  load(name) {
    const load = Module._load;
    Module._load = (request, ...rest) => (request === 'vscode' ? this.module() : load(request, ...rest));
    try {
      for (const it of Object.keys(require.cache)) if (it.includes('/packaging/vscode/out/')) delete require.cache[it];
      return require(`../out/${name}.js`);
    } finally {
      Module._load = load;
    }
  }
  /** What the view and the status bar show. */
  shown() {
    const rows = this.view.provider.getChildren().map((it) => this.view.provider.getTreeItem(it));
    return { badge: this.view.badge?.value, item: this.item.visible ? this.item.text : '', rows: rows.map((it) => [it.iconPath.id, it.label, it.description]) };
  }
}
