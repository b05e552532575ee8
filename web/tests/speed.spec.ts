import { test as base } from '@playwright/test';
import { gzipSync } from 'node:zlib';
import { enter, expect, Stage } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { Claude, uuid } from './stage.mjs';

const note = (name: string, value: string) => console.log(`      ${name}: ${value}`);

base('first load is small and quick, and a board of 500 live sessions follows at once', async ({ browser }) => {
  base.setTimeout(300_000);
  const stage = await Stage.open();
  const now = Date.now();
  const all = Array.from({ length: 500 }, (_, at) => {
    const it = new Claude(stage, { id: uuid(at + 1), cwd: `/w/project-${at % 20}`, title: `Session number ${at}`, start: now - 20_000 });
    return it.asks(`Do the thing number ${at}`).wait(2).calls('Bash', { command: `make thing-${at}` });
  });
  await stage.start();
  for (let at = 0; at < all.length; at += 25) {
    await Promise.all(all.slice(at, at + 25).map((it) => stage.hook(it, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'make thing' }, tool_use_id: 'toolu_1' })));
  }
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await enter(context, stage);
  const page = await context.newPage();
  let size = 0;
  page.on('response', async (it) => { if (/\.js$/.test(it.url())) size += gzipSync(await it.body()).length; });
  await page.goto(`${stage.url}/`);
  const working = page.getByRole('region', { name: 'Working' });
  await expect.poll(async () => Number((await working.locator('h2').innerText()).match(/\d+/)?.[0])).toBe(500);
  await page.waitForLoadState('networkidle');
  note('JavaScript of the first load, gzip', `${(size / 1000).toFixed(1)} kB`);
  expect(size).toBeLessThan(150_000);
  const ready = await page.evaluate(() => { const it = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming; return it.domInteractive; });
  note('interactive after', `${Math.round(ready)} ms`);
  expect(ready).toBeLessThan(500);

  const waits: number[] = [];
  for (let round = 0; round < 12; round += 1) {
    const socket = page.evaluate((title) => new Promise<number>((done) => {
      const column = document.querySelector('section[aria-label="Needs you"]')!;
      const look = () => { if ([...column.querySelectorAll('article')].some((it) => it.querySelector('.name')?.textContent === title)) { eye.disconnect(); requestAnimationFrame(() => done(performance.timeOrigin + performance.now())); } };
      const eye = new MutationObserver(look);
      eye.observe(column, { subtree: true, childList: true, characterData: true });
    }), `Session number ${round}`);
    await page.waitForTimeout(60);
    void stage.hook(all[round], 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: `make thing-${round}` } });
    // The hook itself says when it was called.
    const drawn = await socket;
    const asked = await page.evaluate(async (title) => {
      const { sessions } = await fetch('/api/stream/status').then((it) => it.json());
      return Date.parse(sessions.find((it: any) => it.title === title).status_since);
    }, `Session number ${round}`);
    waits.push(drawn - asked);
  }
  waits.sort((a, b) => a - b);
  note('from the hook to the card, 500 live sessions', `median ${Math.round(waits[6]!)} ms, worst ${Math.round(waits[11]!)} ms`);
  expect(waits[6]).toBeLessThan(100);
  await context.close();
  await stage.close();
});

