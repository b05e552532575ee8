// Going about the pages: long sessions, the keyboard, the way back, and what is asked of the daemon meanwhile.
import { test as base, type Page } from '@playwright/test';
import { mkdirSync } from 'node:fs';
import { enter, expect, press, Stage, watch } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { Claude, uuid } from './stage.mjs';

const TURNS = 620;
const DAY = 86_400_000;
type Staged = { stage: any; long: any };

/** A home with one long session of three days, one with sub-agents, and many short ones that are long over. */
const test = base.extend<object, { staged: Staged }>({
  staged: [async ({}, use) => {
    const stage = await Stage.open();
    const now = Date.now();
    const long = new Claude(stage, { id: uuid(7001), cwd: '/w/monolith', start: now - 3 * DAY, title: 'The long one' });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      long.asks(`Do part ${turn} of it.`).wait(40).calls('Bash', { command: `make part-${turn}` }).wait(100).result('ok\nfine').wait(20).says(`Part ${turn} is **done**.`).wait(240);
    }
    const parent = new Claude(stage, { id: uuid(7002), cwd: '/w/family', start: now - 20 * DAY, title: 'Ask three helpers' });
    parent.asks('Ask helpers.').wait(5).says('They are at it.');
    const folder = `${parent.path.replace('.jsonl', '')}/subagents`;
    mkdirSync(folder, { recursive: true });
    for (const number of [1, 2, 3]) {
      const helper = new Claude(stage, { id: uuid(7002), cwd: '/w/family', start: now - 20 * DAY + 1000 });
      Object.assign(helper, { path: `${folder}/agent-a${number}.jsonl`, count: number * 100 });
      helper.line({ type: 'user', isSidechain: true, agentId: `a${number}`, message: { role: 'user', content: `Look at part ${number}.` } }).wait(9).says(`Part ${number} is fine.`);
    }
    for (let number = 0; number < 90; number += 1) {
      const it = new Claude(stage, { id: uuid(7100 + number), cwd: `/w/old-${number}`, start: now - (25 + number / 10) * DAY, title: number === 89 ? 'Untangle the ancient quokka' : `Old work ${number}` });
      it.asks('Work.').wait(3).says('It failed because **two callers** met.');
    }
    await stage.start();
    stage.run('index');
    await use({ stage, long });
    await stage.close();
  }, { scope: 'worker' }],
});

async function opened(page: Page, staged: Staged, path: string) {
  await enter(page.context(), staged.stage);
  const faults = watch(page, staged.stage.url);
  page.on('console', (it) => { if (it.type() === 'error') faults.push(it.text()); });
  await page.goto(staged.stage.url + path);
  return faults;
}
const idOf = (staged: Staged, title: string): string => JSON.parse(staged.stage.run('ls', '--all', '--json')).sessions.find((it: any) => it.title === title).id;
/** Goes to the beginning of the turn that is read, and says which that is. */
async function gone(page: Page): Promise<number> {
  await page.keyboard.press('[');
  // The address has the turn at once, the transcript a little later: what stood there before is not read.
  const turn = await page.evaluate(() => Number(new URLSearchParams(location.search).get('turn')));
  await expect(page.locator('article.chosen .who')).toContainText(`Turn ${turn}`);
  return turn;
}
const reading = (page: Page) => page.getByRole('feed', { name: 'Transcript' });
/** Waits until the end of the long session is there: a key before that moves nothing. */
const readable = (page: Page) => expect(reading(page)).toContainText(`Part ${TURNS} is done.`);

test('[ and ] go from turn to turn, one at a time, also at the end', async ({ page, staged }) => {
  const faults = await opened(page, staged, `/session/${idOf(staged, 'The long one')}`);
  await readable(page);
  const at = async (turn: number) => expect(page.locator('article.chosen')).toContainText(`Turn ${turn}`);
  const first = await gone(page);
  for (const back of [1, 2, 3]) { await page.keyboard.press('['); await at(first - back); }
  for (let turn = first - 2; turn <= TURNS; turn += 1) { await page.keyboard.press(']'); await at(turn); }
  expect(faults).toEqual([]);
});

