// agentsview, and the shortest way to each answer on its pages. Every way begins on its list of sessions.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { TITLES } from './sessions.mjs';
import { dollars } from './shown.mjs';

export const name = 'agentsview';
/** Its style sheet from a font service would hold the page up where there is no network: it counts as not there. */
export async function prepare(context) {
  await context.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
}
export const start = (page, url) => page.goto(`${url}/sessions`);
export const ready = (page) => page.locator('[data-session-id]').first().waitFor();

function free() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => done(port)); });
  });
}

/** Starts it as it comes, over the home of the stage, and waits until it has read what is there. */
export async function serve(stage) {
  const program = process.env.AGENTSVIEW ?? 'agentsview';
  const port = await free();
  const child = spawn(program, ['serve', '--no-browser', '--no-update-check', '--port', String(port)], { env: stage.env, cwd: stage.home, stdio: 'ignore' });
  stage.children.push(child);
  const url = `http://127.0.0.1:${port}`;
  let [last, same] = [-1, 0];
  for (const end = Date.now() + 300_000; Date.now() < end; ) {
    const count = await fetch(`${url}/api/v1/stats`).then((it) => it.json(), () => undefined).then((it) => it?.session_count ?? 0);
    same = count && count === last ? same + 1 : 0;
    if (same > 3) return { url };
    last = count;
    await new Promise((done) => setTimeout(done, 2000));
  }
  throw new Error(`${program} did not come up; AGENTSVIEW= names it`);
}

const row = (page, title) => page.locator('.session-item', { hasText: title });
/** Its pages are tabs where they have room, and else a list. */
async function open(walk, place) {
  const tab = walk.page.getByRole('navigation', { name: 'Primary navigation' }).getByRole('button', { name: place, exact: true });
  if (await tab.isVisible()) return walk.click(tab);
  await walk.click(walk.page.getByRole('combobox', { name: /Primary navigation/ }));
  return walk.click(walk.page.getByRole('option', { name: place }));
}
async function dayOf(walk, time) {
  await open(walk, 'Activity');
  await walk.click(walk.page.locator('.kit-date-range-picker button').first());
  await walk.click(walk.page.locator('.kit-calendar__day:not(.outside)').getByText(String(new Date(time).getDate()), { exact: true }));
}
async function lastWeek(walk) {
  await open(walk, 'Usage');
  await walk.click(walk.page.getByRole('button', { name: /Last 30 days/ }));
  await walk.click(walk.page.getByText('7d', { exact: true }));
}
async function search(walk, words) {
  await walk.press('Control+k');
  await walk.page.locator('.palette-input').waitFor();
  await walk.type(words);
}

export const opened = (page, title) => row(page, title).locator('a').click();

