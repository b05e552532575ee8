// Lists, charts and choices over a daemon of fixed answers: what is long, and what needs a certain state.
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, type Page } from '@playwright/test';
import { expect, watch } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { ARGS } from './fresh.mjs';
// @ts-expect-error As above.
import { mock, NOW, ORIGIN, session } from './mock.mjs';

void ARGS;
type Opened = { page: Page; faults: string[]; open: (path: string, more?: object) => Promise<void> };
const test = base.extend<{ it: Opened }>({
  it: async ({ browser }, use) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'UTC', acceptDownloads: true });
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    const faults = watch(page, ORIGIN);
    const open = async (path: string, more: object = {}) => {
      await mock(context, more);
      await page.goto(ORIGIN + path);
    };
    await use({ page, faults, open });
    expect(faults).toEqual([]);
    await context.close();
  },
});
const rows = (page: Page) => page.locator('[data-row]');
const first = (page: Page) => page.locator('[data-row="0"]');

test('a hundred thousand sessions: few rows are drawn, and the first stand there at once', async ({ it: { page, open } }) => {
  await open('/settings', { sessions: 100_000 });
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  const took = await page.evaluate(async () => {
    const begun = performance.now();
    document.querySelector<HTMLElement>('nav a[href="/sessions"]')?.click();
    while (!document.querySelector('[data-row="0"] a')) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
  });
  console.log(`the list of 100,000 sessions stands after ${Math.round(took)} ms`);
  expect(took).toBeLessThan(1500);
  await expect(page.locator('header')).toContainText('100,000 sessions');
  expect(await rows(page).count()).toBeLessThan(60);
  await expect(page.getByRole('table', { name: 'Sessions' })).toHaveAttribute('aria-rowcount', '100001');
  // Pages far above are dropped, and are there again when they are needed.
  const box = page.getByRole('rowgroup', { name: 'Rows of sessions' });
  for (let step = 0; step < 12; step += 1) {
    await box.evaluate((node) => { node.scrollTop = node.scrollHeight; });
    await expect(rows(page).last()).not.toContainText('Reading…');
  }
  expect(Number(await rows(page).last().getAttribute('data-row'))).toBeGreaterThan(1000);
  expect(await rows(page).count()).toBeLessThan(60);
  await box.evaluate((node) => { node.scrollTop = 0; });
  await expect(first(page)).toContainText(session(0).title);
});

test('a column sorts, a facet narrows, and the address says both', async ({ it: { page, open } }) => {
  await open('/sessions');
  const asked: URL[] = [];
  page.on('request', (it) => { if (it.url().includes('/api/sessions?')) asked.push(new URL(it.url())); });
  await page.getByRole('button', { name: /^Cost/ }).click();
  await expect(page.getByRole('columnheader', { name: /^Cost/ })).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: /^Cost/ }).click();
  await expect(page.getByRole('columnheader', { name: /^Cost/ })).toHaveAttribute('aria-sort', 'ascending');
  await page.getByRole('group', { name: 'Agent' }).getByRole('button', { name: /codex/ }).click();
  await expect(page).toHaveURL(/order=asc.*sort=cost.*agent=codex|sort=cost.*order=asc.*agent=codex/);
  const last = asked.at(-1)?.searchParams;
  expect(Object.fromEntries(last ?? [])).toMatchObject({ sort: 'cost', order: 'asc', agent: 'codex', facets: 'true' });
  await expect(page.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', /\/api\/sessions\.csv\?.*sort=cost/);
  await page.getByLabel('Name this view').fill('Codex, cheapest');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('list', { name: 'Views' }).getByRole('link', { name: 'Latest' }).click();
  await expect(page).toHaveURL(`${ORIGIN}/sessions`);
  await page.reload();
  await page.getByRole('link', { name: 'Codex, cheapest' }).click();
  await expect(page).toHaveURL(/agent=codex/);
  await page.getByRole('button', { name: 'Remove the view Codex, cheapest' }).click();
  await expect(page.getByRole('link', { name: 'Codex, cheapest' })).toHaveCount(0);
});