test('the strip of a long session fits its place, on a phone too', async ({ page, staged }) => {
  await opened(page, staged, `/session/${idOf(staged, 'The long one')}`);
  for (const width of [1440, 375]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.locator('.turnbar').first()).toBeVisible();
    const right = () => page.locator('.turnbar').last().evaluate((it) => it.getBoundingClientRect().right);
    await expect.poll(right).toBeLessThanOrEqual(width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test('a page that is left asks nothing again', async ({ page, staged }) => {
  const faults = await opened(page, staged, '/usage');
  await expect(page.getByRole('heading', { name: 'By project' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (it) => asked.push(new URL(it.url()).pathname));
  await page.getByRole('link', { name: 'Health' }).click();
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.filter((it) => /stats|activity|sessions/.test(it))).toEqual([]);
  await page.goto(`${staged.stage.url}/search?q=quokka`);
  await page.getByRole('link', { name: /quokka/ }).first().click();
  await expect(reading(page)).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Search', { exact: true })).toBeVisible();
  expect(asked).not.toContain('/api/sessions/');
  expect(faults).toEqual([]);
});

test('the link to the content leads there, titles name the page, and the focus follows', async ({ page, staged }) => {
  await opened(page, staged, '/');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await expect(page).toHaveTitle(/Board · Taffrail/);
  await page.getByRole('link', { name: 'Health' }).click();
  await expect(page).toHaveTitle(/Health · Taffrail/);
  await expect(page.locator('main')).toBeFocused();
  await page.goto(`${staged.stage.url}/session/${idOf(staged, 'Ask three helpers')}`);
  await expect(page).toHaveTitle(/Ask three helpers · Taffrail/);
  await page.goto(`${staged.stage.url}/nopage`);
  await expect(page.locator('main')).toContainText('No page has this address');
});

test('sub-agents of a session that is over are linked, and their tokens are said', async ({ page, staged }) => {
  await opened(page, staged, `/session/${idOf(staged, 'Ask three helpers')}`);
  const lineage = page.locator('aside section', { hasText: 'Lineage' });
  await expect(lineage.getByRole('link')).toHaveCount(3);
  await expect(page.locator('p.facts')).toContainText(/tokens, and .* in 3 sub-agents/);
  await lineage.getByRole('link').first().click();
  await expect(page.locator('aside section', { hasText: 'Lineage' })).toContainText('Works for');
});

test('a transcript of several days says the day, and has times on a phone', async ({ page, staged }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await opened(page, staged, `/session/${idOf(staged, 'The long one')}`);
  await expect(page.getByText(/ events$/)).toBeVisible();
  await page.goto(`${page.url()}?turn=1`);
  await expect(page.locator('article.chosen')).toBeVisible();
  await expect(page.locator('.day').first()).toContainText(new Date(Date.now() - 3 * DAY).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }));
  await expect(page.locator('article.prompt .when a').first()).toBeVisible();
});

test('the first turns that are seen have their own number', async ({ page, staged }) => {
  await enter(page.context(), staged.stage);
  let release: () => void = () => {};
  const held = new Promise<void>((done) => { release = done; });
  await page.route('**/timeline', async (route) => { await held; await route.continue(); });
  await page.goto(`${staged.stage.url}/session/${idOf(staged, 'The long one')}`);
  await expect(reading(page)).toContainText(`Turn ${TURNS}`);
  await expect(page.getByLabel('The life of this session')).toContainText('Reading the turns');
  release();
  await expect(page.locator('.turnbar').first()).toBeVisible();
  await expect(reading(page)).toContainText(`Turn ${TURNS}`);
});

test('hiding tools keeps the place', async ({ page, staged }) => {
  await opened(page, staged, `/session/${idOf(staged, 'The long one')}`);
  await readable(page);
  await gone(page);
  const turn = await gone(page);
  const prompt = page.locator('article.prompt', { hasText: `Turn ${turn}` });
  const inSight = () => prompt.evaluate((it) => { const { top, bottom } = it.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; });
  await expect.poll(inSight).toBe(true);
  for (const shown of ['talk', 'all']) {
    await page.keyboard.press('t');
    await expect(page.getByLabel('Show', { exact: true })).toHaveValue(shown);
    await expect.poll(inSight).toBe(true);
  }
});

test('going back leads to where one was', async ({ page, staged }) => {
  await page.setViewportSize({ width: 1440, height: 600 });
  await opened(page, staged, '/');
  const column = page.locator('[data-scroll="column-failed"], [data-scroll="column-idle"]').first();
  await expect(page.locator('[data-session]').nth(30)).toBeVisible();
  // Cards above may still become higher; who reads stays at the card.
  const first = () => column.evaluate((it) => [...it.querySelectorAll<HTMLElement>('[data-session]')].find((card) => card.getBoundingClientRect().bottom > it.getBoundingClientRect().top)?.dataset.session);
  const top = await first();
  await column.evaluate((it) => { it.scrollTop = 900; });
  await expect.poll(first).not.toBe(top);
  const read = await first();
  await page.getByRole('link', { name: 'Health' }).click();
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
  await page.goBack();
  await expect.poll(first).toBe(read);
});

test('a phone has every place within reach, and says which is open', async ({ page, staged }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await opened(page, staged, '/');
  const bar = page.getByRole('navigation');
  expect(await bar.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0);
  await bar.getByRole('button', { name: 'More' }).click();
  await bar.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await expect(bar.getByRole('button', { name: 'Settings' })).toBeInViewport();
});

test('a session that is long over is found by its title', async ({ page, staged }) => {
  await opened(page, staged, '/');
  await expect(page.locator('[data-session]').first()).toBeVisible();
  await expect(page.locator('[data-session]', { hasText: 'quokka' })).toHaveCount(0);
  await page.getByLabel('Filter the board').fill('quokka');
  await expect(page.locator('[data-session]', { hasText: 'quokka' })).toHaveCount(1);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ancient');
  await expect(page.getByRole('option', { name: /Untangle the ancient quokka/ })).toBeVisible();
});

test('a short id stays the same page when a turn is gone to', async ({ page, staged }) => {
  const id = idOf(staged, 'The long one');
  await opened(page, staged, `/session/${id.slice(0, 8)}`);
  await expect(page.getByText(/ events$/)).toBeVisible();
  const asked: string[] = [];
  page.on('request', (it) => asked.push(it.url()));
  await page.locator('.turnbar').nth(3).click();
  await expect(page.locator('article.chosen')).toBeVisible();
  await page.keyboard.press(']');
  await page.goto(`${page.url()}`);
  await expect(page.locator('article.chosen')).toBeVisible();
  const before = asked.length;
  await page.evaluate((to) => { const link = document.createElement('a'); link.href = to; document.body.append(link); link.click(); link.remove(); }, `/session/${id}`);
  await expect(page).toHaveURL(new RegExp(id));
  expect(asked.slice(before).filter((it) => it.includes(`/api/sessions/${id}?`) || it.endsWith(`/api/sessions/${id}`))).toEqual([]);
});

test('a week is drawn with few marks, and nothing is asked while nothing happens', async ({ page, staged }) => {
  await page.clock.install();
  await opened(page, staged, '/timeline?width=7d');
  await expect(page.locator('.lanes svg').first()).toBeVisible();
  expect(await page.locator('.lanes svg *').count()).toBeLessThan(400);
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (it) => asked.push(it.url()));
  await page.clock.runFor(180_000);
  expect(asked.filter((it) => it.includes('/api/activity'))).toEqual([]);
});

test('from yesterday every width leads back to now, and one button is lit', async ({ page, staged }) => {
  await opened(page, staged, '/timeline');
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await expect(page.locator('header button[aria-pressed="true"]')).toHaveText(['Yesterday']);
  await page.getByRole('button', { name: '1h' }).click();
  await expect(page.locator('header')).toContainText('to now');
  await expect(page.locator('header button[aria-pressed="true"]')).toHaveText(['1h']);
});

test('a chart that is not there yet is no empty axis, and nothing overlaps', async ({ page, staged }) => {
  await enter(page.context(), staged.stage);
  let release: () => void = () => {};
  const held = new Promise<void>((done) => { release = done; });
  await page.route('**/api/stats?*agent=*', async (route) => { await held; await route.continue(); });
  await page.goto(`${staged.stage.url}/usage`);
  const chart = page.locator('section', { hasText: 'Tokens by day and agent' });
  await expect(chart).toContainText('Reading…');
  await expect(chart.locator('svg')).toHaveCount(0);
  release();
  await expect(chart.locator('svg')).toHaveCount(1);
  const overlaps = await page.locator('li > div:has(> .value)').evaluateAll((all) => all.filter((it) => {
    const [name, value] = [...it.children].map((child) => child.getBoundingClientRect());
    return Boolean(name && value && value.height && name.height && value.top < name.bottom - 1);
  }).length);
  expect(overlaps).toBe(0);
});

test('a title is read at 768, and a wide screen is used', async ({ page, staged }) => {
  await page.setViewportSize({ width: 768, height: 900 });
  await opened(page, staged, `/session/${idOf(staged, 'Ask three helpers')}`);
  const heading = page.getByRole('heading', { name: 'Ask three helpers' });
  expect(await heading.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  await page.setViewportSize({ width: 2560, height: 1200 });
  await page.goto(`${staged.stage.url}/usage`);
  await expect(page.locator('.figures')).toBeVisible();
  expect(await page.locator('.page').evaluate((it) => it.getBoundingClientRect().width)).toBeGreaterThan(1700);
});

test('in a search the arrows reach the hits, Enter opens one, and Escape leaves the box', async ({ page, staged }) => {
  await opened(page, staged, '/search?q=callers');
  await expect(page.locator('a.hit').first()).toBeVisible();
  const box = page.getByLabel('Search', { exact: true });
  await box.press('ArrowDown');
  await expect(page.locator('section.sheet a.hit').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('section.sheet a.hit').nth(1)).toBeFocused();
  await box.focus();
  await box.press('Escape');
  await expect(box).not.toBeFocused();
  await box.focus();
  await box.press('Enter');
  await expect(reading(page).locator('article.chosen')).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.locator('article.item:focus')).toHaveCount(1);
});

test('long answers come smaller', async ({ page, staged }) => {
  await opened(page, staged, '/health');
  const answer = page.waitForResponse('**/api/sessions?*');
  await page.evaluate(() => fetch('/api/sessions?limit=60'));
  expect((await answer).headers()['content-encoding']).toMatch(/^(gzip|zstd)$/);
});

/** A group of the board, and the number its head says. */
const groupOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const said = (page: Page, name: string) => groupOf(page, name).locator('.count');

test('a head says how many there are, not how many were asked for, and the rest is within reach', async ({ page, staged }) => {
  const { sessions } = JSON.parse(staged.stage.run('ls', '--all', '--json'));
  const done = sessions.filter((it: any) => it.group === 'done' && !it.parent_id).length;
  expect(done).toBeGreaterThan(60);
  await opened(page, staged, '/');
  await expect(said(page, 'Done')).toHaveText(String(done));
  await groupOf(page, 'Done').getByRole('button', { name: /Show more of \d+/ }).click();
  await expect(groupOf(page, 'Done').locator('article')).toHaveCount(done);
  await expect(groupOf(page, 'Done').getByRole('link', { name: 'Search all of them' })).toHaveCount(0);
});

test('where history is longer than what is asked for, a head says so', async ({ page, staged }) => {
  await enter(page.context(), staged.stage);
  await page.route('**/api/sessions?limit=*', async (route) => {
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
    const { sessions } = JSON.parse((await staged.stage.answer(route.request().url())).body);
    const old = sessions.find((it: any) => it.group === 'done');
    await route.fulfill({ json: { sessions: Array.from({ length: limit }, (_, at) => ({ ...old, id: uuid(9_000_000 + at), agent: 'made-up' })) } });
  });
  await page.goto(`${staged.stage.url}/?agent=made-up`);
  await expect(said(page, 'Done')).toHaveText('5,000+');
  await expect(groupOf(page, 'Done').getByRole('button', { name: 'Show more of 4,960+' })).toBeVisible();
  await groupOf(page, 'Done').getByRole('link', { name: 'Search all of them' }).click();
  await expect(page).toHaveURL(/\/search$/);
});

test('a list that breaks off is no list, and the board goes on without it', async ({ page, staged }) => {
  await enter(page.context(), staged.stage);
  const faults = watch(page, staged.stage.url);
  await page.route('**/api/sessions?limit=*', (route) => route.fulfill({ contentType: 'application/json', body: '{"sessions": [' }));
  await page.goto(`${staged.stage.url}/`);
  await expect(page.locator('[data-session]', { hasText: 'The long one' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(faults).toEqual([]);
});

test('a phone begins with the first group that has sessions, and a head shows that it opens', async ({ page, staged }) => {
  await page.setViewportSize({ width: 375, height: 812 });
  await opened(page, staged, '/');
  await expect(page.locator('[data-session]').first()).toBeInViewport();
  await expect(page.locator('main h2 button[aria-expanded="true"]')).toHaveCount(1);
  const head = page.locator('main h2 button').first();
  for (const [open, sign] of [['true', '▾'], ['false', '▸'], ['true', '▾']] as const) {
    await expect(head).toHaveAttribute('aria-expanded', open);
    await expect(head).toContainText(sign);
    await head.click();
  }
  await expect(page.locator('[data-session]')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Welcome' })).toBeVisible();
  await expect(page.getByText('lists the keys')).toBeHidden();
});

test('heads on a phone stand in one line, and a group with nothing in it takes only its head', async ({ page, staged }) => {
  await page.setViewportSize({ width: 375, height: 812 });
  await opened(page, staged, '/');
  await expect(page.locator('[data-session]').first()).toBeVisible();
  const seen = await page.locator('main h2').evaluateAll((all) => all.map((it) => ({
    left: it.querySelector('.head span')!.getBoundingClientRect().left, right: it.querySelector('.count')!.getBoundingClientRect().right,
    count: it.querySelector('.count')!.textContent, high: it.closest('section')!.getBoundingClientRect().height,
  })));
  expect(new Set(seen.map((it) => `${it.left} to ${it.right}`)).size).toBe(1);
  expect(new Set(seen.filter((it) => it.count === '0').map((it) => it.high))).toEqual(new Set([40]));
});

test('columns with nothing in them are narrow, and the others have the room', async ({ page, staged }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await opened(page, staged, '/');
  const widths = () => page.locator('.column').evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().width)));
  const cut = (what: string) => page.locator(what).evaluateAll((all) => all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent));
  await expect(page.locator('[data-session]').nth(30)).toBeVisible();
  const full = await page.locator('.column').evaluateAll((all) => all.map((it) => it.querySelector('article') !== null));
  // All that is beside the places.
  const whole = 1280 - await page.getByRole('navigation').first().evaluate((it) => it.getBoundingClientRect().width);
  expect(whole).toBeGreaterThan(1080);
  const room = whole - 144 * full.filter((it) => !it).length;
  expect(room).toBeLessThan(whole);
  expect(await widths()).toEqual(full.map((it) => (it ? room / full.filter(Boolean).length : 144)));
  expect(await cut('main .head')).toEqual([]);
  expect(await cut('main .name')).toEqual([]);
  await expect(page.getByRole('navigation')).toContainText('Ctrl K');
  await page.getByLabel('Filter the board').fill('nothing is called so');
  await expect.poll(widths).toEqual(Array(4).fill(whole / 4));
});

test('a new agent is started only by the command that was shown', async ({ page, staged }) => {
  const faults = await opened(page, staged, '/');
  const replies: Promise<{ started?: boolean }>[] = [];
  page.on('response', (it) => { if (it.url().endsWith('/api/agents/start')) replies.push(it.json()); });
  await page.getByRole('button', { name: 'New agent…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New agent' });
  await expect(dialog.getByRole('combobox', { name: 'Agent' })).toHaveValue('claude-code');
  const start = dialog.getByRole('button', { name: 'Start it' });
  const show = dialog.getByRole('button', { name: 'Show the command' });
  const folder = dialog.getByRole('combobox', { name: 'Folder' });
  // The folder of the newest session is offered; it does not exist here, and that is said.
  await expect(folder).toHaveValue('/w/monolith');
  await press(show);
  await expect(dialog.getByRole('alert')).toContainText('/w/monolith is not a folder');
  await folder.fill(staged.stage.home);
  await dialog.getByRole('textbox', { name: 'First prompt' }).fill("Fix it; don't `reboot`");
  await press(show);
  await expect(dialog.locator('pre')).toContainText(`cd ${staged.stage.home} && tmux new-session`);
  await expect(dialog.locator('pre')).toContainText('reboot');
  await expect(start).toBeEnabled();
  // What is changed after that has to be shown again.
  await dialog.getByRole('textbox', { name: 'First prompt' }).fill('--dangerously-skip-permissions');
  await expect(start).toHaveCount(0);
  await press(show);
  await expect(dialog.getByRole('alert')).toContainText('a prompt that starts with `-` would be an option');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'New agent…' })).toBeFocused();
  expect((await Promise.all(replies)).map((it) => it.started ?? 'refused')).toEqual(['refused', false, 'refused']);
  expect(faults.filter((it) => !it.includes('status of 4'))).toEqual([]);
});

