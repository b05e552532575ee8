import { test as base, type BrowserContext, type Page } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { enter, expect, press, Stage, watch } from './kit';

// The agent itself, with a scripted model on loopback: TAFFRAIL_CLAUDE names its program. It needs tmux.
const CLAUDE = process.env.TAFFRAIL_CLAUDE ?? '';
const KEY = 'sk-ant-fake-000000000000000000000000';
const WISH = 'Make the file.';
const QUESTION = 'Ask me for a colour.';
const SLOWLY = 'Think about it for long.';
const QUESTIONS = [{ question: 'Which colour shall it be?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'warm' }, { label: 'Blue', description: 'cold' }] }];

/** Answers each wish with its call, and what came of that with a word. */
function model() {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (it) => { body += it; });
    request.on('end', () => {
      const asked = body ? JSON.parse(body) : {};
      if (!request.url?.includes('/messages') || request.url.includes('count_tokens')) {
        response.setHeader('content-type', 'application/json').end('{"input_tokens":10,"data":[]}');
        return;
      }
      const said = JSON.stringify(asked.messages ?? '');
      const says = (text: string) => ({ block: { type: 'text', text: '' }, delta: { type: 'text_delta', text }, stop: 'end_turn' });
      const knows = (name: string) => asked.tools?.some((it: { name: string }) => it.name === name);
      const call = (name: string, input: object) => ({ block: { type: 'tool_use', id: `toolu_${Date.now()}`, name, input: {} }, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) }, stop: 'tool_use' });
      const answered = () => (said.includes('Blue') && said.includes(QUESTION) ? says('Blue it is.') : says('It is made.'));
      // It is interrupted meanwhile.
      if (said.includes(SLOWLY) && knows('Bash')) return;
      const wanted = said.includes('"tool_result"') ? answered()
        : said.includes(WISH) && knows('Bash') ? call('Bash', { command: 'touch made.txt', description: 'Make it' })
        : said.includes(QUESTION) && knows('AskUserQuestion') ? call('AskUserQuestion', { questions: QUESTIONS }) : says('ok');
      const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
      response.setHeader('content-type', 'text/event-stream').end([
        event('message_start', { message: { id: `msg_${Date.now()}`, type: 'message', role: 'assistant', model: asked.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } } }),
        event('content_block_start', { index: 0, content_block: wanted.block }), event('content_block_delta', { index: 0, delta: wanted.delta }),
        event('content_block_stop', { index: 0 }), event('message_delta', { delta: { stop_reason: wanted.stop, stop_sequence: null }, usage: { output_tokens: 9 } }), event('message_stop', {}),
      ].join(''));
    });
  });
  return new Promise<{ port: number; close: () => void }>((done) => server.listen(0, '127.0.0.1', () => done({ port: (server.address() as { port: number }).port, close: () => server.close() })));
}

type Play = { page: Page; screen: () => string; type: (text: string) => void; project: string; url: string };

/** The agent in a pane, and a page beside it. */
async function played(context: BrowserContext, play: (it: Play) => Promise<void>) {
  expect(CLAUDE, 'TAFFRAIL_CLAUDE names the agent, or it is in the cache').not.toBe('');
  const stage = await Stage.open();
  const talks = await model();
  const project = join(stage.folder, 'project');
  mkdirSync(project);
  mkdirSync(join(stage.home, '.claude'));
  writeFileSync(join(stage.home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] }, projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } } }));
  stage.run('hooks', 'install', '--yes');
  await stage.start();
  // A server of its own where the program looks for the user's.
  const name = `taffrail-${process.pid}-${Date.now()}`;
  const tmux = (...words: string[]) => execFileSync('tmux', ['-L', name, ...words], { env: stage.env, encoding: 'utf8' });
  const screen = () => tmux('capture-pane', '-p', '-t', 'it');
  const env = { ...stage.env, ANTHROPIC_BASE_URL: `http://127.0.0.1:${talks.port}`, ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1', CLAUDE_CODE_MAX_RETRIES: '1', SHELL: '/bin/bash', IS_SANDBOX: '1' };
  try {
    const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'it', '-x', '120', '-y', '40', '-c', project, ...given, CLAUDE, '--permission-mode', 'default');
    await expect.poll(screen, { timeout: 60_000 }).toContain('manual mode on');
    const type = (text: string) => {
      tmux('send-keys', '-t', 'it', '-l', text);
      tmux('send-keys', '-t', 'it', 'Enter');
    };
    await enter(context, stage);
    const page = await context.newPage();
    const faults = watch(page, stage.url);
    await page.goto(`${stage.url}/`);
    await play({ page, screen, type, project, url: stage.url });
    expect(faults).toEqual([]);
  } finally {
    if (process.env.SHOW) console.log(screen());
    // The agent itself is ended: without a terminal it would go on for a while.
    try { process.kill(Number(tmux('display-message', '-p', '-t', 'it', '#{pane_pid}')), 'SIGKILL'); } catch { /* It is gone already. */ }
    try { tmux('kill-server'); } catch { /* It is gone already. */ }
    talks.close();
    await stage.close();
  }
}

