// What a browser shows right after the first sign-in: node tests/pictures-first.mjs DOOR FOLDER
// DOOR is what `taffrail web --print-url` prints; docs/first-run/pictures.py gives both.
import { chromium } from '@playwright/test';

const [door, folder] = process.argv.slice(2);
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 375, height: 812 };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

async function picture(context, name, go) {
  const page = await context.newPage();
  await go(page);
  await page.getByRole('region', { name: 'Welcome' }).waitFor();
  await page.waitForLoadState('networkidle');
  // Until what cards say was asked for, and moved into place.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `${folder}/${name}.png` });
}

try {
  const first = await browser.newContext({ viewport: WIDE, colorScheme: 'light' });
  await picture(first, 'web', (page) => page.goto(door));
  const storageState = await first.storageState();
  const looks = [['web-dark', WIDE, 'dark'], ['phone', PHONE, 'light'], ['phone-dark', PHONE, 'dark']];
  for (const [name, viewport, colorScheme] of looks) {
    const context = await browser.newContext({ storageState, viewport, colorScheme });
    await picture(context, name, (page) => page.goto(new URL('/', door).href));
    await context.close();
  }
} finally {
  await browser.close();
}