test('beside a transcript are the latest sessions, and one leads to the next', async ({ page, staged }) => {
  const faults = await opened(page, staged, `/session/${idOf(staged, 'The long one')}`);
  await readable(page);
  await page.keyboard.press('l');
  await expect(page).toHaveURL(/side=sessions/);
  const list = page.getByRole('list', { name: 'Latest sessions' });
  await expect(list.locator('a[aria-current="page"]')).toContainText('The long one');
  // Sub-agents stand with the session they work for, not here.
  await expect(list.getByRole('link', { name: /Look at part/ })).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Find a session', exact: true }).fill('helpers');
  await list.getByRole('link', { name: /Ask three helpers/ }).click();
  await expect(page.getByRole('heading', { name: 'Ask three helpers' })).toBeVisible();
  // The list is still there, at the session that is read now.
  await expect(list.locator('a[aria-current="page"]')).toContainText('Ask three helpers');
  await page.keyboard.press('l');
  await expect(list).toHaveCount(0);
  await expect(page.getByRole('complementary', { name: 'About this session' })).toBeVisible();
  expect(faults).toEqual([]);
});

test('two sessions side by side are asked for once, by short ids too', async ({ page, staged }) => {
  const [long, family] = [idOf(staged, 'The long one'), idOf(staged, 'Ask three helpers')];
  const asked: string[] = [];
  page.on('request', (it) => { const { pathname } = new URL(it.url()); if (/^\/api\/sessions\b/.test(pathname)) asked.push(pathname); });
  const faults = await opened(page, staged, `/beside?a=${long.slice(0, 8)}`);
  await expect(page.getByText('Compare The long one with:')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find a session' }).fill('helpers');
  await page.getByRole('button', { name: /Ask three helpers/ }).click();
  await expect(page.getByRole('rowheader', { name: 'Turns' })).toBeVisible();
  await page.getByRole('button', { name: 'Traces of row 2', exact: true }).click();
  await expect(page).toHaveURL(/pair=1/);
  await page.waitForLoadState('networkidle');
  const of = (id: string, what: string) => asked.filter((it) => it === `/api/sessions/${id}${what}`).length;
  expect([of(long.slice(0, 8), ''), of(long.slice(0, 8), '/timeline'), of(family, ''), of(family, '/timeline')]).toEqual([1, 1, 1, 1]);
  expect(asked.length).toBeLessThan(40);
  expect(faults).toEqual([]);
});