export const ways = {
  /** It knows no approvals: what it says of a session that waits is what its dot says when pointed at. */
  async waits(walk) {
    const dot = row(walk.page, 'Publish the invoice fix').locator('.kit-status-dot');
    await walk.see(dot);
    return { seen: await dot.getAttribute('title'), right: false };
  },
  /** What commands said is not in the search of its pages; an answer that has the same words leads to the session. */
  async failed(walk) {
    await search(walk, 'two_callers_renew_once');
    await walk.page.locator('.palette-item', { hasText: 'Make the refresh test pass on CI' }).waitFor();
    await walk.press('Enter');
    await walk.page.getByText('The test failed because').waitFor();
    await walk.press('Control+f');
    await walk.page.locator('input[placeholder*="ind"]').last().waitFor();
    await walk.type('two_callers_renew_once');
    const seen = await walk.see(walk.page.getByText('expected 1 request, got 2').first());
    return { seen, right: true };
  },
  async project(walk, { truth }) {
    await lastWeek(walk);
    const rail = walk.page.locator('.rail-row', { hasText: 'billing' }).locator('.rail-cost');
    return walk.until(async () => {
      const seen = await rail.innerText({ timeout: 8000 });
      return { seen, right: seen === dollars(truth.days.dollars) };
    });
  },
  async parallel(walk, { truth, now }) {
    await dayOf(walk, now - 86_400_000);
    return walk.until(async () => {
      const text = (await walk.page.locator('body').innerText()).replace(/\s+/g, ' ');
      const seen = `${/peak \d+ at \S+/.exec(text)?.[0]}, ${/\d+ total/.exec(text)?.[0]}`;
      return { seen, right: seen.startsWith(`peak ${Math.max(3, truth.helpers && truth.helpers + 1)} `) && seen.endsWith(`, ${truth.yesterday + truth.helpers} total`) };
    });
  },
  /** There is no list of a session's files: they stand among its calls. */
  async files(walk) {
    await walk.click(row(walk.page, 'Make the refresh test pass on CI').locator('a'));
    const seen = await walk.see(walk.page.getByText(/src\/token\.rs \(\+7 -4\)/).first());
    return { seen, right: true };
  },
  async asked(walk) {
    await walk.click(row(walk.page, 'Make the refresh test pass on CI').locator('a'));
    const seen = await walk.see(walk.page.getByText('Yes, exactly as CI does.').first());
    return { seen, right: true };
  },
  async phrase(walk) {
    await search(walk, '"were not one step"');
    const seen = await walk.see(walk.page.locator('.palette-item', { hasText: 'Make the refresh test pass on CI' }));
    return { seen, right: seen.includes('were not one step') };
  },
  async cost(walk, { truth }) {
    await open(walk, 'Usage');
    const first = walk.page.locator('.chart-panel', { hasText: 'Top Sessions by Cost' }).getByText(truth.dear);
    const seen = await walk.see(first);
    return { seen, right: true };
  },
  async agent(walk, { truth }) {
    await open(walk, 'Activity');
    await walk.click(walk.page.getByText('Cost', { exact: true }).last());
    return walk.until(async () => {
      const seen = await walk.page.locator('body').innerText();
      const said = dollars(truth.today.dollars);
      return { seen: seen.includes(said) ? said : seen.slice(-200), right: seen.includes(said) };
    });
  },
  async doing(walk) {
    const dot = row(walk.page, 'Speed up the lexer').locator('.kit-status-dot');
    await walk.point(dot);
    await walk.see(dot);
    return { seen: await dot.getAttribute('title'), right: false };
  },
  // No `file`: its costs are those of projects, models, agents and sessions. No `filled`: it says how large the context was
  // after an answer, and not what is in it. No `turn`: its analysis knows that the turn took ten minutes, but neither what it
  // cost nor which of them were a person's.
  /** Its grade leads to the calls that failed; which command a failed call ran is said once its sequence is opened. */
  async twice(walk, { truth }) {
    await walk.click(row(walk.page, TITLES.twice).locator('a'));
    await walk.click(walk.page.locator('.grade-badge'));
    const closed = walk.page.locator('.tool-sequences-panel .sequence-row[aria-expanded=false]');
    await closed.first().waitFor();
    while (await closed.count()) await walk.click(closed.first());
    const [[command, times]] = truth.twice;
    return walk.until(async () => {
      const seen = (await walk.page.locator('.tool-sequences-panel').innerText()).replace(/\s+/g, ' ');
      return { seen, right: seen.split(`${command} Error`).length - 1 === times };
    });
  },
  async slow(walk, { truth }) {
    await walk.click(row(walk.page, TITLES.helped).locator('a'));
    const calls = walk.page.locator('.tool-header', { hasText: 'Task' });
    const seen = await walk.see(calls.filter({ hasText: truth.slow.what }));
    const seconds = (text) => [...text.matchAll(/([\d.]+)(m|s)\b/g)].reduce((all, [, count, unit]) => all + Number(count) * (unit === 'm' ? 60 : 1), 0);
    const all = (await calls.allInnerTexts()).map(seconds);
    return { seen, right: seconds(seen) === truth.slow.seconds && Math.max(...all) === truth.slow.seconds };
  },
  /** A day of its calendar leads to ten of that day's sessions; all of a day are under Activity. The command is in the clipboard at the end, and nowhere on the screen. */
  async resume(walk, { truth, now, friday }) {
    const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(friday).setHours(0, 0, 0, 0)) / 86_400_000);
    if (truth.fridays > 10) {
      await dayOf(walk, friday);
      await walk.click(walk.page.locator('table').getByText(TITLES.left));
    } else {
      await walk.click(walk.page.locator('.heatmap-cell').nth(-1 - days));
      await walk.click(walk.page.locator('.session-label', { hasText: TITLES.left }));
    }
    await walk.click(walk.page.getByRole('button', { name: 'Resume session' }).first());
    await walk.page.evaluate(() => navigator.clipboard.writeText(''));
    await walk.click(walk.page.getByText('Copy command'));
    return walk.until(async () => {
      const seen = await walk.page.evaluate(() => navigator.clipboard.readText());
      return { seen, right: truth.left.some((it) => seen.startsWith(`claude --resume ${it}`)) };
    });
  },
  /** What was denied counts as failed, and a search does not read it: one goes through the sessions with failures. */
  async denied(walk, { truth }) {
    await open(walk, 'Quality');
    await walk.click(walk.page.getByRole('button', { name: /^Failure signals/ }));
    await walk.click(walk.page.locator('.evidence-row', { hasText: 'builds' }));
    const call = walk.page.locator('.tool-header', { hasText: truth.denied[0] });
    await walk.click(call);
    const seen = await walk.see(walk.page.getByText(/user doesn't want to proceed/).first());
    return { seen: `${await call.innerText()} ${seen}`, right: true };
  },
  async against(walk, { truth }) {
    await lastWeek(walk);
    return walk.until(async () => {
      const seen = await walk.page.getByText(/% vs prior/).first().innerText();
      return { seen, right: Math.abs(Number.parseInt(seen, 10) - truth.against.days) <= 1 };
    });
  },
  async changed(walk, { truth }) {
    await search(walk, 'src/rows.py');
    return walk.until(async () => {
      const all = await walk.page.locator('.palette-item').allInnerTexts();
      const edits = all.filter((it) => it.includes('[Edit')).map((it) => it.split('\n')[0]);
      return { seen: all.join('; ').replace(/\s+/g, ' '), right: edits.sort().join() === truth.changed.toSorted().join() };
    });
  },
  /** It counts no failures of a tool, but the runs of calls that began with one: they stand where its recovery is pointed at. */
  async worst(walk, { truth }) {
    await walk.click(walk.page.getByRole('button', { name: /All Projects/ }).first());
    await walk.click(walk.page.getByRole('option', { name: /^export/ }));
    const [runs, rows] = [[], walk.page.locator('.tool-row', { hasText: '%' }).filter({ has: walk.page.locator('button') })];
    await walk.see(rows.first());
    for (const it of await rows.all()) {
      await walk.point(it.locator('button'));
      const text = await walk.see(it.getByText(/recovered sequences/));
      runs.push([await it.locator('.tool-name').getAttribute('title'), Number(/\/(\d+)/.exec(text)[1])]);
    }
    const [[tool]] = runs.toSorted((a, b) => b[1] - a[1]);
    return { seen: runs.join('; '), right: tool === truth.worst[0] };
  },
};
