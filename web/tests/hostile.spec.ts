import { test as base } from '@playwright/test';
import { chosen, enter, expect, Stage, watch } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { payloads } from './payloads.mjs';
// @ts-expect-error As above.
import { Claude, uuid } from './stage.mjs';

base('hundreds of hostile texts: none runs, none loads, none becomes an element', async ({ browser }) => {
  base.setTimeout(600_000);
  expect(payloads.length).toBeGreaterThanOrEqual(300);
  const stage = await Stage.open();
  const now = Date.now();
  // Every text stands once as a prompt, an answer, a call's input and its result; and titles, folders and branches are hostile.
  const per = 14;
  const sessions: any[] = [];
  for (let first = 0; first < payloads.length; first += per) {
    const some = payloads.slice(first, first + per);
    const one = (text: string) => text.replace(/[\n\u0000]/g, ' ');
    const it = new Claude(stage, { id: uuid(first + 1), cwd: `/w/${one(some[1] ?? 'x').replaceAll('/', '∕').slice(0, 180)}`, branch: one(some[2] ?? 'x'), title: one(some[0] ?? 'x'), start: now - 600_000 + first * 100 });
    it.path = `${stage.home}/.claude/projects/-w-${first}/${uuid(first + 1)}.jsonl`;
    (await import('node:fs')).mkdirSync(`${stage.home}/.claude/projects/-w-${first}`, { recursive: true });
    it.titled(one(some[0] ?? 'x'));
    for (const text of some) {
      it.asks(text).wait(1).thinks(text).wait(1).calls('Bash', { command: text, description: text }).wait(1).result(text, first % 2 === 0);
      it.wait(1).calls('Edit', { file_path: `/w/${one(text)}`, old_string: text, new_string: `${text}${text}` }).wait(1).result(text).wait(1).says(text);
    }
    sessions.push(it);
  }
  await stage.start();
  for (const it of sessions.slice(0, 12)) {
    const text = payloads[sessions.indexOf(it) * per + 3] ?? 'x';
    void stage.hook(it, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: text, description: text } });
  }
  const context = await browser.newContext({ viewport: { width: 1440, height: 2400 } });
  await enter(context, stage);
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  const check = async (where: string) => {
    const found = await page.evaluate(() => ({
      hit: (window as any).__hit, base: document.baseURI.startsWith(location.origin),
      odd: document.querySelectorAll('#app script, #app iframe, #app img, #app object, #app embed, #app video, #app audio, #app link, #app meta, #app base, #app style, #app math, #app svg a, #app svg image, #app svg use, #app svg script').length,
      links: [...document.querySelectorAll('a[href]')].filter((it) => !/^(https?|mailto):$/.test((it as HTMLAnchorElement).protocol)).map((it) => it.outerHTML),
      handlers: [...document.querySelectorAll('#app *')].filter((it) => [...it.attributes].some((name) => name.name.startsWith('on'))).length,
    }));
    expect(found, where).toEqual({ hit: undefined, base: true, odd: 0, links: [], handlers: 0 });
    // Characters that turn the reading direction are written out, never obeyed.
    expect(await page.locator('main').innerText(), where).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  };
  await page.goto(`${stage.url}/`);
  await expect(page.locator('[data-session]').nth(8)).toBeVisible();
  const ids = await page.locator('[data-session]').evaluateAll((all) => all.map((it) => it.getAttribute('data-session')));
  expect(ids.length).toBe(sessions.length);
  await page.locator('[data-session] a').first().hover();
  await check('board');
  for (const path of [`/beside?a=${ids[0]}`, `/beside?a=${ids[0]}&b=${ids[1]}`, '/sessions', '/sessions?sort=tokens&tag=%3Cimg%20src%3Dx%20onerror%3Dwindow.__hit%3D7%3E', '/sessions?project=%22%3E%3Cscript%3Ewindow.__hit%3D8%3C/script%3E', '/projects', '/projects?project=%3Csvg%20onload%3Dwindow.__hit%3D6%3E', '/usage?model=%3Cimg%20src%3Dx%20onerror%3Dwindow.__hit%3D5%3E&from=%3Cb%3E', '/timeline?width=%3Cb%3E&end=%3Cimg%3E&agents=true', '/approvals', '/approvals?mode=queue', '/feed', '/findings', '/timeline', '/usage', '/health', '/search?q=window', '/search?q=evil', `/search?q=${encodeURIComponent('<img src=x onerror=window.__hit=9>')}`]) {
    await page.goto(stage.url + path);
    await page.waitForLoadState('networkidle');
    await check(path);
  }
  // Folders and tags of projects, and what a person is shown to change.
  await page.goto(`${stage.url}/projects`);
  const folders = await page.locator('main td a[data-item]').evaluateAll((all) => all.map((it) => it.getAttribute('href') ?? ''));
  for (const path of folders.slice(0, 12)) {
    await page.goto(stage.url + path);
    await page.waitForLoadState('networkidle');
    await check(path);
  }
  await page.goto(`${stage.url}/sessions`);
  await page.locator('[data-row] button[data-key="m"]').first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  const evil = payloads.find((it: string) => it.startsWith('<img'));
  await page.getByRole('dialog').getByLabel('Note').fill(evil);
  await page.getByRole('dialog').getByRole('button', { name: 'Add note' }).click();
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText(evil);
  await check('marks');
  // A slice goes through a third of the sessions from end to beginning.
  for (const [at, id] of ids.entries()) {
    if (!chosen(at, 3)) continue;
    await page.goto(`${stage.url}/session/${id}`);
    const rows = page.getByRole('feed', { name: 'Transcript' });
    await expect(rows.locator('article').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    // From the end to the beginning, with everything opened on the way.
    for (let step = 0; step < 60; step += 1) {
      await rows.evaluate((box) => box.querySelectorAll<HTMLElement>('button[aria-expanded="false"]').forEach((it) => it.click()));
      const top = await rows.evaluate((box) => { box.scrollTop -= box.clientHeight * 0.9; return box.scrollTop; });
      if (step % 4 === 0) await check(`session ${id}`);
      if (top <= 0) break;
    }
    await check(`session ${id}`);
    for (const view of ['?view=trace&turn=1', '?view=context', '?side=turns', '?side=sessions', '?show=errors', '?show=edits']) {
      await page.goto(`${stage.url}/session/${id}${view}`);
      await page.waitForLoadState('networkidle');
      await check(`session ${id} ${view}`);
    }
  }
  // What is looked for comes from anywhere, too.
  for (const text of payloads.filter((_: string, at: number) => chosen(at, 6))) {
    await page.goto(`${stage.url}/session/${ids[0]}?find=${encodeURIComponent(text)}&turn=${encodeURIComponent(text)}&time=x`);
    await expect(page.getByRole('search', { name: 'Find in this session' })).toBeVisible();
  }
  await check('find');
  expect(faults).toEqual([]);
  await context.close();
  await stage.close();
});
