import { AxeBuilder } from '@axe-core/playwright';
import { enter, expect, test, watch } from './kit';

const PAGES = ['/', '/sessions', '/projects', '/projects?project=%2Fhome%2Fana%2Fsrc%2Fapi-auth', '/approvals', '/approvals?mode=queue', '/search', '/search?q=token', '/timeline', '/usage', '/feed', '/findings', '/health', '/settings'];

for (const width of [1440, 375]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page at ${width}, ${colorScheme}: no fault, no serious barrier`, async ({ browser, staged }) => {
      const context = await browser.newContext({ viewport: { width, height: width < 500 ? 812 : 900 }, colorScheme });
      await enter(context, staged.stage);
      const page = await context.newPage();
      const faults = watch(page, staged.stage.url);
      await page.goto(`${staged.stage.url}/`);
      const card = page.locator('[data-session]').first();
      await expect(card).toBeVisible();
      const session = `/session/${await card.getAttribute('data-session')}`;
      for (const path of [...PAGES, session]) {
        await page.goto(staged.stage.url + path);
        await expect(page.locator('main')).not.toContainText('Reading…');
        await page.waitForLoadState('networkidle');
        const { violations } = await new AxeBuilder({ page }).analyze();
        const grave = violations.filter((it) => ['serious', 'critical'].includes(it.impact ?? ''));
        expect(grave.map((it) => `${path} ${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html).join(' | ')}`)).toEqual([]);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wide, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
      }
      expect(faults).toEqual([]);
      await context.close();
    });
  }
}

test('a phone shows who needs you, and folds the rest', async ({ page, staged }) => {
  await page.setViewportSize({ width: 375, height: 812 });
  await enter(page.context(), staged.stage);
  await page.goto(`${staged.stage.url}/`);
  await expect(page.getByRole('region', { name: 'Needs you' }).locator('article').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Working/ })).toHaveAttribute('aria-expanded', 'false');
  await page.waitForLoadState('networkidle');
  await expect(page.locator('main h2 button[aria-expanded="true"]')).toHaveCount(0);
});

test('a browser that did not enter sees how to, and nothing else', async ({ browser, staged }) => {
  const page = await browser.newPage();
  const answer = await page.goto(`${staged.stage.url}/approvals`);
  expect(answer?.status()).toBe(401);
  await expect(page.locator('body')).toContainText('taffrail web');
  await page.close();
});

test('the file that taffrail web opens lets the browser in', async ({ browser, staged }) => {
  const { execFileSync } = await import('node:child_process');
  const { readFileSync, readdirSync, statSync } = await import('node:fs');
  // A browser that only notes what it was asked to open.
  execFileSync((await import('./stage.mjs' as string)).BIN, ['web'], { env: { ...staged.stage.env, BROWSER: 'true' } });
  const folder = `${staged.stage.env.XDG_RUNTIME_DIR}/taffrail`;
  const name = readdirSync(folder).find((it) => it.endsWith('.html'));
  expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${folder}/${name}`, 'utf8')).toContain('method="post"');
  const page = await browser.newPage();
  await page.goto(`file://${folder}/${name}`);
  await expect(page.getByRole('navigation')).toBeVisible();
  await expect(page).toHaveURL(`${staged.stage.url}/`);
  await page.close();
});
