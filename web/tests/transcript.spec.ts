// The page of a session over windows: places, finding, turns, what is shown, the trace of a turn and the fill of the context.
import { test as base, type Page } from '@playwright/test';
import { mkdirSync } from 'node:fs';
import { enter, expect, Stage, watch } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { Claude, uuid } from './stage.mjs';

const TURNS = 400;
const OUTPUT = 'running 14 tests\ntest a ... ok\nerror[E0502]: cannot borrow `x` as mutable\n --> src/a.rs:4';
type Staged = { stage: any; long: any; id: string; parent: string };

const test = base.extend<object, { staged: Staged }>({
  staged: [async ({}, use) => {
    const stage = await Stage.open();
    const now = Date.now();
    const long = new Claude(stage, { id: uuid(8001), cwd: '/w/monolith', start: now - 3 * 86_400_000, title: 'The long one' });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const fails = turn % 50 === 7;
      long.asks(`Do part ${turn} of it${turn % 100 === 33 ? ' with the quokka' : ''}.`).wait(40).calls('Bash', { command: `make part-${turn}` }).wait(100).result(fails ? OUTPUT : 'ok\nfine', fails);
      if (turn % 10 === 0) long.wait(5).calls('Edit', { file_path: '/w/monolith/a.rs', old_string: 'let a = 1;', new_string: 'let a = 2; // two' }).wait(1).result('updated');
      long.wait(20).says(`Part ${turn} is **done**.\n\n\`\`\`rust\nlet part = "${turn}";\n\`\`\``).wait(240);
    }
    const parent = new Claude(stage, { id: uuid(8002), cwd: '/w/family', start: now - 20 * 86_400_000, title: 'Ask helpers' });
    parent.asks('Ask a helper.').wait(5).calls('Task', { description: 'Look at part 1', prompt: 'Look at part 1.', subagent_type: 'general-purpose' });
    const folder = `${parent.path.replace('.jsonl', '')}/subagents`;
    mkdirSync(folder, { recursive: true });
    const helper = new Claude(stage, { id: uuid(8002), cwd: '/w/family', start: parent.now + 1000 });
    Object.assign(helper, { path: `${folder}/agent-a1.jsonl`, count: 100 });
    helper.line({ type: 'user', isSidechain: true, agentId: 'a1', message: { role: 'user', content: 'Look at part 1.' } }).wait(9).says('Part 1 is **fine**.');
    parent.wait(30).result('It is fine.').wait(4).says('The helper says that it is fine.');
    await stage.start();
    stage.run('index');
    const of = (title: string) => JSON.parse(stage.run('ls', '--all', '--json')).sessions.find((it: any) => it.title === title).id;
    await use({ stage, long, id: of('The long one'), parent: of('Ask helpers') });
    await stage.close();
  }, { scope: 'worker' }],
});

async function opened(page: Page, staged: Staged, path: string) {
  await enter(page.context(), staged.stage);
  const faults = watch(page, staged.stage.url);
  await page.goto(staged.stage.url + path);
  return faults;
}
const reading = (page: Page) => page.getByRole('feed', { name: 'Transcript' });
const turn = (page: Page) => page.getByLabel('Go to turn');
const status = (page: Page) => page.getByRole('search', { name: 'Find in this session' }).getByRole('status');
const painted = (page: Page) => page.evaluate(() => [...(CSS as any).highlights].reduce((all: number, [, it]: any) => all + it.size, 0));

test('a session opens at a turn, an event, a time and its end, without reading the rest', async ({ page, staged }) => {
  const { id } = staged;
  const asked: string[] = [];
  page.on('request', (it) => { if (/window|capture\/events/.test(it.url())) asked.push(it.url()); });
  const faults = await opened(page, staged, `/session/${id}?turn=200`);
  await expect(page.locator('article.chosen')).toContainText('Do part 200 of it.');
  await expect(turn(page)).toHaveValue('200');
  expect(asked.length).toBeLessThan(4);
  const event = (await page.locator('article.chosen').getAttribute('id'))?.replace('event-', '');
  const { events } = await page.evaluate((of) => fetch(`/api/sessions/${of}/window?turn=77&limit=3`).then((it) => it.json()), id);
  for (const [path, words] of [[`/${event}`, 'Do part 200 of it.'], [`?time=${encodeURIComponent(events.find((it: any) => it.kind === 'user.prompt').created_at)}`, 'Do part 77 of it.']] as const) {
    await page.goto(`${staged.stage.url}/session/${id}${path}`);
    await expect(page.locator('article.chosen')).toContainText(words);
    await expect(page.locator('article.chosen')).toBeInViewport();
  }
  await page.getByRole('link', { name: 'Go to the end' }).click();
  await expect(reading(page)).toContainText(`Part ${TURNS} is done.`);
  expect(asked.filter((it) => it.includes('capture/events'))).toEqual([]);
  expect(faults).toEqual([]);
});

