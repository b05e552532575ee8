// What `real.sh` does in the editor: it looks, signs in, answers, and tries what an agent in a terminal of the editor could try.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BIN, Claude, Stage, uuid } from '../../../web/tests/stage.mjs';

const { TOOLS, NODE24, PICTURES } = process.env;
const { chromium } = createRequire(join(TOOLS, 'playwright/'))('playwright-core');
const SERVER = join(TOOLS, 'code-server/node_modules/code-server/out/node/entry.js');

const stage = await Stage.open();
// Here scripts decide nothing, as for every user who did not allow it.
rmSync(join(stage.env.XDG_CONFIG_HOME, 'taffrail/config.toml'));
const [bin, folder, data] = ['bin', 'home/src', 'editor'].map((it) => join(stage.folder, it));
for (const it of [bin, folder, join(data, 'User')]) mkdirSync(it, { recursive: true });
symlinkSync(BIN, join(bin, 'taffrail'));
// An agent, as far as the kernel can tell: a process with its name.
copyFileSync('/bin/bash', join(bin, 'claude'));
// The editor asks a login shell for the environment of its terminals.
writeFileSync(join(stage.home, '.bash_profile'), `export PATH=${bin}:$PATH PS1='$ '\n`);
Object.assign(stage.env, { PATH: `${bin}:${process.env.PATH}`, SHELL: '/bin/bash' });
const settings = {
  'terminal.integrated.gpuAcceleration': 'off', 'terminal.integrated.shellIntegration.enabled': false, 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off',
  'terminal.integrated.profiles.linux': { plain: { path: '/bin/bash', args: ['--norc', '--noprofile'] } }, 'terminal.integrated.defaultProfile.linux': 'plain', 'chat.disableAIFeatures': true,
};
writeFileSync(join(data, 'User/settings.json'), JSON.stringify(settings));

const session = (number, name, title) => new Claude(stage, { id: uuid(number), cwd: join(folder, name), title, start: Date.now() - 60_000 }).asks(title);
const all = [session(1, 'api-auth', 'Make the refresh test pass'), session(2, 'billing', 'Publish the invoice fix'), session(3, 'docs-site', 'Move the site'), session(4, 'etl', 'Backfill October'), session(5, 'a-project-with-a-rather-long-name', 'Print digits')];
const [auth, billing, docs, etl] = all;
const bash = (command, more) => ({ tool_name: 'Bash', tool_input: { command, ...more } });
const json = (...words) => JSON.parse(stage.run(...words, '--json'));
const until = async (what, look) => {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited in vain: ${what}`);
};
const passed = [];
const holds = (what, is) => { assert.ok(is, what); passed.push(what); console.log(`real: ${what}`); };

stage.children.push(spawn(BIN, ['daemon', 'run'], { env: stage.env, cwd: stage.home, stdio: 'ignore' }));
await until('the daemon', () => { try { return json('daemon', 'status').running; } catch { return false; } });
await stage.hook(docs, 'PreToolUse', { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which base path should the site use?' }] }, tool_use_id: 'toolu_x' });
void stage.hook(billing, 'PermissionRequest', bash('git push --force origin feat/x'));

const port = await new Promise((done) => { const it = createServer().listen(0, '127.0.0.1', () => { const { port: free } = it.address(); it.close(() => done(free)); }); });
const server = (...words) => [NODE24, [SERVER, '--user-data-dir', data, '--extensions-dir', join(data, 'extensions'), ...words], { env: stage.env, cwd: stage.home }];
const [node, words, options] = server('--install-extension', join(TOOLS, 'taffrail.vsix'));
assert.match(execFileSync(node, words, { ...options, encoding: 'utf8' }), /successfully installed/);
const serving = server('--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check');
stage.children.push(spawn(serving[0], serving[1], { ...serving[2], stdio: 'ignore' }));
await until('code-server', () => fetch(`http://127.0.0.1:${port}/healthz`).then((it) => it.ok, () => false));

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
let pictures = 0;
const picture = async (name) => {
  // Messages fade in.
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(PICTURES, `${(pictures += 1)}-${name}.png`) });
};
try {
  await run();
  console.log(`${passed.length} passed, 0 failed; pictures in ${PICTURES}`);
} catch (error) {
  await picture('failed');
  throw error;
} finally {
  await browser.close();
  await stage.close();
}

