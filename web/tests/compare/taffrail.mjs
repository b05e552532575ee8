// The shortest way to each answer on the pages of `taffrail web`. Every way begins on the board.
import { fresh } from '../fresh.mjs';
import { count } from './shown.mjs';

export const name = 'Taffrail';
export const prepare = (context) => fresh(context);
export const start = (page, url) => page.goto(`${url}/`);
export const ready = (page) => page.locator('[data-session]').first().waitFor();

const needs = (page) => page.getByRole('region', { name: 'Needs you' });
const card = (page, title) => page.locator('article', { hasText: title });
const link = (page, words) => page.getByRole('navigation').getByRole('link', { name: words });

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
    const said = await answered;
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
      const most = await walk.page.getByText(/at most \d+/).first().innerText();
      return { seen: `${lanes} lanes, ${most}`, right: lanes === truth.yesterday && most === 'at most 3' };
    });
  },
  async files(walk) {
    await walk.click(card(walk.page, 'Make the refresh test pass on CI').getByRole('link'));
    const seen = await walk.see(walk.page.getByRole('complementary').locator('.files').getByText('src/token.rs'));
    return { seen, right: true };
  },
  async asked(walk) {
    await walk.point(card(walk.page, 'Make the refresh test pass on CI').getByRole('link'));
    const seen = await walk.see(walk.page.getByRole('tooltip').getByText('Yes, exactly as CI does.'));
    return { seen, right: true };
  },
  async phrase(walk) {
    await walk.click(link(walk.page, 'Search'));
    await walk.type('"were not one step"');
    const seen = await walk.see(walk.page.locator('section', { hasText: 'Make the refresh test pass on CI' }).locator('a.hit', { hasText: 'were not one step' }));
    return { seen, right: seen.startsWith('answer') };
  },
  /** What agents do not say is not guessed: where it is unknown, the largest by tokens is the nearest there is. */
  async cost(walk) {
    await walk.click(link(walk.page, 'Usage'));
    const seen = await walk.see(walk.page.locator('section', { hasText: 'Largest sessions, by tokens' }).locator('tbody tr').first());
    return { seen, right: false };
  },
  async agent(walk, { truth, now }) {
    await walk.click(link(walk.page, 'Usage'));
    await walk.click(walk.page.getByRole('button', { name: 'As a table' }));
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
};
