import { AxeBuilder } from '@axe-core/playwright';
import { test as base, type Browser, type Page } from '@playwright/test';
import { enter, expect, Stage, watch } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { Claude, uuid } from './stage.mjs';

// What one sees of a session that has images, a question, a refused call, a failed edit, a long output and a sub-agent.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const image = (media_type: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type, data } });
const REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nnot on main";
const LINES = 3000;

type Staged = { stage: InstanceType<typeof Stage>; id: string; cwd: string };
const test = base.extend<object, { staged: Staged }>({
  staged: [async ({}, use) => {
    const stage = await Stage.open();
    const cwd = `${stage.home}/lamps`;
    const it = new Claude(stage, { id: uuid(1), cwd, title: 'Make the lamps', start: Date.now() - 600_000 });
    const hostile = [image('image/png', base64('<html><script>window.__hit=1</script>')), image('image/png', base64('<svg onload="window.__hit=2">')), image('image/svg+xml', base64('<svg/>'))];
    it.line({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Make it look like this, failed or not.' }, image('image/png', PNG), ...hostile] } });
    it.wait(2).calls('Read', { file_path: `${cwd}/shot.png` }).wait(1).result([image('image/png', PNG)]);
    const edit = { file_path: `${cwd}/lamp.py`, old_string: 'a', new_string: 'b' };
    it.wait(1).calls('Edit', edit).wait(1).result('The file has been updated.');
    it.wait(1).calls('Edit', { ...edit, file_path: `${cwd}/other.py` }).wait(1).result('String to replace not found in file.', true);
    it.wait(1).calls('Read', { file_path: `${cwd}/long.txt` }).wait(1).result(Array.from({ length: LINES }, (_, at) => `row ${at + 1} of the long file`).join('\n'));
    it.wait(1).calls('Bash', { command: 'git push --force' }).wait(3).result(REFUSAL, true, { toolDenialKind: 'user-rejected' });
    it.wait(1).calls('AskUserQuestion', { questions: [{ question: 'Red or blue?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }).wait(180).result('Red');
    it.wait(1).says('Done.');
    await stage.start();
    const listed = () => JSON.parse(stage.run('ls', '--all', '--json')).sessions;
    await expect.poll(() => listed().length, { timeout: 30_000 }).toBe(1);
    await use({ stage, id: listed()[0].id, cwd });
    await stage.close();
  }, { scope: 'worker' }],
});

const LOOKS = [[1440, 'light'], [375, 'dark']] as const;
type Look = (typeof LOOKS)[number];
async function opened(browser: Browser, staged: Staged, path: string, [width, colorScheme]: Look = LOOKS[0], acts = true) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 812 : 900 }, colorScheme, reducedMotion: 'reduce' });
  await enter(context, staged.stage, acts);
  const page = await context.newPage();
  const faults = watch(page, staged.stage.url);
  await page.goto(staged.stage.url + path);
  await expect(page.locator('main')).not.toContainText('Reading…');
  return { context, page, faults };
}
async function sound(page: Page, faults: string[]) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter((it) => ['serious', 'critical'].includes(it.impact ?? '')).map((it) => `${it.id}: ${it.nodes[0]?.html}`)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
  expect(faults).toEqual([]);
}
const entry = (page: Page, text: string) => page.getByRole('feed', { name: 'Transcript' }).locator('article', { hasText: text });

for (const look of LOOKS) {
  test(`an image is shown small, and large when it is pressed; what only calls itself one is not, at ${look.join(', ')}`, async ({ browser, staged }) => {
    const { context, page, faults } = await opened(browser, staged, `/session/${staged.id}?turn=1`, look);
    const prompt = entry(page, 'Make it look like this');
    await expect(prompt.locator('img')).toHaveCount(1);
    await expect.poll(() => prompt.locator('img').evaluate((it: HTMLImageElement) => it.naturalWidth)).toBe(1);
    await expect(prompt.locator('.none')).toHaveCount(3);
    await expect(prompt.locator('.none').last()).toContainText('image/svg+xml');
    await expect(entry(page, 'shot.png').locator('img')).toHaveCount(1);
    await page.screenshot({ path: `test-results/images-${look[0]}.png` });
    await sound(page, faults);
    await prompt.getByRole('button', { name: 'Enlarge image 1 of 4' }).focus();
    await page.keyboard.press('Enter');
    const large = page.getByRole('dialog', { name: 'image 1 of 4' });
    await expect(large.locator('img')).toBeVisible();
    await sound(page, faults);
    await page.keyboard.press('Escape');
    await expect(large).toBeHidden();
    await expect(prompt.getByRole('button', { name: 'Enlarge image 1 of 4' })).toBeFocused();
    expect(await page.evaluate(() => (window as { __hit?: number }).__hit)).toBeUndefined();
    await context.close();
  });

  test(`a project says which session changed a file and why, at ${look.join(', ')}`, async ({ browser, staged }) => {
    const { context, page, faults } = await opened(browser, staged, `/projects?project=${encodeURIComponent(staged.cwd)}`, look);
    const recent = page.locator('section', { has: page.getByRole('heading', { name: 'Recent edits by file' }) });
    await expect(recent.locator('li')).toHaveCount(1);
    await expect(recent).toContainText('lamp.py');
    await expect(recent).toContainText('Make the lamps');
    await expect(recent).toContainText('because: Make it look like this, failed or not.');
    // An edit that failed changed nothing.
    await expect(page.locator('main')).not.toContainText('other.py');
    const most = page.getByRole('region', { name: 'Files touched most' }).or(page.getByLabel('Files touched most'));
    await expect(most.first()).toContainText('lamp.py');
    await page.screenshot({ path: `test-results/project-${look[0]}.png`, fullPage: true });
    const decided = page.locator('section', { has: page.getByRole('heading', { name: 'Decisions' }) });
    await decided.scrollIntoViewIfNeeded();
    await expect(decided.locator('.choice', { hasText: 'Red or blue?' })).toContainText('Red');
    await expect(decided.getByRole('link', { name: 'Make the lamps' }).first()).toHaveAttribute('href', /\?time=/);
    await page.getByRole('button', { name: 'By cost' }).click();
    await expect(page.getByLabel('Files that cost most').getByRole('row', { name: /lamp\.py (≈\$|unknown)/ })).toBeVisible();
    await sound(page, faults);
    await page.getByRole('button', { name: 'By cost' }).click();
    await most.first().getByRole('link', { name: 'lamp.py' }).click();
    await expect(page).toHaveURL(/\/file\?path=lamp\.py&here=/);
    await page.goBack();
    await recent.getByRole('link', { name: 'Make the lamps' }).click();
    await expect(page.locator('article.chosen')).toContainText('lamp.py');
    await context.close();
  });

  test(`what an agent wanted to do and was denied is on one page, at ${look.join(', ')}`, async ({ browser, staged }) => {
    const { context, page, faults } = await opened(browser, staged, '/approvals', look);
    await page.getByRole('button', { name: 'Denied' }).click();
    await expect(page).toHaveURL(/mode=denied/);
    const row = page.getByRole('row', { name: /git push --force/ });
    await expect(row).toContainText('not on main');
    await expect(row).toContainText('in the agent’s dialog');
    await page.screenshot({ path: `test-results/denied-${look[0]}.png` });
    await sound(page, faults);
    await row.getByRole('link').click();
    const call = entry(page, 'git push --force');
    await expect(call).toContainText('⊘ denied');
    await expect(call).not.toContainText('failed');
    await page.goto(`${staged.stage.url}/session/${staged.id}?view=trace&turn=1`);
    await expect(page.getByRole('row', { name: /Bash/ })).toContainText('⊘ denied');
    await sound(page, faults);
    await context.close();
  });
}

test('a question is waiting in the bar and in the trace, and no time of a tool', async ({ browser, staged }) => {
  const { context, page } = await opened(browser, staged, `/session/${staged.id}`);
  await expect(page.getByRole('region', { name: 'The life of this session' })).toContainText(/Waiting for you 3m 0s/);
  await page.goto(`${staged.stage.url}/session/${staged.id}?view=trace&turn=1`);
  await expect(page.getByRole('row', { name: /AskUserQuestion.*waiting/ })).toContainText('3m 0s');
  await context.close();
});

test('a long output says what is cut, and is shown whole', async ({ browser, staged }) => {
  const { context, page, faults } = await opened(browser, staged, `/session/${staged.id}?turn=1`);
  const call = entry(page, 'long.txt');
  await call.getByRole('button', { expanded: false }).first().click();
  await expect(call).toContainText(`Cut: the first 16 kB of`);
  await expect(call).toContainText('3,000 lines in all');
  await expect(call).not.toContainText(`row ${LINES} of`);
  await page.screenshot({ path: 'test-results/cut.png' });
  await call.getByRole('button', { name: 'Show all of it' }).click();
  await expect(call).toContainText(`row ${LINES} of the long file`);
  await expect(call).not.toContainText('Cut:');
  await sound(page, faults);
  await context.close();
});

test('words of the page itself are not marked by Find', async ({ browser, staged }) => {
  // "failed" is a word of the prompt and of the badge of the failed edit.
  const { context, page } = await opened(browser, staged, `/session/${staged.id}?turn=1&find=failed`);
  const marked = () => page.evaluate(() => ['found', 'found-here'].flatMap((name) => [...((CSS as any).highlights.get(name) ?? [])].map((it) => (it as Range).startContainer.parentElement?.closest('[data-text]') !== null)));
  await expect.poll(async () => (await marked()).length).toBeGreaterThan(0);
  await expect(entry(page, 'other.py')).toContainText('✕ failed');
  expect(await marked()).not.toContain(false);
  await context.close();
});

test('Resume only shows a command, so it asks for nothing', async ({ browser, staged }) => {
  const { context, page, faults } = await opened(browser, staged, `/session/${staged.id}`, LOOKS[0], false);
  await page.getByRole('button', { name: 'Resume…' }).click();
  await expect(page.locator('header code', { hasText: 'claude --resume' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(faults).toEqual([]);
  await context.close();
});