test('scrolling goes on above and below without a jump, and rows stay few', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.id}?turn=200`);
  await expect(page.locator('article.chosen')).toBeVisible();
  const moved = (by: number) => reading(page).evaluate(async (box, by) => {
    const places = () => new Map([...box.querySelectorAll('article')].map((it) => [it.id, it.getBoundingClientRect().top]));
    const before = places();
    box.dispatchEvent(new WheelEvent('wheel'));
    box.scrollTop += by;
    for (let frame = 0; frame < 6; frame += 1) await new Promise((done) => requestAnimationFrame(done));
    const after = places();
    return Math.min(...[...before].filter(([id]) => after.has(id)).map(([id, top]) => Math.abs((after.get(id) ?? 0) - top + by)));
  }, by);
  // The page has gone to its place.
  await expect.poll(() => moved(0)).toBeLessThan(1);
  for (const by of [-300, 300]) for (let step = 0; step < 60; step += 1) expect(await moved(by), `${by} ${step}`).toBeLessThan(40);
  expect(await reading(page).locator('article').count()).toBeLessThan(80);
});

test('a word is found in the whole session, counted, marked and stepped through', async ({ page, staged }) => {
  const faults = await opened(page, staged, `/session/${staged.id}`);
  await expect(reading(page)).toBeVisible();
  await page.keyboard.press('Control+f');
  await expect(page.getByLabel('Find in this session', { exact: true }).and(page.locator('input'))).toBeFocused();
  await page.keyboard.type('quokka');
  await expect(status(page)).toHaveText('4');
  for (const [key, at, part] of [['Enter', 1, 33], ['Enter', 2, 133], ['Shift+Enter', 1, 33], ['Shift+Enter', 4, 333]] as const) {
    await page.keyboard.press(key);
    await expect(status(page)).toHaveText(`${at} of 4`);
    await expect(page.locator('article.chosen')).toContainText(`Do part ${part} of it with the quokka.`);
    await expect(page.locator('article.chosen')).toBeInViewport();
  }
  await expect.poll(() => painted(page)).toBeGreaterThan(0);
  await expect(page.locator('.rail .match')).toHaveCount(4);
  await page.getByRole('search').locator('input').fill('nothingissaidso');
  await expect(status(page)).toHaveText('None');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('search').locator('input')).toHaveValue('');
  expect(faults).toEqual([]);
});

test('a hit of the search is marked and in view', async ({ page, staged }) => {
  await opened(page, staged, '/search?q=quokka');
  await page.locator('a.hit', { hasText: 'part 233' }).click();
  await expect(page.locator('article.chosen')).toContainText('Do part 233 of it with the quokka.');
  await expect(page.locator('article.chosen')).toBeInViewport();
  await expect.poll(() => painted(page)).toBeGreaterThan(0);
  await expect(status(page)).toHaveText('3 of 4');
});

test('a turn is gone to by its number, from the list of turns and by keys', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.id}`);
  // A key before the end is there moves nothing.
  await expect(reading(page)).toContainText(`Part ${TURNS} is`);
  await page.keyboard.press('#');
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  await expect(page.locator('article.chosen')).toContainText('Do part 12 of it.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('o');
  const list = page.getByRole('feed', { name: 'Turns' });
  await expect(list.locator('article[aria-current="true"]')).toContainText('Do part 12 of it.');
  await page.getByLabel('Turns that contain').fill('quokka');
  await expect(list.locator('article')).toHaveCount(4);
  await list.getByRole('link', { name: /Do part 333/ }).click();
  await expect(page.locator('article.chosen')).toContainText('Do part 333 of it');
  await expect(page.getByRole('group', { name: 'The turn that is read' })).toContainText('Do part 333 of it');
});