/** A message of the editor that has a text. */
function toast(text) { return page.locator('.notifications-toasts .notification-list-item', { hasText: text }); }
/** Presses a button of a message, as who reads first does. */
async function press(message, name) {
  await page.waitForTimeout(700);
  await message.getByRole('button', { name, exact: true }).click();
}
async function command(name) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill(`>${name}`);
  await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
  await page.keyboard.press('Enter');
}
/** The text of the terminal in front, with wrapped lines joined. */
async function terminal() { return (await page.locator('.terminal-wrapper.active .xterm-rows > div').allInnerTexts()).map((it) => it.trimEnd()).join('').replaceAll('\u00a0', ' '); }

async function run() {
  await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
  const item = page.locator('.statusbar-item', { hasText: 'need you' });
  await item.waitFor();
  const restricted = page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
  await restricted.waitFor();
  holds('in a folder that is not trusted the status bar says who needs the user', (await item.innerText()).includes('2 need you'));
  const badge = page.locator('.activitybar .action-item', { has: page.locator('[aria-label^="Taffrail"]') }).locator('.badge-content');
  holds('the activity bar has the badge', (await badge.innerText()) === '2');
  await item.click();
  await page.locator('.monaco-list-row', { hasText: 'Publish the invoice fix' }).waitFor();
  await picture('view');

  await page.locator('.monaco-list-row', { hasText: 'Publish the invoice fix' }).click();
  const risky = toast('It looks risky: open to read.');
  await risky.waitFor();
  holds('a risky request has only Open', (await risky.locator('.monaco-button').allInnerTexts()).join() === 'Open');
  await picture('risky');
  await risky.locator('.codicon-notifications-clear').click();
  // Terminals need trust.
  await restricted.click();
  await page.getByRole('button', { name: 'Trust', exact: true }).first().click();
  await restricted.waitFor({ state: 'hidden' });
  await command('View: Close Editor');

  const answer = stage.hook(auth, 'PermissionRequest', bash('npm test -- --runInBand', { description: 'Run the tests' }));
  const asked = toast('claude-code in api-auth asks to run: npm test -- --runInBand');
  await asked.waitFor();
  await picture('request');
  holds('a new request is a message with the whole command', (await asked.locator('.monaco-button').allInnerTexts()).join() === 'Open,Deny,Allow');
  await press(asked, 'Allow');
  await press(toast('Sign in to answer requests from here.'), 'Sign in');
  const input = page.locator('.quick-input-widget input');
  await input.waitFor();
  const address = await until('the address', async () => /http:\/\/[0-9a-f]{32}\.localhost:\d+\/enter\?code=[0-9a-f]{64}/.exec(await terminal())?.[0]);
  await picture('sign-in');
  await input.fill(address);
  await page.keyboard.press('Enter');
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'May this editor answer requests as you?' });
  await dialog.waitFor();
  await picture('confirm');
  await dialog.getByRole('button', { name: 'It may' }).click();
  await asked.waitFor();
  holds('signing in decides nothing', json('approvals').approvals.every((it) => it.state === 'pending'));
  await press(asked, 'Allow');
  const out = await answer;
  holds('the hook prints "behavior":"allow"', out.includes('"behavior":"allow"'));
  await until('the decision', async () => (await item.innerText()).includes('2 need you'));
  await picture('allowed');

  const long = `printf %s ${'0123456789'.repeat(23)}`.slice(0, 240);
  void stage.hook(all[4], 'PermissionRequest', bash(long));
  const whole = toast('claude-code in a-project-with-a-rather-long-name asks to run: printf');
  await whole.waitFor();
  await picture('long');
  const said = whole.locator('.notification-list-item-message');
  const fits = await said.evaluate((it) => [it.scrollWidth <= it.clientWidth, it.scrollHeight <= it.clientHeight + 1, it.innerText]);
  holds('the longest command is all in sight', fits[0] && fits[1] && fits[2].endsWith(long));
  await press(whole, 'Deny');

  void stage.hook(etl, 'PermissionRequest', bash('echo [Allow](command:workbench.action.closeWindow)'));
  const open = toast('claude-code in etl asks for approval (Bash). Open to read.');
  await open.waitFor();
  holds('a command that holds a link is not shown', (await open.locator('a').count()) === 0 || !(await open.innerText()).includes('closeWindow'));
  const [opened] = await Promise.all([context.waitForEvent('page'), press(open, 'Open')]);
  await opened.waitForLoadState();
  holds('Open opens the page of the session', opened.url().startsWith(new URL(address).origin));
  await opened.close();
  await page.bringToFront();

  await agents();
}