test('rows are gone through with j and k, starred with s, and named with m', async ({ it: { page, open } }) => {
  const heard: unknown[] = [];
  const state = { tags: [] as string[], starred: false, title: null as string | null };
  const marks = (_: string, body: any) => {
    if (body) heard.push(body);
    if (body && 'starred' in body) state.starred = body.starred;
    if (body?.title) state.title = body.title;
    state.tags = [...state.tags, ...(body?.add ?? [])];
    return { ...state, notes: body?.note ? [{ at: new Date(NOW).toISOString(), text: body.note }] : [] };
  };
  await open('/sessions', { sessions: 1000, marks });
  await expect(first(page)).toContainText(session(0).title);
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await expect(first(page).locator('a[data-item]')).toBeFocused();
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('j');
  await expect(page.locator('[data-row="40"] a[data-item]')).toBeFocused();
  await expect(page.locator('[data-row="40"]')).toBeInViewport();
  await page.keyboard.press('k');
  await page.keyboard.press('s');
  await expect(page.locator('[data-row="39"]').getByRole('button', { name: /^Star/ })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('m');
  const box = page.getByRole('dialog');
  await box.getByLabel('Name', { exact: true }).fill('By hand');
  await box.getByRole('button', { name: 'Rename' }).click();
  await box.getByLabel('New tags').fill('later, #q4');
  await box.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(box.getByRole('group', { name: 'Tags' })).toContainText('#later');
  await box.getByLabel('Note').fill('<b>see</b> the painter');
  await box.getByRole('button', { name: 'Add note' }).click();
  await expect(box.getByRole('list', { name: 'Notes' })).toContainText('<b>see</b> the painter');
  await box.getByRole('button', { name: 'Done' }).click();
  await expect(page.locator('[data-row="39"]')).toContainText('By hand');
  expect(heard).toEqual([{ starred: true }, { title: 'By hand' }, { add: ['later', 'q4'] }, { note: '<b>see</b> the painter' }]);
  await page.keyboard.press('Enter');
});

test('every page and every session is reached from the keyboard', async ({ it: { page, open } }) => {
  await open('/');
  for (const [letter, heading] of [['l', 'Sessions'], ['p', 'Projects'], ['t', 'Timeline'], ['f', 'Findings']] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.type('changelog');
  await expect(page.getByRole('option', { name: /Write the changelog/ }).first()).toBeVisible();
  await expect(page.getByRole('option', { name: /List every session with “changelog”/ })).toBeVisible();
});

test('one request at a time: later puts it off, and a phone begins so', async ({ it: { page, open } }) => {
  await open('/approvals?mode=queue');
  const request = page.locator('article');
  await expect(request).toHaveCount(1);
  await expect(request).toContainText('lexer.rs');
  await expect(request).toContainText('1 of 3');
  await page.keyboard.press('n');
  await expect(request).toContainText('git push --force');
  await expect(request).toContainText('High risk');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await expect(request).toContainText('lexer.rs');
  await page.setViewportSize({ width: 375, height: 812 });
  await page.goto(`${ORIGIN}/approvals`);
  await expect(request).toHaveCount(1);
  await expect(request.getByRole('button', { name: 'Deny' })).toBeInViewport();
  expect((await request.getByRole('button', { name: 'Deny' }).boundingBox())?.y).toBeGreaterThan(400);
  await request.getByRole('button', { name: 'Not now' }).click();
  await expect(request.getByLabel('Reason', { exact: true })).toHaveValue('Not now');
});

test('findings by severity; one is dismissed, and stays so', async ({ it: { page, open } }) => {
  await open('/findings');
  const heads = page.locator('section h2');
  await expect(heads).toHaveText([/Act now/, /Look into it/, /For your information/]);
  await page.locator('.finding', { hasText: 'upload_retries' }).getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.locator('.finding')).toHaveCount(3);
  await page.reload();
  await expect(page.locator('.finding')).toHaveCount(3);
  await page.getByRole('button', { name: /Show dismissed/ }).click();
  await page.getByRole('button', { name: 'Bring back' }).click();
  await page.goto(`${ORIGIN}/findings`);
  await expect(page.locator('.finding')).toHaveCount(4);
});

test('a proposed prompt is sent from where it is shown', async ({ it: { page, open } }) => {
  const sent: unknown[] = [];
  await open('/findings');
  await page.route('**/controls/notify', (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: { id: 'm1', delivery_state: 'accepted', reason: 'the session works' } });
  });
  await page.locator('.finding', { hasText: 'cargo bench' }).getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'queue of the session' })).toBeVisible();
  expect(sent).toEqual([{ text: 'The benchmark fails the same way each time. Read its output before you run it again.', queue: false }]);
});

