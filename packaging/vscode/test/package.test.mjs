// What is packed, and what it may do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const here = new URL('..', import.meta.url).pathname;
const text = (folder) => readdirSync(join(here, folder)).map((name) => readFileSync(join(here, folder, name), 'utf8'));
const asked = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));

test('the source is small', () => {
  const lines = text('src').join('').split('\n').length - 1;
  assert.ok(lines < 400, `${lines} lines of TypeScript; at most 399`);
});

test('it needs nothing but node and the editor, and opens no webview', () => {
  const needs = new Set([...text('out').join('').matchAll(/(?:require|import)\(["']([^"']+)["']\)/g)].map(([, name]) => name));
  assert.deepEqual([...needs].filter((it) => !it.startsWith('./')).sort(), ['node:child_process', 'node:fs', 'node:http', 'node:os', 'node:path', 'node:util', 'vscode']);
  assert.doesNotMatch(text('out').join(''), /webview|fetch\(|https:|eval\(|telemetry/i);
  assert.equal(asked.dependencies, undefined);
});

test('it runs where the sessions are, in a folder that is not trusted too, and has no settings and no addresses of its own', () => {
  const { extensionKind, capabilities, contributes, activationEvents } = asked;
  assert.deepEqual(extensionKind, ['workspace', 'ui']);
  assert.equal(capabilities.untrustedWorkspaces.supported, true);
  assert.deepEqual(Object.keys(contributes), ['viewsContainers', 'views', 'viewsWelcome', 'commands', 'menus']);
  assert.deepEqual(activationEvents, ['onStartupFinished']);
});

test('every command is shown with a title, and those of a session only beside it', () => {
  const titled = asked.contributes.commands.map(({ command }) => command).sort();
  assert.deepEqual(titled, ['taffrail.jump', 'taffrail.open', 'taffrail.review', 'taffrail.signIn', 'taffrail.signOut']);
  assert.deepEqual(asked.contributes.menus.commandPalette.map((it) => [it.command, it.when]).sort(), [['taffrail.jump', 'false'], ['taffrail.open', 'false'], ['taffrail.review', 'false']]);
});

test('the package has these files, and the same bytes each time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'taffrail-vsix-'));
  try {
    const pack = (name) => execFileSync('python3', ['-B', join(here, 'pack.py'), join(folder, name)]) && readFileSync(join(folder, name));
    assert.ok(pack('one.vsix').equals(pack('two.vsix')));
    const listed = execFileSync('python3', ['-c', 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))', join(folder, 'one.vsix')], { encoding: 'utf8' });
    const scripts = ['ask', 'daemon', 'extension', 'sign-in', 'terminal', 'words'].map((it) => `extension/out/${it}.js`);
    const rest = ['[Content_Types].xml', 'extension.vsixmanifest', 'extension/LICENSE.txt', 'extension/icon.png', 'extension/media/taffrail.svg', 'extension/package.json', 'extension/readme.md'];
    assert.deepEqual(listed.trim().split('\n').sort(), [...scripts, ...rest].sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
