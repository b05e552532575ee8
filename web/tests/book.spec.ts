// The picture book: every page, light and dark, on a phone, a tablet, a desk and a wide screen, compared with the pictures that
// were accepted. A picture is kept as the brightness of its parts, so that a letter of another font changes little and a box
// that moved changes much. UPDATE_BOOK=1 accepts what there is; the pictures themselves are in test-results/book.
import { test as base, type Browser, type Page } from '@playwright/test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chosen, expect, watch } from './kit';
// @ts-expect-error A plain module, used by scripts too.
import { mock, NOW, ORIGIN } from './mock.mjs';

const ACCEPTED = new URL('book.json', import.meta.url).pathname;
const FOLDER = 'test-results/book';
const PAGES: Record<string, string> = {
  board: '/', sessions: '/sessions', projects: '/projects', project: '/projects?project=%2Fhome%2Fana%2Fsrc%2Fapi-auth', search: '/search', found: '/search?q=token', approvals: '/approvals?mode=list',
  queue: '/approvals?mode=queue', denied: '/approvals?mode=denied', findings: '/findings', usage: '/usage', timeline: '/timeline', feed: '/feed', health: '/health', settings: '/settings', nowhere: '/nopage',
};
const WIDTHS = [375, 768, 1440, 2560];
/** A slice looks at each page in two of its eight pictures. */
const PARTS = 4;
/** A picture is cut into so many columns and rows. */
const [COLUMNS, ROWS] = [32, 20];
/** So much two pictures may differ: the mean of all parts, and the one that differs most, of 255. */
const [MEAN, MOST] = [4, 90];
const accepted: Record<string, string> = existsSync(ACCEPTED) ? JSON.parse(readFileSync(ACCEPTED, 'utf8')) : {};
const seen: Record<string, string> = {};

/** The brightness of each part, two hexadecimal digits each. */
async function parts(reader: Page, picture: Buffer): Promise<string> {
  return reader.evaluate(async ({ data, columns, rows }) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: columns, height: rows });
    const context = canvas.getContext('2d')!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, columns, rows);
    const { data: pixels } = context.getImageData(0, 0, columns, rows);
    let out = '';
    for (let at = 0; at < pixels.length; at += 4) out += Math.round(0.3 * pixels[at]! + 0.59 * pixels[at + 1]! + 0.11 * pixels[at + 2]!).toString(16).padStart(2, '0');
    return out;
  }, { data: picture.toString('base64'), columns: COLUMNS, rows: ROWS });
}

function distance(one: string, other: string): { mean: number; most: number } {
  const values = (text: string) => text.match(/../g)?.map((it) => Number.parseInt(it, 16)) ?? [];
  const [a, b] = [values(one), values(other)];
  const all = a.map((it, at) => Math.abs(it - (b[at] ?? 255)));
  return { mean: all.reduce((sum, it) => sum + it, 0) / Math.max(1, all.length), most: Math.max(0, ...all) };
}

async function pages(browser: Browser, [book, width, colorScheme]: [number, number, 'light' | 'dark'], look: (name: string, page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 812 : Math.round(width * 0.625) }, colorScheme, timezoneId: 'UTC', reducedMotion: 'reduce' });
  await mock(context);
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  const faults = watch(page, ORIGIN);
  for (const [at, [name, path]] of Object.entries(PAGES).entries()) {
    if (!process.env.UPDATE_BOOK && !chosen(at + book, PARTS)) continue;
    await page.goto(ORIGIN + path);
    await page.waitForLoadState('networkidle');
    await expect(page.locator('main')).not.toContainText('Reading…');
    await look(name, page);
  }
  expect(faults).toEqual([]);
  await context.close();
}

const BOOKS = WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const));
for (const [book, [width, colorScheme]] of BOOKS.entries()) {
  base(`every page at ${width}, ${colorScheme}, looks as it was accepted`, async ({ browser }) => {
    base.setTimeout(300_000);
    mkdirSync(FOLDER, { recursive: true });
    const reader = await browser.newPage();
    const changed: string[] = [];
    await pages(browser, [book, width, colorScheme], async (name, page) => {
      const key = `${name} ${width} ${colorScheme}`;
      const picture = await page.screenshot({ path: `${FOLDER}/${key.replaceAll(' ', '-')}.png` });
      seen[key] = await parts(reader, picture);
      const { mean, most } = distance(seen[key], accepted[key] ?? '');
      if (mean > MEAN || most > MOST) changed.push(`${key}: mean ${mean.toFixed(1)}, most ${most}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wide, `${key} is wider than the screen`).toBeLessThanOrEqual(0);
    });
    await reader.close();
    if (process.env.UPDATE_BOOK) {
      const all = Object.entries({ ...accepted, ...seen }).sort(([a], [b]) => a.localeCompare(b));
      writeFileSync(ACCEPTED, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
    } else expect(changed, 'look at test-results/book; UPDATE_BOOK=1 accepts them').toEqual([]);
  });
}
