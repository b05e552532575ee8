// Asks the same questions of `taffrail web` and of agentsview over one home, and prints steps and seconds side by side:
//   python3 -m venv /tmp/v && /tmp/v/bin/pip install agentsview==0.46.1
//   AGENTSVIEW=/tmp/v/bin/agentsview node tests/compare.mjs
// The home is the scene of the pictures. --with HOME puts another home's sessions beside it, and can be given again.
// --only waits,cost asks some of them, --rounds 5 is how often each way is gone, --pictures FOLDER keeps what stood on the screen at each answer.
// It prints the two tables as docs/compare.md has them, and what stood on the screen. --figures measures the first load, and how soon a line is on the screen, instead.
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import * as agentsview from './compare/agentsview.mjs';
import { lines, load } from './compare/figures.mjs';
import { add, noon, truth } from './compare/home.mjs';
import { behind, QUESTIONS, row, tables } from './compare/questions.mjs';
import { friday, hard } from './compare/sessions.mjs';
import * as taffrail from './compare/taffrail.mjs';
import { median, Walk } from './compare/walk.mjs';
import { ARGS } from './fresh.mjs';
import { live, write } from './scene.mjs';
import { Stage } from './stage.mjs';

/** Their answer stands on the first page, so the clock runs from opening it. */
const OPENS = ['waits'];
const SETTLED = 500;
const PATIENCE = 20_000;

const { values: options } = parseArgs({
  options: { with: { type: 'string', multiple: true, default: [] }, rounds: { type: 'string', default: '5' }, pictures: { type: 'string' }, only: { type: 'string' }, figures: { type: 'boolean' } },
});
const stage = await Stage.open();
const now = Date.now();
const all = write(stage, now);
noon(stage, now);
hard(stage, now);
for (const other of options.with) add(stage.home, other);
await stage.start();
const waits = await live(stage, all);
const peer = await agentsview.serve(stage);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });

/** The request that waits already, then one after another. */
const [, held] = waits;
const waiting = [held];
function ask() {
  return waiting.pop() ?? stage.hook(all.billing, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'git push --force origin feat/x' } });
}
const facts = { truth: truth(stage.home, now), now, friday: friday(now), all, ask };

/** Signs in, and lets the browser act: both are asked once a day, and are no part of an answer. */
async function letIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(stage.entrance());
  await page.evaluate(() => fetch('/api/web/confirm', { method: 'POST', headers: { 'content-type': 'application/json', 'x-taffrail-page': '1' } }));
  const state = await context.storageState();
  await context.close();
  return state;
}

/** One browser for each program, as a person has it: what was loaded once is kept, what was chosen is not. */
async function visitor(program, storageState) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState });
  context.setDefaultTimeout(60_000);
  await context.addInitScript(() => localStorage.clear());
  await program.prepare(context);
  return context;
}

/** The clock does not run while a page still draws what it shows at first: nothing asked and nothing to do for half a second. */
async function settled(page, asks) {
  for (const end = Date.now() + PATIENCE; Date.now() < end && (asks.open.size || Date.now() - asks.last < SETTLED); ) await page.waitForTimeout(100);
  await page.evaluate((timeout) => new Promise((done) => requestIdleCallback(done, { timeout })), PATIENCE);
}
function watched(page) {
  const asks = { open: new Set(), last: Date.now() };
  const over = (it) => { asks.open.delete(it); asks.last = Date.now(); };
  page.on('request', (it) => { if (it.resourceType() !== 'eventsource' && !/\/(events|watch)\b/.test(it.url())) asks.open.add(it); });
  page.on('requestfinished', over);
  page.on('requestfailed', over);
  return asks;
}

async function once({ program, url, context }, question, picture) {
  const page = await context.newPage();
  const asks = watched(page);
  const walk = new Walk(page);
  if (OPENS.includes(question)) walk.begin();
  try {
    await program.start(page, url);
    await program.ready(page);
    if (!OPENS.includes(question)) await settled(page, asks);
    const { seen, right } = await program.ways[question](walk, facts);
    return { seen, right, steps: walk.steps, seconds: walk.seconds };
  } catch (error) {
    return { seen: String(error.message).slice(0, 600), right: false, steps: walk.steps, seconds: Number.NaN };
  } finally {
    if (picture) await page.screenshot({ path: picture, timeout: 60_000 });
    await page.close();
  }
}

async function asked(visit, question) {
  if (!visit.program.ways[question]) return undefined;
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const picture = round === 0 && options.pictures ? `${options.pictures}/${question}-${visit.program.name}.png` : undefined;
    rounds.push(await once(visit, question, picture));
  }
  const it = rounds.at(-1);
  return { ...it, seconds: median(rounds.map((round) => round.seconds).filter((it) => !Number.isNaN(it))) ?? Number.NaN, right: rounds.every((round) => round.right) };
}

const load1 = () => loadavg().map((it) => it.toFixed(1)).join(' ');

if (options.pictures) mkdirSync(options.pictures, { recursive: true });
const ours = { program: taffrail, url: stage.url, context: await visitor(taffrail, await letIn()) };
const theirs = { program: agentsview, url: peer.url, context: await visitor(agentsview) };
if (options.figures) await figures();
else await questions();
await browser.close();
await stage.close();

async function figures() {
  for (const visit of [ours, theirs]) {
    console.log(visit.program.name, 'first load', await load(visit, visit.context));
    console.log(visit.program.name, 'line to screen, ms', await lines(visit, visit.context, all.etl, Number(options.rounds)));
  }
}

async function questions() {
  const wanted = options.only?.split(',') ?? Object.keys(QUESTIONS);
  const seen = [];
  const [began, before] = [Date.now(), load1()];
  for (const question of wanted) {
    const [one, other] = [await asked(ours, question), await asked(theirs, question)];
    console.error(row(question, one, other));
    seen.push([question, one, other]);
  }
  console.log(`\n${tables(seen)}\n`);
  console.log(`${options.rounds} rounds in ${Math.round((Date.now() - began) / 1000)} s; Chromium ${browser.version()}; load of 1, 5 and 15 minutes before: ${before}, after: ${load1()}`);
  const short = seen.filter(([, one, other]) => !one?.right || behind(one, other));
  console.log(short.length ? `behind or not answered: ${short.map(([name]) => name).join(', ')}` : 'Taffrail is behind on no row.');
  console.log('\nWhat stood there:');
  for (const [question, one, other] of seen) console.log(`${question}\n  Taffrail: ${one?.seen}\n  agentsview: ${other?.seen}`);
}
