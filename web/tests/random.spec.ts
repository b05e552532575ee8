// Random clicks and keys over a living scene: nothing breaks, and no request is answered that was not the one shown when
// the finger went down. RANDOM_EVENTS and RANDOM_SECONDS say how long, RANDOM_SEED which.
import { enter, expect, test, watch } from './kit';

const EVENTS = Number(process.env.RANDOM_EVENTS ?? 1500);
const SECONDS = Number(process.env.RANDOM_SECONDS ?? 45);
const SEED = Number(process.env.RANDOM_SEED ?? 1);
/** So many requests are open at a time. */
const OPEN = 4;
/** So many events are sent before the first was heard. */
const BATCH = 25;
const KEYS = ['j', 'k', 'a', 'd', 'a', 'd', 'e', 's', 't', '[', ']', '/', '?', 'g', 'b', 'n', 'm', 'u', 'f', 'h', 'c', 'Enter', 'Escape', 'Tab', 'Shift+Tab', 'ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Control+k', 'Backspace', 'Space', 'x', '"'];
const PLACES = ['/', '/', '/', '/', '/', '/', '/approvals', '/approvals', '/approvals', '/approvals?mode=queue', '/sessions', '/projects', '/search?q=token', '/timeline', '/usage', '/feed', '/findings', '/health', '/settings'];
const COMMANDS = ['ls -la task-N', 'git push --force origin task-N', 'make task-N && make check', "cat > task-N <<'EOF'\na; b\nEOF", 'rm -rf task-N', 'cargo test task-N'];