base('a transcript of 50,000 messages scrolls without a long frame', async ({ browser }) => {
  base.setTimeout(300_000);
  const stage = await Stage.open();
  const it = new Claude(stage, { id: uuid(1), cwd: '/w/long', title: 'A long session', start: Date.now() - 86_000_000 });
  const lines: string[] = [];
  const { appendFileSync } = await import('node:fs');
  for (let at = 0; at < 25_000; at += 1) {
    for (const type of ['user', 'assistant'] as const) {
      const own = `00000000-0000-4000-9000-${String(lines.length).padStart(12, '0')}`;
      const text = `Message ${lines.length}. ${'It says **something** of `some` length. '.repeat(1 + (lines.length % 5))}`;
      const message = type === 'user' ? { role: 'user', content: text } : { id: `m${at}`, type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } };
      lines.push(JSON.stringify({ parentUuid: null, isSidechain: false, userType: 'external', cwd: '/w/long', sessionId: it.id, version: '2.1.240', gitBranch: 'main', uuid: own, timestamp: new Date(it.now + lines.length * 1000).toISOString(), type, message }));
    }
  }
  appendFileSync(it.path, `${lines.join('\n')}\n`);
  await stage.start();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/session/@last`);
  await expect(page.getByText(/^50,000 events|^50,00\d events/)).toBeVisible({ timeout: 60_000 });
  const id = await page.evaluate(async () => (await fetch('/api/sessions/@last').then((it) => it.json())).id);
  for (const place of ['', '?turn=12500', '?turn=1']) {
    let got = 0;
    page.on('response', async (it) => { if (it.url().includes('/window')) got += (await it.body().catch(() => Buffer.alloc(0))).length; });
    await page.goto('about:blank');
    await page.goto(`${stage.url}/session/${id}${place}`);
    await expect(page.locator('article.item').first()).toBeVisible();
    const paint = await page.evaluate(() => performance.now());
    note(`useful paint at ${place || 'the end'}`, `${Math.round(paint)} ms, ${Math.round(got / 1000)} kB of windows`);
    expect(got).toBeLessThan(300_000);
    page.removeAllListeners('response');
  }
  await page.goto(`${stage.url}/session/${id}?turn=12500`);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.turnbar i').first()).toBeAttached();
  await page.waitForTimeout(1000);
  // The processor time of the page's own thread for each frame: what others do on this machine does not count.
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => ((await session.send('Performance.getMetrics')).metrics.find((it) => it.name === 'TaskDuration')?.value ?? 0) * 1000;
  const box = (await page.getByRole('feed').elementHandle())!;
  const frames: number[] = [];
  const run = async (steps: number, by: string) => {
    for (let at = 0; at < steps; at += 1) {
      const before = await spent();
      await box.evaluate((it, [what, step]) => new Promise<void>((done) => {
        if (what === 'up') it.scrollTop -= 240;
        else if (what === 'down') it.scrollTop += 600;
        else it.scrollTop = (it.scrollHeight / 60) * Number(step);
        requestAnimationFrame(() => requestAnimationFrame(() => done()));
      }), [by, String(at)] as const);
      frames.push((await spent()) - before);
    }
  };
  await run(120, 'up');
  await run(120, 'down');
  await run(60, 'jump');
  await run(120, 'down');
  frames.sort((a, b) => a - b);
  note('work for a frame of scrolling 50,000 messages', `median ${frames[frames.length >> 1]!.toFixed(1)} ms, 99 of 100 within ${frames[Math.floor(frames.length * 0.99)]!.toFixed(1)} ms, worst ${frames.at(-1)!.toFixed(1)} ms`);
  expect(frames.at(-1)).toBeLessThan(50);
  expect(await page.locator('article.item').count()).toBeLessThan(120);
  await context.close();
  await stage.close();
});

/** Sessions of one turn each, written without the helper: there are many. */
async function many(stage: InstanceType<typeof Stage>, count: number, now: number): Promise<void> {
  const { mkdirSync, writeFileSync } = await import('node:fs');
  for (let at = 0; at < count; at += 1) {
    const id = uuid(at + 1);
    const cwd = `/home/ana/src/project-${at % 40}`;
    const folder = `${stage.home}/.claude/projects/${cwd.replaceAll('/', '-')}`;
    if (at < 40) mkdirSync(folder, { recursive: true });
    // Two hundred of the last week, the others before it.
    const start = at < 200 ? now - ((at * 6.9) / 200) * 86_400_000 - 3_600_000 : now - (8 + (at % 300)) * 86_400_000;
    const said = { userType: 'external', cwd, sessionId: id, version: '2.1.240', gitBranch: `work-${at % 12}`, isSidechain: false };
    const line = (type: string, after: number, message: object) => JSON.stringify({ ...said, parentUuid: null, uuid: `${id.slice(0, 24)}${String(after).padStart(12, '0')}`, timestamp: new Date(start + after * 1000).toISOString(), type, message });
    const lines = [line('user', 0, { role: 'user', content: `Do the thing number ${at}` })];
    for (let part = 1; part <= (at < 200 ? 20 : 1); part += 1) lines.push(line('assistant', part * 90, { id: `m${at}-${part}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5-20251101', content: [{ type: 'text', text: `Thing ${at} is done.` }], stop_reason: 'end_turn', usage: { input_tokens: 900 + at % 700, output_tokens: 90 + at % 70 } }));
    writeFileSync(`${folder}/${id}.jsonl`, `${lines.join('\n')}\n`);
  }
}

base('a list of 100,000 sessions and a week of 200 paint at once, and a tab at rest does nothing', async ({ browser }) => {
  base.setTimeout(1_800_000);
  const count = Number(process.env.SPEED_SESSIONS ?? 100_000);
  const stage = await Stage.open();
  await many(stage, count, Date.now());
  const began = Date.now();
  await stage.start();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await enter(context, stage);
  const page = await context.newPage();
  await page.goto(`${stage.url}/`);
  const known = () => page.evaluate(async () => (await fetch('/api/sessions?sort=last&limit=1').then((it) => it.json())).total as number);
  await expect.poll(known, { timeout: 1_500_000, intervals: [2000] }).toBe(count);
  note(`history of ${count} sessions read after`, `${Math.round((Date.now() - began) / 1000)} s`);
  const worst = async (name: string, path: string, ready: () => Promise<unknown>) => {
    const paints: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await page.goto('about:blank');
      await page.goto(stage.url + path);
      await ready();
      paints.push(await page.evaluate(() => performance.now()));
    }
    paints.sort((a, b) => a - b);
    note(`useful paint of ${name}`, `median ${Math.round(paints[2]!)} ms, worst ${Math.round(paints[4]!)} ms`);
    expect.soft(paints[2], name).toBeLessThan(500);
  };
  await worst('the list', '/sessions', () => page.locator('main [data-row]').first().waitFor());
  await worst('the list by cost', '/sessions?sort=cost&order=desc', () => page.locator('main [data-row]').first().waitFor());
  await worst('a week on the timeline', '/timeline?width=7d', () => page.locator('.lanes li').first().waitFor());
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => ((await session.send('Performance.getMetrics')).metrics.find((it) => it.name === 'TaskDuration')?.value ?? 0) * 1000;
  for (const path of ['/', '/timeline?width=7d', '/sessions']) {
    await page.goto(stage.url + path);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(3000);
    const before = await spent();
    await page.waitForTimeout(30_000);
    const used = (await spent()) - before;
    note(`${path} at rest`, `${used.toFixed(1)} ms of its thread in 30 s, ${(used / 300).toFixed(3)} % of a core`);
    expect.soft(used, path).toBeLessThan(30);
  }
  await context.close();
  await stage.close();
});
