import { AxeBuilder } from '@axe-core/playwright';
import { chosen, enter, expect, test, watch } from './kit';

const PAGES = ['/', '/sessions', '/projects', '/projects?project=%2Fhome%2Fana%2Fsrc%2Fapi-auth', '/approvals', '/approvals?mode=queue', '/approvals?mode=denied', '/search', '/search?q=token', '/timeline', '/usage', '/feed', '/findings', '/health', '/settings', '/file'];

// A slice looks at each page in one of the four.
const LOOKS = [[1440, 'light'], [1440, 'dark'], [375, 'light'], [375, 'dark']] as const;

for (const [look, [width, colorScheme]] of LOOKS.entries()) {
  test(`every page at ${width}, ${colorScheme}: no fault, no serious barrier`, async ({ browser, staged }) => {
    const context = await browser.newContext({ viewport: { width, height: width < 500 ? 812 : 900 }, colorScheme });
    await enter(context, staged.stage);
    const page = await context.newPage();
    const faults = watch(page, staged.stage.url);
    await page.goto(`${staged.stage.url}/`);
    const card = page.locator('[data-session]').first();
    await expect(card).toBeVisible();
    const session = `/session/${await card.getAttribute('data-session')}`;
    const views = ['?view=trace&turn=1', '?view=context', '?view=turns', '?view=about', '?side=turns&find=test', '?side=sessions', '?show=errors'].map((it) => session + it);
    // On a phone the board shows one session only.
    const id = session.split('/')[2];
    const other = JSON.parse(staged.stage.run('ls', '--all', '--json')).sessions.map((it: { id: string }) => it.id).find((it: string) => it !== id);
    const beside = [`/beside?a=${id}`, `/beside?a=${id}&b=${other}`];
    for (const [at, path] of [...PAGES, session, ...views, ...beside].entries()) {
      if (!chosen(at + look, LOOKS.length)) continue;
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

for (const [width, colorScheme] of [[1440, 'light'], [375, 'dark']] as const) {
  test(`a file shows who wrote its lines, at ${width}, ${colorScheme}`, async ({ browser, staged }) => {
    const { execFileSync } = await import('node:child_process');
    const { mkdirSync, writeFileSync } = await import('node:fs');
    const { Claude, uuid } = await import('./stage.mjs' as string);
    const stage = staged.stage;
    const cwd = `${stage.folder}/home/wicks-${width}`;
    const text = 'def lamp(wick):\n    return wick.height or trimmed(wick)\n<b>LAMPS</b> = [lamp(w) for w in wicks()]\n';
    mkdirSync(cwd, { recursive: true });
    const git = (...words: string[]) => execFileSync('git', ['-C', cwd, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...words], { env: { ...stage.env, GIT_CONFIG_NOSYSTEM: '1' } });
    const session = new Claude(stage, { id: uuid(7000 + width), cwd, title: `Make the lamps ${width}`, start: Date.now() - 60_000 });
    session.asks('Make the lamps of the wicks.').wait(5).calls('Write', { file_path: `${cwd}/lamp.py`, content: text }).wait(1).result('File created successfully').wait(2).says('Done.');
    writeFileSync(`${cwd}/lamp.py`, `${text}SPARE = lamp(None) or nothing\n`);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'work');
    git('notes', '--ref=ai', 'add', '-m', 'lamp.py\n  abcd1234abcd1234 4\n---\n{"schema_version":"authorship/3.0.0","prompts":{"abcd1234abcd1234":{"agent_id":{"tool":"cursor","id":"c","model":"gpt"}}}}');
    const context = await browser.newContext({ viewport: { width, height: width < 500 ? 812 : 900 }, colorScheme });
    await enter(context, stage);
    const page = await context.newPage();
    const faults = watch(page, stage.url);
    await page.goto(`${stage.url}/file?${new URLSearchParams({ path: 'lamp.py', here: cwd, line: '4' })}`);
    const blocks = page.locator('.block');
    await expect(blocks).toHaveCount(2);
    await expect(blocks.first()).toContainText('Make the lamps of the wicks.');
    await expect(blocks.first()).toContainText('turn 1');
    await expect(blocks.first()).toContainText('<b>LAMPS</b> = [lamp(w) for w in wicks()]');
    await expect(blocks.last()).toContainText('git-ai says cursor, gpt');
    await expect(page.locator('#line-4')).toBeInViewport();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter((it) => ['serious', 'critical'].includes(it.impact ?? '')).map((it) => `${it.id}: ${it.nodes[0]?.html}`)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.reload();
    await blocks.first().getByRole('link').first().click();
    await expect(page).toHaveURL(/\/session\/[0-9a-f-]+\/[0-9a-zA-Z_-]+$/);
    await expect(page.locator('main')).toContainText('Make the lamps of the wicks.');
    const link = page.getByRole('link', { name: /who wrote them$/ }).first();
    if (width > 1000) {
      await link.click();
      await expect(blocks).toHaveCount(2);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
}