test('usage of any days, narrowed by what is pressed, beside the period before', async ({ it: { page, open } }) => {
  await open('/usage');
  const asked: Record<string, string>[] = [];
  page.on('request', (it) => { if (it.url().includes('/api/stats?')) asked.push(Object.fromEntries(new URL(it.url()).searchParams)); });
  await expect(page.locator('.figures')).toContainText('▲ 17 %');
  await page.getByLabel('From this day').fill('2026-11-02');
  await expect(page).toHaveURL(/from=2026-11-02&to=2026-11-18/);
  await page.getByRole('button', { name: 'claude-haiku-5' }).click();
  await expect(page).toHaveURL(/model=claude-haiku-5/);
  await expect(page.getByLabel('model', { exact: true })).toHaveValue('claude-haiku-5');
  await expect.poll(() => asked.some((it) => it.since === '2026-11-02T00:00:00.000Z' && it.until === '2026-11-19T00:00:00.000Z' && it.model === 'claude-haiku-5' && it.compare === 'true')).toBe(true);
  await page.locator('rect[data-day="2026-11-10"]').last().click();
  await expect(page).toHaveURL(/from=2026-11-10&to=2026-11-10/);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page).not.toHaveURL(/model=/);
});

test('dragging over the timeline zooms in, hovering says what went on, and idle asks nothing', async ({ it: { page, open } }) => {
  await open('/timeline');
  const lane = page.locator('li[data-lane="1"] svg');
  await expect(lane).toBeVisible();
  const box = (await lane.boundingBox())!;
  await page.mouse.move(box.x + box.width - 4, box.y + 10);
  await expect(page.locator('.tip')).toContainText('Waiting for you');
  await page.mouse.move(box.x + box.width / 2, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 12, { steps: 5 });
  await expect(page.locator('.band')).toBeVisible();
  await page.mouse.up();
  await expect(page).toHaveURL(/width=6h&end=2026-11-18T08/);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect(page).toHaveURL(/width=43200s/);
  await page.getByRole('button', { name: 'Now' }).click();
  await expect(page.locator('header')).toContainText('to now');
});

test('a week of two hundred sessions and a hundred thousand spans is a few hundred marks', async ({ it: { page, open } }) => {
  const spans = Array.from({ length: 500 }, (_, at) => ({ from: NOW - 604_000_000 + at * 1_200_000, to: NOW - 604_000_000 + at * 1_200_000 + 900_000, doing: at % 2 ? 'tool' : 'model' }));
  const lanes = Array.from({ length: 200 }, (_, at) => ({ session: session(at), spans }));
  await open('/settings', { answers: { '/api/activity': () => ({ schema_version: 1, since: '', until: '', more: false, lanes, hours: [] }) } });
  const took = await page.evaluate(async () => {
    const begun = performance.now();
    document.querySelector<HTMLElement>('nav a[href="/timeline"]')?.click();
    while (!document.querySelector('li[data-lane="0"] svg path.model')) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
  });
  console.log(`a timeline of 200 sessions and 100,000 spans stands after ${Math.round(took)} ms`);
  expect(await page.locator('.lanes svg *').count()).toBeLessThan(1000);
});

test('density, colours and motion are kept, and nothing moves when that is asked', async ({ it: { page, open } }) => {
  await open('/settings');
  const high = () => page.getByRole('button', { name: 'compact' }).evaluate((it) => it.getBoundingClientRect().height);
  const before = await high();
  await page.getByRole('button', { name: 'compact' }).click();
  await page.getByRole('button', { name: 'reduced' }).click();
  expect(await high()).toBeLessThan(before);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  await expect(page.locator('html')).toHaveAttribute('data-motion', 'reduced');
});

for (const width of [1440, 375]) for (const colorScheme of ['light', 'dark'] as const) {
  test(`the new pages at ${width}, ${colorScheme}: no serious barrier, nothing wider than the screen`, async ({ it: { page, open } }) => {
    await page.setViewportSize({ width, height: 812 });
    await page.emulateMedia({ colorScheme });
    for (const path of ['/sessions', '/sessions?words=nothing+fits', '/projects', '/projects?project=%2Fhome%2Fana%2Fsrc%2Fapi-auth', '/approvals?mode=queue', '/findings', '/usage?from=2026-11-01&to=2026-11-10', '/timeline?agents=true', '/search', '/settings']) {
      await open(path);
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      const grave = violations.filter((it) => ['serious', 'critical'].includes(it.impact ?? ''));
      expect(grave.map((it) => `${path} ${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html).join(' | ')}`)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), path).toBeLessThanOrEqual(0);
    }
  });
}
