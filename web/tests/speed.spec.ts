import { test as base, type BrowserContext, type Page } from '@playwright/test';
import { gzipSync } from 'node:zlib';
import { enter, expect, Stage } from './kit';
// @ts-expect-error Plain modules, used by scripts too.
import { Claude, uuid } from './stage.mjs';

const note = (name: string, value: string) => console.log(`      ${name}: ${value}`);

const USEFUL = 'article.item, main [data-row], .lanes li';

/** Each page notes when it first drew something useful: who asks from outside sees it only at the next look. */
const drawn = (context: BrowserContext) => context.addInitScript((useful) => {
  const eye = new MutationObserver(() => {
    if (!document.querySelector(useful)) return;
    eye.disconnect();
    // A task after a frame begins when the frame is drawn.
    requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.drawn = String(performance.now()); }));
  });
  eye.observe(document, { subtree: true, childList: true });
}, USEFUL);

/** When the page drew something useful, in milliseconds since it was gone to. */
async function painted(page: Page): Promise<number> {
  await page.locator('html[data-drawn]').waitFor();
  return page.evaluate(() => Number(document.documentElement.dataset.drawn));
}

type Traced = { name: string; ph: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number; args?: { name?: string } };

/** The processor time of the tasks of the page's own thread, in milliseconds: those that drew a frame, and the others, such as
    the browser's collection of garbage. */
function tasks(trace: Traced[]): { frames: number[]; others: number[] } {
  const main = new Set(trace.filter((it) => it.name === 'thread_name' && it.args?.name === 'CrRendererMain').map((it) => `${it.pid} ${it.tid}`));
  const own = trace.filter((it) => main.has(`${it.pid} ${it.tid}`));
  const drawn = own.filter((it) => it.name === 'Layerize');
  const spent = (it: Traced) => (it.tdur ?? it.dur ?? 0) / 1000;
  // A task is noted twice, one within the other.
  const all = own.filter((it) => it.ph === 'X' && it.name === 'ThreadControllerImpl::RunTask');
  const isFrame = (task: Traced) => drawn.some((it) => it.pid === task.pid && it.ts >= task.ts && it.ts <= task.ts + (task.dur ?? 0));
  const sorted = (list: Traced[]) => list.map(spent).sort((one, other) => one - other);
  return { frames: sorted(all.filter(isFrame)), others: sorted(all.filter((it) => !isFrame(it))) };
}

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
  await drawn(context);
  const page = await context.newPage();
  await page.goto(`${stage.url}/session/@last`);
  await expect(page.getByText(/^50,000 events|^50,00\d events/)).toBeVisible({ timeout: 60_000 });
  const id = await page.evaluate(async () => (await fetch('/api/sessions/@last').then((it) => it.json())).id);
  for (const place of ['', '?turn=12500', '?turn=1']) {
    const paints: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      let got = 0;
      page.on('response', async (it) => { if (it.url().includes('/window')) got += (await it.body().catch(() => Buffer.alloc(0))).length; });
      await page.goto('about:blank');
      await page.goto(`${stage.url}/session/${id}${place}`);
      paints.push(await painted(page));
      expect(got).toBeLessThan(300_000);
      page.removeAllListeners('response');
      await page.waitForLoadState('networkidle');
    }
    paints.sort((one, other) => one - other);
    note(`useful paint at ${place || 'the end'}`, `median ${Math.round(paints[2]!)} ms, worst ${Math.round(paints[4]!)} ms`);
    expect.soft(paints[2], place).toBeLessThan(500);
  }
  await page.goto(`${stage.url}/session/${id}?turn=12500`);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.turnbar i').first()).toBeAttached();
  await page.waitForTimeout(1000);
  const box = (await page.getByRole('feed').elementHandle())!;
  const run = (steps: number, by: string) => box.evaluate(async (it, [what, count]) => {
    for (let step = 0; step < Number(count); step += 1) {
      if (what === 'up') it.scrollTop -= 240;
      else if (what === 'down') it.scrollTop += 600;
      else it.scrollTop = (it.scrollHeight / 60) * step;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  }, [by, steps] as const);
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'devtools.timeline'] });
  await run(120, 'up');
  await run(120, 'down');
  await run(60, 'jump');
  await run(120, 'down');
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Traced[] };
  const { frames, others } = tasks(traceEvents);
  expect(frames.length).toBeGreaterThan(420);
  const last = (list: number[]) => list.slice(-4).map((it) => it.toFixed(1)).join(', ');
  note('scrolling 50,000 messages', `a frame takes ${frames[frames.length >> 1]?.toFixed(1)} ms at the median, the longest ${last(frames)}; the longest other tasks ${last(others)}`);
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
    // Records with the same id would make the sessions copies of each other.
    const line = (type: string, after: number, message: object) => JSON.stringify({ ...said, parentUuid: null, uuid: `${at.toString(16).padStart(8, '0')}-0000-4000-9000-${String(after).padStart(12, '0')}`, timestamp: new Date(start + after * 1000).toISOString(), type, message });
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
  await drawn(context);
  const page = await context.newPage();
  await page.goto(`${stage.url}/`);
  const known = () => page.evaluate(async () => (await fetch('/api/sessions?sort=last&limit=1').then((it) => it.json())).total as number);
  await expect.poll(known, { timeout: 1_500_000, intervals: [2000] }).toBe(count);
  note(`history of ${count} sessions read after`, `${Math.round((Date.now() - began) / 1000)} s`);
  const worst = async (name: string, path: string) => {
    const paints: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await page.goto('about:blank');
      await page.goto(stage.url + path);
      paints.push(await painted(page));
    }
    paints.sort((a, b) => a - b);
    note(`useful paint of ${name}`, `median ${Math.round(paints[2]!)} ms, worst ${Math.round(paints[4]!)} ms`);
    expect.soft(paints[2], name).toBeLessThan(500);
  };
  await worst('the list', '/sessions');
  await worst('the list by cost', '/sessions?sort=cost&order=desc');
  await worst('a week on the timeline', '/timeline?width=7d');
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => ((await session.send('Performance.getMetrics')).metrics.find((it) => it.name === 'TaskDuration')?.value ?? 0) * 1000;
  for (const path of ['/', '/timeline?width=7d', '/sessions']) {
    await page.goto(stage.url + path);
    await page.waitForLoadState('networkidle');
    const during = async (ms: number) => {
      const before = await spent();
      await page.waitForTimeout(ms);
      return (await spent()) - before;
    };
    // The daemon goes on with a history that it has just read.
    const shown = Date.now();
    await expect.poll(() => during(5000), { timeout: 600_000, intervals: [0] }).toBeLessThan(5);
    note(`${path} comes to rest after`, `${Math.round((Date.now() - shown) / 1000)} s`);
    const used = await during(30_000);
    note(`${path} at rest`, `${used.toFixed(1)} ms of its thread in 30 s, ${(used / 300).toFixed(3)} % of a core`);
    expect.soft(used, path).toBeLessThan(30);
  }
  await context.close();
  await stage.close();
});