base('the real agent waits, is allowed on the page, and goes on', async ({ context }) => {
  await played(context, async ({ page, screen, type, project, url }) => {
    type(WISH);
    const card = page.getByRole('region', { name: 'Needs you' }).locator('article', { hasText: 'touch made.txt' });
    await expect(card).toBeVisible({ timeout: 20_000 });
    await expect.poll(screen, { timeout: 30_000 }).toContain('Do you want to proceed');
    expect(existsSync(join(project, 'made.txt'))).toBe(false);
    await press(card.getByRole('button', { name: 'Approve' }));
    await expect.poll(screen, { timeout: 30_000 }).toContain('It is made.');
    expect(existsSync(join(project, 'made.txt'))).toBe(true);
    // The board follows: the turn is over.
    await expect(page.getByRole('region', { name: 'Your turn' }).locator('article')).toHaveCount(1, { timeout: 30_000 });
    await page.getByRole('region', { name: 'Your turn' }).locator('article a').first().click();
    await page.getByRole('textbox', { name: 'A prompt for this session' }).fill('Thank you for that.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(screen, { timeout: 30_000 }).toContain('Thank you for that.');
    await expect(page.getByRole('status')).toContainText(/taken up|put in/, { timeout: 30_000 });
    await page.goto(`${url}/approvals`);
    await expect(page.getByRole('table')).toContainText('the agent did so', { timeout: 30_000 });
  });
});

base('the real agent asks, is answered on the page by a number, interrupted and ended', async ({ context }) => {
  await played(context, async ({ page, screen, type }) => {
    type(QUESTION);
    const card = page.getByRole('region', { name: 'Needs you' }).locator('article', { hasText: 'Which colour shall it be?' });
    await expect(card.getByRole('group', { name: 'Answers' }).getByRole('button')).toHaveText(['1 Red', '2 Blue'], { timeout: 30_000 });
    await expect.poll(screen, { timeout: 30_000 }).toContain('2. Blue');
    await expect(card.getByRole('button', { name: 'Blue' })).toHaveAttribute('aria-disabled', 'false');
    await card.getByRole('link').first().focus();
    await page.keyboard.press('2');
    await expect.poll(screen, { timeout: 30_000 }).toContain('Blue it is.');
    await page.getByRole('region', { name: 'Your turn' }).locator('article a').first().click({ timeout: 30_000 });
    type(SLOWLY);
    const interrupt = page.getByRole('button', { name: 'Interrupt' });
    await expect(interrupt).toBeVisible({ timeout: 30_000 });
    await expect.poll(screen, { timeout: 30_000 }).toContain('esc to interrupt');
    await interrupt.click();
    await expect(page.getByText('Interrupted.', { exact: true })).toBeVisible({ timeout: 30_000 });
    await expect.poll(screen).not.toContain('esc to interrupt');
    await page.getByRole('button', { name: 'Stop…' }).click();
    await expect(page.getByText(/End the agent, process \d+\?/)).toBeVisible();
    await page.getByRole('button', { name: 'End it' }).click();
    await expect(page.getByText(/was asked to end/)).toBeVisible({ timeout: 30_000 });
    await expect(page.getByRole('button', { name: 'Stop…' })).toHaveCount(0, { timeout: 30_000 });
  });
});
