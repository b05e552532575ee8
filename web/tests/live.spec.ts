import { enter, expect, press, seen, test, watch } from './kit';

test('approving on the page answers the hook that waits, and the card moves by itself', async ({ context, staged }) => {
  const { stage, all, waits } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  await page.goto(`${stage.url}/`);
  const column = page.getByRole('region', { name: 'Needs you' });
  const card = column.locator('article', { hasText: 'Publish the invoice fix' });
  await expect(card).toContainText('git push --force origin feat/x');
  // The result stands there for a moment only: it is looked for from before the answer, not after the hook's program has ended.
  const shown = seen(page, '✕ Denied');
  await press(card.getByRole('button', { name: 'Deny' }));
  expect(await shown).toContain('Publish the invoice fix');
  expect(JSON.parse(await waits[1]!)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
  await expect(card).toHaveCount(0);

  // By keyboard alone: to the card that asks, and approve.
  await page.locator('main').press('j');
  for (let step = 0; step < 6; step += 1) {
    if (await page.evaluate(() => !!document.activeElement?.closest('article')?.querySelector('[data-key="a"]'))) break;
    await page.keyboard.press('j');
  }
  await expect(page.locator('article:has(:focus)').getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.keyboard.press('a');
  expect(JSON.parse(await waits[0]!)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });

  // A new request is there without a reload.
  const answered = stage.hook(all.parser, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm -rf build' } });
  const again = column.locator('article', { hasText: 'Speed up the lexer' });
  await expect(again).toContainText('rm -rf build');
  await page.goto(`${stage.url}/approvals`);
  const request = page.locator('article', { hasText: 'rm -rf build' });
  await request.getByRole('textbox', { name: 'Reason' }).fill('not while the bench runs');
  await press(request.getByRole('button', { name: 'Deny' }));
  expect(await answered).toContain('not while the bench runs');
  await expect(page.getByRole('table')).toContainText('not while the bench runs');
  expect(faults).toEqual([]);
});

test('a request that came while the list of requests was on its way is there', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  let release: () => void = () => {};
  const held = new Promise<void>((done) => { release = done; });
  let asked: () => void = () => {};
  const first = new Promise<void>((done) => { asked = done; });
  await page.route('**/api/approvals', async (route) => {
    const before = await stage.answer(route.request().url());
    asked();
    await held;
    await route.fulfill(before);
  });
  await page.goto(`${stage.url}/`);
  await first;
  const answered = stage.hook(all.parser, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'make slowly' } });
  const card = page.locator('article', { hasText: 'make slowly' });
  await expect(card).toBeVisible();
  release();
  await page.unrouteAll({ behavior: 'wait' });
  await press(card.getByRole('button', { name: 'Deny' }));
  expect(await answered).toContain('deny');
});