function chances(seed: number) {
  let state = seed >>> 0;
  return (most: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

test('random clicks and keys break nothing and answer only what was shown', async ({ browser, staged }) => {
  test.setTimeout((SECONDS + 120) * 1000);
  const { stage, all } = staged;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await enter(context, stage);
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  // A refusal of the daemon is an answer, also that pushes are off; the browser notes it all the same.
  page.on('console', (it) => { if (it.type() === 'error' && !/status of (400|409|422)/.test(it.text()) && !it.location().url.includes('/api/push/')) faults.push(`console: ${it.text()} ${it.location().url}`); });
  const answers: { id: string; shown: { id: string; text: string; seen: boolean } | undefined }[] = [];
  await page.exposeFunction('answered', (it: (typeof answers)[number]) => void answers.push(it));
  // What is under the finger or has the focus is noted before the page hears of it, and again when an answer leaves.
  await page.addInitScript(() => {
    const shown: unknown[] = [];
    const note = (from: Element | null) => {
      const item = from?.closest('main article, main section[data-item]');
      const row = from?.closest('[data-request]') ?? item?.querySelector('[data-request]');
      const text = [...(row?.closest('article, section')?.querySelectorAll('.asking') ?? [])].map((it) => it.textContent ?? '').join('\n');
      shown.push({ id: row?.getAttribute('data-request') ?? '', text, seen: row ? (row as HTMLElement).offsetParent !== null : false });
    };
    addEventListener('pointerdown', (it) => note((it.target as Element).closest('[data-request]')), true);
    addEventListener('keydown', () => note(document.activeElement), true);
    const send = window.fetch;
    window.fetch = (to, how) => {
      const { url, method } = to instanceof Request ? to : { url: String(to), method: how?.method };
      const id = /\/api\/approvals\/(\w+)$/.exec(url)?.[1];
      if (id && method === 'POST') (window as any).answered({ id, shown: shown.at(-1) });
      return send(to, how);
    };
  });
  await page.goto(`${stage.url}/`);
  await expect(page.locator('[data-session]').first()).toBeVisible();

  type Decision = { approval_id: string; command: string; by: string };
  const decisions = (): Decision[] => JSON.parse(stage.run('approvals', 'log', '--json')).decisions;
  const before = new Set(decisions().map((it) => it.approval_id));
  const chance = chances(SEED);
  const waiting = new Set<Promise<string>>();
  let asked = 0;
  const ask = () => {
    asked += 1;
    const session = [all.parser, all.etl, all.auth, all.docs][chance(4)];
    const command = (COMMANDS[chance(COMMANDS.length)] ?? '').replace('N', String(asked));
    const input = chance(4) ? { command, description: `Task ${asked}` } : { file_path: `/w/task-${asked}.ts`, old_string: 'a', new_string: `b${asked}` };
    const answered: Promise<string> = stage.hook(session, 'PermissionRequest', { tool_name: 'command' in input ? 'Bash' : 'Edit', tool_input: input });
    waiting.add(answered);
    void answered.finally(() => waiting.delete(answered));
  };
  const cdp = await context.newCDPSession(page);
  const size = () => page.viewportSize() ?? { width: 1440, height: 900 };
  // Fingers do not wait for the page: what a batch sends is under way before the first of it was heard.
  const click = (x: number, y: number) => {
    const it = { x, y, button: 'left' as const, clickCount: chance(4) ? 1 : 2 };
    const down = cdp.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...it });
    return Promise.all([down, cdp.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...it })]);
  };
  const places = (): Promise<[number, number][]> => page.evaluate(() => [...document.querySelectorAll('main [data-request] button')].map((it) => {
    const { left, top, width, height } = it.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  }));
  const one = (buttons: [number, number][]): Promise<unknown> => {
    const dice = chance(100);
    const button = buttons[chance(Math.max(1, buttons.length))];
    if (dice < 30 && button) return click(...button);
    if (dice < 45) return click(chance(size().width), chance(size().height));
    if (dice < 85) return page.keyboard.press(KEYS[chance(KEYS.length)] ?? 'j');
    if (dice < 92) return cdp.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: chance(size().width), y: chance(size().height), deltaX: 0, deltaY: chance(1200) - 600 });
    if (dice < 98) return cdp.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: chance(size().width), y: chance(size().height) });
    return page.keyboard.type(`word${chance(9)}`);
  };
  // Between batches: another place, another size, or back.
  const wander = async () => {
    const dice = chance(100);
    if (dice < 6) await page.goBack({ waitUntil: 'commit', timeout: 5000 }).catch(() => null);
    if (dice >= 6 && dice < 10) await page.setViewportSize(chance(2) ? { width: 1440, height: 900 } : { width: 375, height: 812 });
    if (dice >= 10 && dice < 70) await page.evaluate((to) => { const link = document.createElement('a'); link.href = to; document.body.append(link); link.click(); link.remove(); }, PLACES[chance(PLACES.length)] ?? '/');
    // A browser that went back beyond the first page is brought in again.
    if (!page.url().startsWith(stage.url)) await page.goto(`${stage.url}/`);
  };

  const end = Date.now() + SECONDS * 1000;
  let done = 0;
  // A run in which nothing was answered shows nothing: it goes on a little.
  const goesOn = () => (done < EVENTS && Date.now() < end) || (answers.length === 0 && Date.now() < end + 60_000);
  while (goesOn()) {
    while (waiting.size < OPEN) ask();
    await wander();
    // Now and then somebody reads before he presses.
    const reads = chance(3) === 0;
    if (reads) await page.waitForFunction(() => document.querySelector('main [data-request] button[aria-disabled=false]'), null, { timeout: 1500 }).catch(() => null);
    const buttons = await places();
    const read = buttons[chance(Math.max(1, buttons.length))];
    if (reads && read) await click(...read);
    const batch = Array.from({ length: BATCH }, () => one(buttons));
    done += batch.length;
    await Promise.all(batch);
  }
  const decided = decisions().filter((it) => it.by === 'web' && !before.has(it.approval_id));
  const wrong = decided.flatMap((it) => {
    const answer = answers.find((other) => other.id === it.approval_id);
    const fits = answer?.shown && answer.shown.id === it.approval_id && answer.shown.seen;
    const file = /(\S+\.ts)$/.exec(it.command)?.[1];
    const read = answer?.shown?.text.includes(file ?? it.command.split('\n')[0] ?? '');
    return fits && read ? [] : [{ decided: it, answer }];
  });
  console.log(`seed ${SEED}: ${done} events, ${asked} requests, ${decided.length} answered here, ${faults.length} faults`);
  for (const it of JSON.parse(stage.run('approvals', '--json')).approvals) if (/task-\d/.test(it.command)) stage.run('deny', it.id);
  await Promise.all(waiting);
  expect(wrong).toEqual([]);
  expect(faults).toEqual([]);
  expect(decided.length).toBeGreaterThan(0);
  await context.close();
});