test('the number of a turn that is being typed stays while the transcript moves on', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.id}`);
  await expect(reading(page)).toContainText(`Part ${TURNS} is`);
  await page.keyboard.press('#');
  await page.keyboard.type('1');
  // The turn that is read changes behind the box, as it does while an agent works.
  const read = page.getByRole('group', { name: 'The turn that is read' });
  // How much of the last turns is in sight depends on how high the page's rows are.
  const last = new RegExp(`Do part (${TURNS}|${TURNS - 1}) of it\\.`);
  await expect(read).toContainText(last);
  await reading(page).hover();
  await expect(async () => {
    await page.mouse.wheel(0, -600);
    await expect(read).not.toContainText(last, { timeout: 500 });
  }).toPass();
  await page.keyboard.type('2');
  await expect(turn(page)).toHaveValue('12');
  await page.keyboard.press('Enter');
  await expect(page.locator('article.chosen')).toContainText('Do part 12 of it.');
  await page.keyboard.press('#');
  await page.keyboard.press('Escape');
  await expect(turn(page)).toHaveValue('12');
});

test('only failures, edits, commands or prompts are shown, from the whole session', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.id}`);
  await expect(reading(page)).toBeVisible();
  const show = (name: string) => page.getByLabel('Show', { exact: true }).selectOption({ label: name });
  await show('Failures');
  await expect(reading(page).locator('article').last()).toContainText('error[E0502]: cannot borrow');
  await expect(reading(page).locator('article')).toHaveCount(8);
  await show('Edits');
  await expect(reading(page).locator('article figure').last()).toContainText('let a = 2; // two');
  await expect(reading(page).locator('article:not(.call)')).toHaveCount(0);
  await show('Prompts and final answers');
  await expect(reading(page).locator('article.call')).toHaveCount(0);
  await expect(reading(page).locator('article.said').first()).toBeVisible();
});

test('the trace of a turn is a table with its spans, and leads on', async ({ page, staged }) => {
  const faults = await opened(page, staged, `/session/${staged.id}?turn=57`);
  await expect(page.locator('article.chosen')).toBeVisible();
  await page.keyboard.press('w');
  const trace = page.getByRole('region', { name: 'Trace of turn 57' });
  await expect(trace.getByRole('row', { name: /Bash/ })).toContainText('✕ failed');
  await expect(trace.getByRole('row', { name: /Bash/ })).toContainText('1m 40s');
  expect(await trace.locator('i.bar.model').count()).toBeGreaterThan(0);
  await page.keyboard.press(']');
  await expect(page.getByRole('region', { name: 'Trace of turn 58' }).getByRole('row', { name: /Bash/ })).toBeVisible();
  await page.getByRole('link', { name: 'In the transcript' }).click();
  await expect(page.locator('article.chosen')).toContainText('Do part 58 of it.');
  expect(faults).toEqual([]);
});

test('the context is drawn along the session, with a table of its turns', async ({ page, staged }) => {
  const faults = await opened(page, staged, `/session/${staged.id}?view=context`);
  const context = page.getByRole('region', { name: 'Context and cost' });
  await expect(context.getByRole('img')).toHaveAccessibleName(/at most .* tokens/);
  await context.getByRole('link', { name: '7', exact: true }).click();
  await expect(page.locator('article.chosen')).toContainText('Do part 7 of it.');
  expect(faults).toEqual([]);
});

test('a sub-agent is at the call that began it', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.parent}`);
  const call = page.locator('article.call', { hasText: 'Sub-agent' });
  await call.getByRole('button', { name: /Sub-agent/ }).click();
  await expect(call.locator('.worker')).toContainText('Part 1 is fine.');
  await call.locator('.worker a').first().click();
  await expect(page.locator('aside section', { hasText: 'Lineage' })).toContainText('Works for');
});

test('every turn and entry has a link that can be copied, on a phone too', async ({ browser, staged }) => {
  const context = await browser.newContext({ viewport: { width: 375, height: 812 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await opened(page, staged, `/session/${staged.id}?turn=20`);
  await page.locator('article.chosen').getByRole('button', { name: 'Copy the link to turn 20' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/session\/[^/]+\?turn=20$/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  await page.getByRole('link', { name: 'Turns', exact: true }).click();
  await expect(page.getByRole('feed', { name: 'Turns' }).locator('article').first()).toBeVisible();
  await page.getByRole('link', { name: 'About', exact: true }).click();
  await expect(page.getByRole('complementary', { name: 'About this session' })).toBeVisible();
  await context.close();
});

test('source text has colours, and is the same text', async ({ page, staged }) => {
  await opened(page, staged, `/session/${staged.id}?turn=20`);
  const code = reading(page).locator('pre', { hasText: 'let part = "20";' });
  await expect(code.locator('.code-keyword')).toHaveText('let');
  await expect(code.locator('.code-string')).toHaveText('"20"');
  await expect(reading(page).locator('figure .code-comment').first()).toHaveText('// two');
});
