// The shortest way to each answer on the pages of `taffrail web`. Every way begins on the board.
import { fresh } from '../fresh.mjs';
import { EXPORT, TITLES } from './sessions.mjs';
import { count, dollars, lasting } from './shown.mjs';

export const name = 'Taffrail';
export const prepare = (context) => fresh(context);
export const start = (page, url) => page.goto(`${url}/`);
export const ready = (page) => page.locator('[data-session]').first().waitFor();

const needs = (page) => page.getByRole('region', { name: 'Needs you' });
const card = (page, title) => page.locator('article', { hasText: title });
const link = (page, words) => page.getByRole('navigation').getByRole('link', { name: words });

const open = (walk, title) => walk.click(card(walk.page, title).getByRole('link').first());

export const opened = (page, title) => card(page, title).getByRole('link').click();

export const ways = {
  async waits(walk) {
    const column = needs(walk.page);
    const seen = await walk.see(card(column, 'Publish the invoice fix').getByText('git push --force origin feat/x'));
    await walk.see(card(column, 'Make the refresh test pass on CI').getByText('npm test -- --runInBand && cargo test --workspace'));
    await walk.see(card(column, 'Move the site to its own path').getByText('Which base path should the site use?'));
    return { seen, right: true };
  },
  async answer(walk, { ask }) {
    const answered = ask();
    const wanted = card(needs(walk.page), 'Publish the invoice fix').getByRole('button', { name: 'Deny' });
    await wanted.waitFor();
    await walk.click(wanted);
    const said = await Promise.race([answered, walk.page.waitForTimeout(20_000)]);
    await wanted.waitFor({ state: 'detached' });
    walk.seconds = (performance.now() - walk.begun) / 1000;
    return { seen: said, right: JSON.parse(said).hookSpecificOutput.decision.behavior === 'deny' };
  },
  async failed(walk) {
    await walk.click(link(walk.page, 'Search'));
    await walk.type('two_callers_renew_once failed');
    await walk.click(walk.page.locator('a.hit', { hasText: 'expected 1 request, got 2' }).first());
    const seen = await walk.see(walk.page.locator('article.chosen'));
    return { seen, right: seen.includes('✕ failed') && seen.includes('cargo test refresh') };
  },
  async project(walk, { truth }) {
    await walk.click(link(walk.page, 'Usage'));
    await walk.click(walk.page.getByRole('button', { name: '7d' }));
    const seen = await walk.see(walk.page.locator('section', { hasText: 'By project' }).locator('li', { hasText: 'billing' }).getByText(count(truth.week.tokens)));
    return { seen, right: true };
  },
  async parallel(walk, { truth }) {
    await walk.click(link(walk.page, 'Timeline'));
    await walk.click(walk.page.getByRole('button', { name: 'Yesterday' }));
    return walk.until(async () => {
      const lanes = await walk.page.locator('.lanes li').count();
      const most = await walk.page.getByText(/peak \d+/).first().innerText();
      return { seen: `${lanes} lanes, ${most}`, right: lanes === truth.yesterday && most === 'peak 3' };
    });
  },
  async files(walk) {
    await walk.click(card(walk.page, 'Make the refresh test pass on CI').getByRole('link'));
    const seen = await walk.see(walk.page.getByRole('complementary').locator('.files').getByText('src/token.rs'));
    return { seen, right: true };
  },
  async asked(walk) {
    await open(walk, 'Make the refresh test pass on CI');
    const seen = await walk.see(walk.page.getByRole('complementary').getByText('Yes, exactly as CI does.').first());
    return { seen, right: true };
  },
  async phrase(walk) {
    await walk.click(link(walk.page, 'Search'));
    await walk.type('"were not one step"');
    const seen = await walk.see(walk.page.locator('section', { hasText: 'Make the refresh test pass on CI' }).locator('a.hit', { hasText: 'were not one step' }));
    return { seen, right: seen.startsWith('answer') };
  },
  /** Where an agent reports no cost, its list price counts, and is marked so. */
  async cost(walk, { truth }) {
    await walk.click(link(walk.page, 'Usage'));
    const seen = await walk.see(walk.page.locator('section', { hasText: 'Most expensive sessions' }).locator('tbody tr').first());
    return { seen, right: seen.startsWith(truth.dearest) };
  },
  async agent(walk, { truth, now }) {
    await walk.click(link(walk.page, 'Usage'));
    await walk.click(walk.page.locator('section', { hasText: 'Tokens by day and agent' }).getByRole('button', { name: 'As a table' }));
    const row = walk.page.getByRole('row', { name: new Date(now).toISOString().slice(0, 10) });
    const seen = await walk.see(row.getByRole('cell', { name: count(truth.today.tokens), exact: true }).first());
    return { seen, right: true };
  },
  async doing(walk) {
    await walk.click(card(walk.page, 'Speed up the lexer').getByRole('link'));
    const rail = walk.page.getByRole('complementary');
    const seen = await walk.see(rail.getByText(/Confidence (high|medium|low)/));
    const said = await rail.locator('dl').first().innerText();
    return { seen: `${seen} ${said.replace(/\s+/g, ' ')}`, right: said.includes('cargo bench lexer') };
  },
  /** What a file cost is the program's own estimate: the script checks that there is one, not how large it is. */
  async file(walk) {
    await walk.click(link(walk.page, 'Usage'));
    const list = walk.page.locator('section', { hasText: 'Files that cost most' });
    await walk.reach(list.getByRole('heading'));
    const seen = await walk.see(list.locator('tbody tr').first());
    return { seen, right: /\.\w+ ≈\$\d/.test(seen) };
  },
  async filled(walk, { truth }) {
    await open(walk, TITLES.full);
    await walk.click(walk.page.getByRole('group', { name: 'Views' }).getByRole('link', { name: 'Context' }));
    const seen = await walk.see(walk.page.locator('.parts tbody tr').first());
    const [, tokens] = /([\d.]+)k/.exec(seen) ?? [];
    // Four letters are about a token.
    return { seen, right: seen.startsWith('Tool results') && Math.abs((tokens * 4000) / truth.filler.letters - 1) < 0.1 };
  },
  async twice(walk, { truth }) {
    await open(walk, TITLES.twice);
    await walk.choose(walk.page.getByRole('combobox', { name: 'Show' }), 'errors');
    const [[command, times]] = truth.twice;
    return walk.until(async () => {
      const seen = await walk.page.getByRole('feed').locator('.call.failed .what').allInnerTexts();
      return { seen: seen.join('; '), right: seen.filter((it) => it === command).length === times };
    });
  },
  async slow(walk, { truth }) {
    await open(walk, TITLES.helped);
    const all = walk.page.locator('.worker');
    await walk.see(all.filter({ hasText: truth.slow.what }).getByText(lasting(truth.slow.seconds)));
    return { seen: (await all.allInnerTexts()).join('; ').replace(/\s+/g, ' '), right: true };
  },
  /** Its card is among those that are done, with its day. */
  async resume(walk, { truth }) {
    const wanted = card(walk.page, TITLES.left);
    const more = walk.page.getByRole('region', { name: 'Done' }).getByRole('button', { name: /Show more/ });
    while (!(await wanted.count()) && (await more.count())) await walk.click(more);
    await open(walk, TITLES.left);
    await walk.click(walk.page.getByRole('button', { name: 'Resume…' }));
    const seen = await walk.see(walk.page.locator('.resume code'));
    return { seen, right: truth.left.some((it) => seen.includes(`claude --resume ${it}`)) };
  },
  async denied(walk, { truth }) {
    await walk.click(link(walk.page, 'Approvals'));
    await walk.click(walk.page.getByRole('button', { name: 'Denied' }));
    const rows = walk.page.locator('section', { hasText: 'What was denied' }).locator('tbody tr');
    const [wanted] = truth.denied;
    const seen = await walk.see(rows.filter({ hasText: wanted }).first());
    return { seen, right: true };
  },
  async against(walk, { truth }) {
    await walk.click(link(walk.page, 'Usage'));
    await walk.click(walk.page.getByRole('button', { name: '7d' }));
    return walk.until(async () => {
      const seen = await walk.page.locator('.figures .sheet', { hasText: 'Cost' }).first().innerText();
      const [, sign, percent] = /([▲▼]) (\d+) %/.exec(seen) ?? [];
      return { seen: seen.replace(/\s+/g, ' '), right: Math.abs((sign === '▼' ? -percent : Number(percent)) - truth.against.sessions) <= 1 };
    });
  },
  async changed(walk, { truth }) {
    await walk.click(link(walk.page, 'Search'));
    await walk.type('src/rows.py kind:call');
    const groups = walk.page.locator('section.sheet', { has: walk.page.locator('a.hit') });
    for (const it of truth.changed) await walk.see(groups.filter({ hasText: it }));
    const all = await groups.allInnerTexts();
    const edits = all.filter((it) => /\bEdit\b/.test(it)).map((it) => it.split('\n')[0]);
    return { seen: all.join('; ').replace(/\s+/g, ' '), right: edits.sort().join() === truth.changed.toSorted().join() };
  },
  async worst(walk, { truth }) {
    await walk.click(link(walk.page, 'Projects'));
    await walk.click(walk.page.getByRole('link', { name: EXPORT }));
    const row = walk.page.locator('section', { hasText: 'Tools' }).last().locator('tbody tr', { hasText: '✕' });
    await walk.see(row.first());
    const all = (await row.allInnerTexts()).map((it) => it.split('\t')).map(([tool, , failed]) => [tool, Number(failed.replace(/\D/g, ''))]);
    return { seen: all.join('; '), right: String(all.toSorted((a, b) => b[1] - a[1])[0]) === String(truth.worst) };
  },
  async turn(walk, { truth }) {
    await open(walk, TITLES.full);
    await walk.click(walk.page.getByRole('button', { name: /^Turn 2:/ }));
    const cost = await walk.see(walk.page.getByRole('group', { name: 'The turn that is read' }).getByText(`≈${dollars(truth.turn.dollars)}`));
    const question = await walk.see(walk.page.getByRole('feed').locator('.call .head', { hasText: 'AskUserQuestion' }));
    return { seen: `${cost}; ${question}`, right: question.includes(lasting(truth.turn.waited / 1000)) };
  },
};