/** What an agent in a terminal of this editor could try, and how the user finds its terminal. */
async function agents() {
  const payload = (it, command) => JSON.stringify({ session_id: it.id, transcript_path: it.path, cwd: it.cwd, permission_mode: 'default', hook_event_name: 'PermissionRequest', ...bash(command) });
  const script = join(stage.folder, 'agent.sh');
  const tries = ['approve', 'web --print-url', 'token --show'].map((it) => `taffrail ${it} >/dev/null 2>&1; echo "tried ${it.split(' ')[0]} $?."`);
  writeFileSync(join(stage.folder, 'ask.json'), payload(auth, 'npm run lint'));
  writeFileSync(script, `taffrail hook claude-code <${stage.folder}/ask.json & sleep 1\n${tries.join('\n')}\necho "the end"; wait\n`);
  await command('Terminal: Create New Terminal');
  await page.locator('.terminal-wrapper.active .xterm-rows').waitFor();
  await until('a prompt', async () => (await terminal()).includes('$'));
  await page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
  await page.keyboard.type(`claude ${script}\n`);
  const seen = await until('the agent', async () => { const it = await terminal(); return it.includes('the end') && it; });
  const codes = [...seen.matchAll(/tried (\w+) (\d+)\./g)].map(([, name, code]) => `${name} ${code}`);
  holds(`an agent in a terminal of the editor is refused: ${codes.join(', ')}`, codes.join() === 'approve 6,web 6,token 6');
  await picture('agent');
  const lint = toast('claude-code in api-auth asks to run: npm run lint');
  await lint.waitFor();
  await command('Terminal: Create New Terminal');
  const row = page.locator('.monaco-list-row', { hasText: 'Make the refresh test pass' });
  await row.hover();
  await row.locator('[aria-label="Go to Its Terminal"]').click();
  await until('its terminal', async () => (await terminal()).includes('the end'));
  holds('a session leads to its terminal of this window', true);
  await press(lint, 'Deny');
  await until('the denial', () => json('approvals', 'log').decisions.length === 3);
  const by = json('approvals', 'log').decisions.map((it) => `${it.decision} by ${it.by}`);
  holds(`the log says who decided: ${by.join(', ')}`, by.sort().join() === 'allow by web,deny by web,deny by web');
  await picture('denied');
  await inTmux();
}

/** An agent in tmux: a new terminal attaches, and the next time that one is shown. */
async function inTmux() {
  const socket = join(stage.folder, 'tmux');
  const tmux = (...words) => execFileSync('tmux', ['-f', '/dev/null', '-S', socket, ...words], { env: stage.env, encoding: 'utf8' });
  writeFileSync(join(stage.folder, 'stop.json'), JSON.stringify({ session_id: docs.id, transcript_path: docs.path, cwd: docs.cwd, hook_event_name: 'PreToolUse', tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which base path should the site use?' }] }, tool_use_id: 'toolu_y' }));
  try {
    tmux('new-session', '-d', '-s', 'first', 'cat');
    tmux('new-session', '-d', '-s', 'work', `claude -c 'taffrail hook claude-code <${stage.folder}/stop.json; echo in the pane; read line; true'`);
    await until('the pane', () => json('ls').sessions.find((it) => it.id && it.executor?.startsWith('tmux:')));
    // The row has its new place.
    await page.waitForTimeout(1000);
    const row = page.locator('.monaco-list-row', { hasText: 'Move the site' });
    const jump = async () => { await row.hover(); await row.locator('[aria-label="Go to Its Terminal"]').click(); };
    await jump();
    await until('the pane in a terminal', async () => (await terminal()).includes('in the pane'));
    holds('a session in tmux is attached in a new terminal', tmux('list-clients', '-F', '#{client_session}').trim() === 'work');
    await picture('tmux');
    tmux('switch-client', '-c', tmux('list-clients', '-F', '#{client_name}').trim(), '-t', 'first');
    await command('Terminal: Create New Terminal');
    await jump();
    await until('the client in the pane', () => tmux('list-clients', '-F', '#{client_session}').trim() === 'work');
    await until('that terminal', async () => (await terminal()).includes('in the pane'));
    holds('a client that is open is shown, and switched to the pane', true);
  } finally {
    tmux('kill-server');
  }
}
