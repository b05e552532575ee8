// What a click may never do: answer another request than the one that was shown, or one that was not read.
import { enter, expect, press, seen, test, watch } from './kit';

const HEREDOC = "cat > site.conf <<'EOF'\nserver {\n  listen 443 ssl;\n}\nEOF\nnginx -t";
const asks = (stage: any, session: any, tool_name: string, tool_input: object): Promise<string> =>
  stage.hook(session, 'PermissionRequest', { tool_name, tool_input });
const behavior = (out: string) => (out ? JSON.parse(out).hookSpecificOutput.decision.behavior : 'none');

test('a double click answers one of two requests, and the other is still there', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  const sent: string[] = [];
  page.on('request', (it) => { if (it.method() === 'POST') sent.push(it.url()); });
  await page.goto(`${stage.url}/?q=lexer`);
  const first = asks(stage, all.parser, 'Bash', { command: 'ls -la' });
  const card = page.locator('article', { hasText: 'Speed up the lexer' });
  await expect(card).toContainText('ls -la');
  const second = asks(stage, all.parser, 'Bash', { command: 'rm -rf / --no-preserve-root' });
  await expect(card).toContainText('1 of 2');
  await expect(card).toContainText('ls -la');
  const approve = card.getByRole('button', { name: /^Approve/ });
  await expect(approve).toBeEnabled();
  const box = (await approve.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const approved = seen(page, '✓ Approved');
  // What is shown next is the other request, and a press right then is for nobody: the page itself presses, in the moment it is shown.
  const pressedAtOnce = page.evaluate(() => new Promise<string>((done) => {
    const eye = new MutationObserver(() => {
      const card = [...document.querySelectorAll<HTMLElement>('main article')].find((it) => it.innerText.includes('rm -rf / --no-preserve-root'));
      const button = card?.querySelector<HTMLElement>('button[data-key="a"]');
      if (!button) return;
      eye.disconnect();
      button.click();
      button.click();
      done(button.innerText);
    });
    eye.observe(document.body, { subtree: true, childList: true, characterData: true });
  }));
  await page.mouse.click(x, y);
  await page.mouse.click(x, y, { delay: 250 });
  expect(await approved).toContain('Speed up the lexer');
  expect(behavior(await first)).toBe('allow');
  expect(await pressedAtOnce).toContain('Approve');
  await expect(card).toContainText('rm -rf / --no-preserve-root');
  expect(sent.filter((it) => it.includes('/api/approvals/'))).toHaveLength(1);
  await press(card.getByRole('button', { name: 'Deny' }));
  expect(behavior(await second)).toBe('deny');
  expect(faults).toEqual([]);
});

test('what is risky looks so and is asked twice; a rule for it does not begin with allow', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/approvals`);
  const answered = asks(stage, all.parser, 'Bash', { command: 'git push --force origin main' });
  const request = page.locator('article', { hasText: 'git push --force origin main' });
  await expect(request).toContainText('! High risk');
  await request.getByRole('button', { name: 'Write a rule…' }).click();
  await expect(request.getByLabel('What is decided')).toHaveValue('ask');
  const approve = request.getByRole('button', { name: 'Approve…' });
  await expect(approve).toBeEnabled();
  await approve.dblclick();
  const sure = request.getByRole('button', { name: 'Yes, run it' });
  await expect(sure).toBeVisible();
  const approved = seen(page, '✓ Approved');
  await press(sure);
  expect(await approved).toContain('git push --force origin main');
  expect(behavior(await answered)).toBe('allow');
});

test('an edit is shown as a difference wherever it can be approved, and what the agent claims as a claim', async ({ browser, staged }) => {
  const { stage, all } = staged;
  const context = await browser.newContext({ viewport: { width: 1440, height: 1200 } });
  await enter(context, stage);
  const page = await context.newPage();
  const edit = { file_path: '/home/ana/src/parser/src/tokens.ts', old_string: 'const ttl = 60;', new_string: 'const ttl = 0; // never' };
  const answered = asks(stage, all.parser, 'Edit', edit);
  const claimed = asks(stage, all.etl, 'Bash', { command: 'make deploy', description: 'Run everything as CI does' });
  await page.goto(`${stage.url}/`);
  const card = page.locator('article', { hasText: 'Speed up the lexer' });
  const shows = async (where: ReturnType<typeof page.locator>) => {
    await expect(where.locator('.lines .del').first()).toContainText('const ttl = 60;');
    await expect(where.locator('.lines .add').first()).toContainText('const ttl = 0; // never');
  };
  await shows(card);
  await expect(page.locator('article', { hasText: 'make deploy' })).toContainText('The agent says: “Run everything as CI does”');
  await page.goto(`${stage.url}/approvals`);
  await shows(page.locator('article', { hasText: 'tokens.ts' }));
  await page.goto(`${stage.url}/`);
  await page.getByRole('link', { name: /Speed up the lexer/ }).click();
  await shows(page.locator('aside section.asks'));
  await press(page.locator('aside section.asks').getByRole('button', { name: 'Deny' }));
  expect(behavior(await answered)).toBe('deny');
  await page.goto(`${stage.url}/`);
  await press(page.locator('article', { hasText: 'make deploy' }).getByRole('button', { name: 'Deny' }));
  expect(behavior(await claimed)).toBe('deny');
  await context.close();
});

test('a here-document is not taken for commands', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/approvals`);
  const answered = asks(stage, all.parser, 'Bash', { command: HEREDOC });
  const request = page.locator('article', { hasText: 'listen 443' });
  await expect(request.getByLabel('The command in its parts').locator('li')).toHaveCount(2);
  await expect(request.getByLabel('The command in its parts').locator('li').last()).toContainText('nginx -t');
  await press(request.getByRole('button', { name: 'Deny' }));
  expect(behavior(await answered)).toBe('deny');
});

