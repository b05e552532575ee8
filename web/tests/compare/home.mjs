// The home both programs look at, and what is true of it. The truth is read from the agents' files, not from either program.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Claude, uuid } from '../stage.mjs';
import { facts } from './facts.mjs';
import { friday } from './sessions.mjs';

const DAY = 86_400_000;
const KEPT = ['.claude/projects', '.codex/sessions'];

/** Three sessions at work at once yesterday at noon, for there is something to see. */
export function noon(stage, now) {
  const start = new Date(now).setHours(0, 0, 0, 0) - DAY / 2;
  ['Write the release notes', 'Port the importer', 'Shrink the container'].forEach((title, number) => {
    const it = new Claude(stage, { id: uuid(900 + number), cwd: `/home/ana/src/noon-${number}`, title, start: start + number * 60_000 });
    it.asks(title);
    for (let round = 0; round < 10; round += 1) it.wait(40).calls('Bash', { command: 'make' }).wait(50).result('ok');
    it.wait(20).says('Done.');
  });
}

/** Puts the sessions of another home beside those that are there. */
export function add(home, other) {
  for (const place of KEPT.filter((it) => existsSync(join(other, it)))) {
    mkdirSync(join(home, place), { recursive: true });
    cpSync(join(other, place), join(home, place), { recursive: true, preserveTimestamps: true });
  }
}

/** What each model answer spent; an answer that was written several times counts once. */
function answers(home) {
  const all = new Map();
  const root = join(home, '.claude/projects');
  for (const name of readdirSync(root, { recursive: true }).filter((it) => it.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(root, name), 'utf8').split('\n')) {
      if (!line.includes('"usage"')) continue;
      const { message, timestamp, cwd, sessionId } = JSON.parse(line);
      if (!message?.usage) continue;
      all.set(message.id, { at: Date.parse(timestamp), cwd, session: sessionId, model: message.model, tokens: spent(message.usage), dollars: priced(message.model, message.usage) });
    }
  }
  return [...all.values()];
}

/** What each answer of Codex spent. */
function counts(home) {
  const root = join(home, '.codex/sessions');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true }).filter((it) => it.endsWith('.jsonl')).flatMap((name) => {
    let model = '';
    return readFileSync(join(root, name), 'utf8').split('\n').filter((it) => it.includes('"turn_context"') || it.includes('"token_count"')).flatMap((line) => {
      const { timestamp, payload } = JSON.parse(line);
      model = payload.model ?? model;
      const it = payload.info?.last_token_usage;
      if (!it) return [];
      const usage = { input_tokens: it.input_tokens - it.cached_input_tokens, output_tokens: it.output_tokens, cache_read_input_tokens: it.cached_input_tokens };
      return [{ at: Date.parse(timestamp), session: name, dollars: priced(model, usage) }];
    });
  });
}

/** How much more was spent in seven days than in the seven before, in percent: by sessions that ended in them, and by days. */
function against(all, now, midnight) {
  const of = new Map();
  for (const it of all) {
    const had = of.get(it.session) ?? { at: 0, dollars: 0 };
    of.set(it.session, { at: Math.max(had.at, it.at), dollars: had.dollars + it.dollars });
  }
  const within = (list, from) => list.filter((it) => it.at >= from && it.at < from + 7 * DAY).reduce((sum, it) => sum + it.dollars, 0);
  const change = (list, from) => Math.round((within(list, from) / within(list, from - 7 * DAY) - 1) * 100);
  return { sessions: change([...of.values()], now - 7 * DAY), days: change(all, midnight - 6 * DAY) };
}

/** When each session did something, by the files of both agents; or each sub-agent. */
function moments(home, helpers = false) {
  const of = new Map();
  for (const place of KEPT.filter((it) => existsSync(join(home, it)))) {
    for (const name of readdirSync(join(home, place), { recursive: true }).filter((it) => it.endsWith('.jsonl') && it.includes('subagents') === helpers)) {
      const times = [...readFileSync(join(home, place, name), 'utf8').matchAll(/"timestamp":"([^"]+)"/g)].map((it) => Date.parse(it[1]));
      of.set(name, times);
    }
  }
  return of;
}

const parts = (it) => [it.input_tokens, it.output_tokens, it.cache_read_input_tokens, it.cache_creation_input_tokens].map((count) => count ?? 0);
const spent = (it) => parts(it).reduce((all, count) => all + count, 0);
/** List prices of the models of the scene, of generated and of recorded sessions, in dollars for a million tokens: read, written, from the cache, into the cache. */
const PRICES = { 'opus-5-5': [4, 20, 0.2, 5], opus: [5, 25, 0.5, 6.25], sonnet: [3, 15, 0.3, 3.75], haiku: [1, 5, 0.1, 1.25], 'gpt-5.2-codex': [1.75, 14, 0.175, 0], 'gpt-5.5': [5, 30, 0.5, 0] };
function priced(model, it) {
  const prices = Object.entries(PRICES).find(([name]) => model?.includes(name))?.[1] ?? [];
  return parts(it).reduce((all, count, at) => all + (count * (prices[at] ?? 0)) / 1e6, 0);
}
const sum = (all) => all.reduce((so, it) => ({ tokens: so.tokens + it.tokens, dollars: so.dollars + it.dollars }), { tokens: 0, dollars: 0 });

export function truth(home, now) {
  const all = answers(home);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const times = [...moments(home).values()];
  const on = (day, list = times) => list.filter((of) => of.some((it) => it >= day && it < day + DAY)).length;
  const billing = all.filter((it) => it.cwd?.endsWith('/billing'));
  const of = new Map();
  for (const it of all.filter((it) => it.at > now - 30 * DAY)) of.set(it.session, (of.get(it.session) ?? 0) + it.dollars);
  const [dear] = [...of].sort((a, b) => b[1] - a[1])[0];
  return {
    today: sum(all.filter((it) => it.at >= midnight)),
    // A week is the last 168 hours, or the last seven days of the calendar: each program's own.
    week: sum(billing.filter((it) => it.at > now - 7 * DAY)),
    days: sum(billing.filter((it) => it.at >= midnight - 6 * DAY)),
    yesterday: on(midnight - DAY),
    // Before eight in the morning the session with sub-agents was yesterday, too: who counts them is right as well.
    helpers: on(midnight - DAY, [...moments(home, true).values()]),
    fridays: on(new Date(friday(now)).setHours(0, 0, 0, 0)),
    dear,
    against: against([...all, ...counts(home)], now, midnight),
    ...facts(home, { priced, friday: friday(now), dear }),
  };
}