test('a transcript goes on while it is read, and every event has an address', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/`);
  await page.getByRole('link', { name: /Backfill the October orders/ }).click();
  await expect(page.getByRole('feed', { name: 'Transcript' })).toContainText('would write 18,204 rows');
  (all.etl as any).now = Date.now();
  (all.etl as any).asks('Run it for real then.').wait(1).says('It wrote 18,204 rows.');
  await expect(page.getByRole('feed', { name: 'Transcript' })).toContainText('It wrote 18,204 rows.');
  const link = await page.locator('article.prompt .when a').first().getAttribute('href');
  await page.goto(stage.url + link);
  await expect(page.locator('article.chosen')).toContainText('Backfill October');
});

test('a line written while the transcript is being read is not lost', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  const frames: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', (it) => frames.push(String(it.payload))));
  await page.goto(`${stage.url}/`);
  // The answer is held back until the line was told of.
  let held = false;
  await page.route('**/window?*', async (route) => {
    const answer = await stage.answer(route.request().url());
    if (!held) {
      held = true;
      (all.infra as any).now = Date.now();
      (all.infra as any).asks('Apply it then.');
      await expect.poll(() => frames.some((it) => it.includes('Apply it then.')), { timeout: 30_000 }).toBe(true);
    }
    await route.fulfill(answer);
  });
  await page.getByRole('link', { name: /Rotate the staging certificates/ }).click();
  await expect(page.getByRole('feed', { name: 'Transcript' })).toContainText('Apply it then.');
});

test('a hit in what a command said opens the call it belongs to, with its turn', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  await page.goto(`${staged.stage.url}/search`);
  await page.getByLabel('Search', { exact: true }).fill('"expected 1 request, got 2"');
  await page.locator('a.hit', { hasText: 'result' }).click();
  const call = page.locator('article.chosen');
  await expect(call).toContainText('Turn 1');
  await expect(call).toContainText('✕ failed');
  await expect(call.locator('pre.result')).toContainText('two_callers_renew_once: expected 1 request, got 2');
  await call.locator('button.head').click();
  await expect(call.locator('pre.result')).toHaveCount(0);
});

test('the hit that was opened is in sight, also when its session is hardly longer than the window', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  for (const height of [500, 700, 900, 1100]) {
    await page.setViewportSize({ width: 1440, height });
    await page.goto(`${staged.stage.url}/search`);
    await page.getByLabel('Search', { exact: true }).fill('two_callers_renew_once failed');
    await page.locator('a.hit', { hasText: 'expected 1 request, got 2' }).first().click();
    await expect(page.locator('article.chosen')).toContainText('✕ failed');
    await page.waitForLoadState('networkidle');
    await expect(page.locator('article.chosen')).toBeInViewport();
  }
});

test('yesterday is the day before, from midnight to midnight', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  await page.goto(`${staged.stage.url}/timeline?width=1h`);
  await page.getByRole('button', { name: 'Yesterday' }).click();
  const midnight = new Date().setHours(0, 0, 0, 0);
  const said = (at: number) => new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  await expect(page.locator('header')).toContainText(`${said(midnight - 86_400_000)} to ${said(midnight)}`);
  await expect(page.getByRole('button', { name: '24h' })).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await expect(page.locator('header')).toContainText('to now');
});

test('the palette, the list of keys and the pages are reached from the keyboard', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  await page.goto(`${staged.stage.url}/`);
  await expect(page.locator('[data-session]').first()).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lexer');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Speed up the lexer' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Usage' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.getByLabel('Filter the board').fill('lexer');
  await expect(page).toHaveURL(/\?q=lexer/);
  await expect(page.locator('[data-session]')).toHaveCount(1);
  await page.locator('[data-session] a').focus();
  await expect(page.getByRole('tooltip')).toContainText('Prompt');
});

test('a rule and a hook are shown before they are written', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  await page.goto(`${staged.stage.url}/settings`);
  await page.getByRole('button', { name: 'Write a rule…' }).click();
  await page.getByLabel('What is decided').selectOption('deny');
  await page.getByLabel('Tool', { exact: true }).fill('Bash');
  await page.getByLabel('Command pattern').fill('terraform destroy *');
  await page.getByRole('button', { name: 'Show what would be written' }).click();
  await expect(page.locator('figure')).toContainText('decision = "deny"');
  await page.getByRole('button', { name: 'Write this rule' }).click();
  await expect(page.getByRole('table')).toContainText('terraform destroy *');
  await page.locator('.hook', { hasText: 'Claude Code' }).getByRole('button', { name: 'Install…' }).click();
  await expect(page.locator('figure')).toContainText('PermissionRequest');
  await page.getByRole('button', { name: 'Write this' }).click();
  await expect(page.locator('.hook', { hasText: 'Claude Code' })).toContainText('✓ installed');
});

test('what a page asked for is given up when the page is left', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  await page.route('**/api/doctor', () => {});
  const [asked] = await Promise.all([page.waitForRequest('**/api/doctor'), page.goto(`${staged.stage.url}/health`)]);
  const [ended] = await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('link', { name: 'Findings' }).click()]);
  expect([ended.url(), ended.failure()?.errorText]).toEqual([asked.url(), 'net::ERR_ABORTED']);
});

test('a refusal is shown in its own words, with what to do', async ({ context, staged }) => {
  await enter(context, staged.stage);
  const page = await context.newPage();
  const check = async (status: number, body: string, expected: string) => {
    await page.route('**/api/doctor', (route) => route.fulfill({ status, body, contentType: 'application/json' }));
    await page.goto(`${staged.stage.url}/health`);
    await expect(page.getByRole('alert').filter({ hasText: expected })).toBeVisible();
    await page.unroute('**/api/doctor');
  };
  await check(503, JSON.stringify({ error: { kind: 'failure', code: 1, retryable: true, message: 'The index is busy', hint: 'try again' } }), 'The index is busy (try again)');
  await check(502, '<html>', 'the daemon answered 502');
});

test('Markdown is drawn as elements: lists in lists, code in lists, tables; links only where they lead', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  const answer = '1. one\n   - two\n     ```sh\n     ls -l\n     ```\n2. three\n\n| a | b |\n|---|--:|\n| **1** | 2 |\n\n[good](https://x.example/) [bad](javascript:alert(1)) ![shot](https://x.example/a.png)\n\n> quoted\n> - item\n\n<b>raw</b>';
  (all.infra as any).now = Date.now();
  (all.infra as any).asks('Show me all of it.').wait(1).says(answer);
  await page.goto(`${stage.url}/`);
  await page.getByRole('link', { name: /Rotate the staging certificates/ }).click();
  const prose = page.locator('article.said .prose').last();
  await expect(prose).toContainText('<b>raw</b>');
  const drawn = await prose.evaluate((node) => {
    const shape = (it: Element): string => `${it.localName}${it.childElementCount ? `(${[...it.children].map(shape).join(' ')})` : ''}`;
    return [...node.children].map(shape);
  });
  expect(drawn).toEqual(['ol(li(p ul(li(p pre))) li(p))', 'div(table(thead(tr(th th)) tbody(tr(td(strong) td))))', 'p(a a)', 'blockquote(p ul(li(p)))', 'p']);
  expect(await prose.locator('a').evaluateAll((links) => links.map((it) => [it.textContent, it.getAttribute('href'), it.getAttribute('rel')]))).toEqual([
    ['good', 'https://x.example/', 'noopener noreferrer nofollow'], ['picture: shot', 'https://x.example/a.png', 'noopener noreferrer nofollow'],
  ]);
  await expect(prose.locator('td').last()).toHaveCSS('text-align', 'right');
});