test('nothing lies over a command that can be approved', async ({ browser, staged }) => {
  const { stage, all } = staged;
  const context = await browser.newContext({ viewport: { width: 1440, height: 1600 } });
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/`);
  const answered = [asks(stage, all.parser, 'Bash', { command: 'make one' }), asks(stage, all.etl, 'Bash', { command: 'make two' })];
  const column = page.getByRole('region', { name: 'Needs you' });
  await expect(column.locator('article', { hasText: 'make two' })).toBeVisible();
  const cards = column.locator('article');
  for (let number = 0; number < (await cards.count()); number += 1) {
    await cards.nth(number).locator('a.open').hover();
    const covered = await column.locator('pre.command').evaluateAll((all) => all.filter((it) => {
      const { left, top, width, height } = it.getBoundingClientRect();
      return !it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }).map((it) => it.textContent));
    expect(covered).toEqual([]);
    await expect(column.getByRole('tooltip')).toHaveCount(0);
  }
  for (const name of ['make one', 'make two']) await press(column.locator('article', { hasText: name }).getByRole('button', { name: 'Deny' }));
  expect((await Promise.all(answered)).map(behavior)).toEqual(['deny', 'deny']);
  await context.close();
});

test('who is signed out is told so, hears nothing more and approves nothing', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage);
  const page = await context.newPage();
  const frames: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', (it) => frames.push(String(it.payload))));
  await page.goto(`${stage.url}/`);
  const answered = asks(stage, all.parser, 'Bash', { command: 'make before' });
  const card = page.locator('article', { hasText: 'make before' });
  await expect(card).toBeVisible();
  stage.renew();
  await expect(page.getByRole('alert')).toContainText('no longer signed in');
  const after = asks(stage, all.etl, 'Bash', { command: 'make after' });
  await expect.poll(() => stage.run('approvals', '--json')).toContain('make after');
  await press(card.getByRole('button', { name: 'Approve' }));
  await expect(card).toContainText('token');
  expect(frames.join('\n')).not.toContain('make after');
  await expect(page.locator('article', { hasText: 'make after' })).toHaveCount(0);
  for (const it of JSON.parse(stage.run('approvals', '--json')).approvals) if (/make (before|after)/.test(it.command)) stage.run('deny', it.id);
  expect([await answered, await after].map(behavior)).toEqual(['deny', 'deny']);
});

test('a browser only reads until its first deed is confirmed', async ({ context, staged }) => {
  const { stage, all } = staged;
  await enter(context, stage, false);
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  await page.goto(`${stage.url}/approvals`);
  const answered = asks(stage, all.parser, 'Bash', { command: 'ls -l first' });
  const request = page.locator('article', { hasText: 'ls -l first' });
  const question = page.getByRole('dialog', { name: 'Let this browser act as you?' });
  await press(request.getByRole('button', { name: /^Approve/ }));
  await expect(question).toBeVisible();
  // A key that was meant for the page allows nothing.
  await page.keyboard.press('Enter');
  await expect(question).toBeHidden();
  await expect(request).toContainText('ls -l first');
  expect(JSON.parse(stage.run('approvals', '--json')).approvals.map((it: any) => it.command)).toContain('ls -l first');
  await press(request.getByRole('button', { name: /^Approve/ }));
  await question.getByRole('button', { name: 'Let it act' }).click();
  expect(behavior(await answered)).toBe('allow');
  // It is asked once.
  const next = asks(stage, all.parser, 'Bash', { command: 'ls -l second' });
  const another = page.locator('article', { hasText: 'ls -l second' });
  await press(another.getByRole('button', { name: 'Deny' }));
  expect(behavior(await next)).toBe('deny');
  await expect(question).toBeHidden();
  expect(faults).toEqual([]);
});
