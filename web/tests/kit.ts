// What the browser's tests share: a stage, a browser that is let in, and an eye on what must not happen.
import { test as base, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
// @ts-expect-error Plain modules, used by scripts too.
import { fresh } from './fresh.mjs';
// @ts-expect-error As above.
import { live, write } from './scene.mjs';
// @ts-expect-error As above.
import { Stage } from './stage.mjs';

export { expect, Stage, live, write };

/** Of slow suites a slice runs, one of `parts`, chosen by the seed; TAFFRAIL_FULL=1 runs everything. */
const SEED = Number(process.env.TAFFRAIL_SEED ?? 1);
export const chosen = (at: number, parts: number) => process.env.TAFFRAIL_FULL === '1' || (at + SEED) % parts === 0;

export type Watched = { page: Page; faults: string[] };

/** Notes whatever leaves the origin, breaks the policy, fails in a script or opens a dialog. */
export function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('request', (it) => {
    const url = it.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith(origin.replace('http', 'ws')) && !url.startsWith('blob:')) faults.push(`left the origin: ${url}`);
  });
  page.on('console', (it) => {
    if (/Content Security Policy|Trusted ?Type|violat/i.test(it.text())) faults.push(`policy: ${it.text()}`);
  });
  page.on('pageerror', (it) => faults.push(`script: ${it.message}`));
  page.on('dialog', (it) => { faults.push(`dialog: ${it.message()}`); void it.dismiss(); });
  return faults;
}

/** Says that this browser may act, as its page does when the person at it agrees. */
async function confirm(page: Page): Promise<void> {
  const status = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json', 'x-taffrail-page': '1' };
    return (await fetch('/api/web/confirm', { method: 'POST', headers, body: '{}' })).status;
  });
  expect(status).toBe(200);
}

/** Lets a browser in. It may act, unless that is what is tried. */
export async function enter(context: BrowserContext, stage: { entrance(): string; url: string }, acts = true): Promise<void> {
  await fresh(context);
  const page = await context.newPage();
  await page.goto(stage.entrance());
  await expect(page).toHaveURL(`${stage.url}/`);
  if (acts) await confirm(page);
  await page.close();
}

/** The text of the card that says these words, as soon as it says them: who looks now and then may miss what is gone again. */
export const seen = (page: Page, words: string) => page.evaluate((wanted) => new Promise<string>((done) => {
  const look = () => {
    const card = [...document.querySelectorAll<HTMLElement>('main article')].find((it) => it.innerText.includes(wanted));
    if (card) { eye.disconnect(); done(card.innerText); }
  };
  const eye = new MutationObserver(look);
  eye.observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
}), words);

/** Presses a button that decides, as who reads first does: it is in sight, and has been still. */
export async function press(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  await button.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(button).toBeEnabled();
  await button.click();
}

type Fixtures = { staged: { stage: InstanceType<typeof Stage>; all: Record<string, { id: string; path: string }>; waits: Promise<string>[] } };

/** One stage for all tests: a file leaves no request open. */
export const test = base.extend<object, Fixtures>({
  staged: [async ({}, use) => {
    const stage = await Stage.open();
    const all = write(stage);
    await stage.start();
    const waits = await live(stage, all);
    await use({ stage, all, waits });
    await stage.close();
  }, { scope: 'worker' }],
});
