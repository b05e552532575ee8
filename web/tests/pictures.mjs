// Makes the pictures of the documentation from the running program: node tests/pictures.mjs FOLDER
import { mkdirSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { ARGS, fresh } from './fresh.mjs';
import { live, write } from './scene.mjs';
import { Stage } from './stage.mjs';

const folder = process.argv[2] ?? '../docs/pictures';
mkdirSync(folder, { recursive: true });
const stage = await Stage.open();
const all = write(stage);
await stage.start();
await live(stage, all);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
const first = await browser.newContext();
await fresh(first);
const door = await first.newPage();
await door.goto(stage.entrance());
const storageState = await first.storageState();

async function picture(name, path, { width = 1280, height = 800, colorScheme = 'light', act } = {}) {
  const context = await browser.newContext({ storageState, viewport: { width, height }, colorScheme });
  await fresh(context);
  const page = await context.newPage();
  await page.goto(stage.url + path);
  await page.waitForLoadState('networkidle');
  await act?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}/${name}.png` });
  await context.close();
}

const page = await first.newPage();
await page.goto(`${stage.url}/`);
await page.getByText('3 need you').waitFor();
const link = await page.getByRole('link', { name: /Make the refresh test pass/ }).getAttribute('href');
await picture('board', '/');
await picture('session', link, { colorScheme: 'dark' });
await picture('approvals', '/approvals');
await picture('sessions', '/sessions');
await picture('timeline', '/timeline?width=1h', { colorScheme: 'dark' });
await picture('usage', '/usage', { height: 900 });
await picture('phone', '/', { width: 375, height: 720, colorScheme: 'dark' });

// Every page a newcomer sees, wide and narrow, light and dark: ALL=1 node tests/pictures.mjs FOLDER
async function everything() {
  const card = link.split('/').pop();
  const pages = { board: '/', sessions: '/sessions', projects: '/projects', approvals: '/approvals', session: `/session/${card}`, search: '/search?q=token', usage: '/usage', timeline: '/timeline?width=24h', settings: '/settings', health: '/health' };
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1440, 375]) {
      for (const [name, path] of Object.entries(pages)) await picture(`${name}-${width}-${colorScheme}`, path, { width, height: width < 500 ? 812 : 900, colorScheme });
    }
  }
}
if (process.env.ALL) await everything();
await browser.close();
await stage.close();
