// agentsview, and the shortest way to each answer on its pages. Every way begins on its list of sessions.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dollars } from './shown.mjs';

export const name = 'agentsview';
/** Its style sheet from a font service would hold the page up where there is no network: it counts as not there. */
export const prepare = (context) => context.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
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
async function open(walk, place) {
  await walk.click(walk.page.getByRole('combobox', { name: /Primary navigation/ }));
  await walk.click(walk.page.getByRole('option', { name: place }));
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
    await open(walk, 'Usage');
    await walk.click(walk.page.getByRole('button', { name: /Last 30 days/ }));
    await walk.click(walk.page.getByText('7d', { exact: true }));
    const rail = walk.page.locator('.rail-row', { hasText: 'billing' }).locator('.rail-cost');
    return walk.until(async () => {
      const seen = await rail.innerText({ timeout: 8000 });
      return { seen, right: seen === dollars(truth.days.dollars) };
    });
  },
  async parallel(walk, { truth, now }) {
    await open(walk, 'Activity');
    await walk.click(walk.page.locator('.kit-date-range-picker button').first());
    const day = new Date(now - 86_400_000).getDate();
    await walk.click(walk.page.locator('.kit-calendar__day:not(.outside)').getByText(String(day), { exact: true }));
    return walk.until(async () => {
      const text = (await walk.page.locator('body').innerText()).replace(/\s+/g, ' ');
      const seen = `${/peak \d+ at \S+/.exec(text)?.[0]}, ${/\d+ total/.exec(text)?.[0]}`;
      return { seen, right: seen.startsWith('peak 3 ') && seen.endsWith(` ${truth.yesterday} total`) };
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
};
