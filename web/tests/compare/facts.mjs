// What is true of the sessions of the harder questions, read from the agents' files line by line: from no program's figures.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EXPORT, ROWS, TITLES } from './sessions.mjs';

const lines = (path) => readFileSync(path, 'utf8').split('\n').filter(Boolean).map((it) => JSON.parse(it));
const files = (folder) => (existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.jsonl')) : []);
const at = (line) => Date.parse(line.timestamp);
const took = (all) => at(all.at(-1)) - at(all[0]);

/** Every session: its title, its records, and its sub-agents' records. */
function sessions(home) {
  const root = join(home, '.claude/projects');
  return readdirSync(root).flatMap((project) => files(join(root, project)).map((name) => {
    const path = join(root, project, name);
    const all = lines(path);
    const helpers = join(path.replace('.jsonl', ''), 'subagents');
    return { id: basename(name, '.jsonl'), title: all.find((it) => it.aiTitle)?.aiTitle, records: all.filter((it) => it.timestamp), helpers: files(helpers).map((it) => lines(join(helpers, it))) };
  }));
}

const blocks = (line) => (Array.isArray(line.message?.content) ? line.message.content : []);
const isPrompt = (line) => line.type === 'user' && typeof line.message.content === 'string';

/** Each call of a tool with its result. */
function calls({ records }) {
  const made = records.flatMap((line) => blocks(line).filter((it) => it.type === 'tool_use').map((it) => ({ ...it, at: at(line) })));
  const results = new Map(records.flatMap((line) => blocks(line).filter((it) => it.type === 'tool_result').map((it) => [it.tool_use_id, { ...it, at: at(line), denied: line.toolDenialKind === 'user-rejected' }])));
  return made.map((it) => ({ ...it, result: results.get(it.id) })).filter((it) => it.result);
}

function counted(words) {
  const of = new Map();
  for (const it of words) of.set(it, (of.get(it) ?? 0) + 1);
  return [...of].sort((a, b) => b[1] - a[1]);
}
const failures = (session) => calls(session).filter((it) => it.result.is_error);

/** The tool whose results are longest, in all. */
function filler(session) {
  const of = {};
  for (const it of calls(session)) of[it.name] = (of[it.name] ?? 0) + JSON.stringify(it.result.content).length;
  const [[tool, letters]] = Object.entries(of).sort((a, b) => b[1] - a[1]);
  return { tool, letters };
}

/** What the answers of a turn spent, and how long the person was waited for. */
function turn(session, number, priced) {
  let now = 0;
  const own = session.records.filter((it) => { if (isPrompt(it)) now += 1; return now === number; });
  const dollars = own.filter((it) => it.message?.usage).reduce((all, { message }) => all + priced(message.model, message.usage), 0);
  const waited = calls({ records: own }).filter((it) => it.name === 'AskUserQuestion').reduce((all, it) => all + it.result.at - it.at, 0);
  return { dollars, waited };
}

/** The sub-agent that took longest, and what its session calls it. */
function slowest(session) {
  const [it] = session.helpers.toSorted((a, b) => took(b) - took(a));
  const prompt = it.find(isPrompt).message.content;
  const { input } = calls(session).find((call) => call.input.prompt === prompt);
  return { what: input.description, seconds: took(it) / 1000 };
}

/** Ended on that day, with an answer that asks. */
function wasLeft({ records }, day) {
  const last = records.at(-1);
  return last && new Date(at(last)).toDateString() === new Date(day).toDateString() && blocks(last).some((it) => it.text?.endsWith('?'));
}

export function facts(home, { priced, friday, dear }) {
  const all = sessions(home);
  const of = (name) => all.find((it) => it.title === TITLES[name]);
  const changes = (it) => calls(it).some((call) => call.name === 'Edit' && call.input.file_path === ROWS && !call.result.is_error);
  return {
    dearest: all.find((it) => it.id === dear)?.title,
    filler: filler(of('full')),
    twice: counted(failures(of('twice')).map((it) => it.input.command)).filter(([, times]) => times > 1),
    slow: slowest(of('helped')),
    left: all.filter((it) => wasLeft(it, friday)).map((it) => it.id),
    denied: calls(of('denied')).filter((it) => it.result.denied).map((it) => it.input.command),
    changed: all.filter(changes).map((it) => it.title),
    worst: counted(all.filter((it) => it.records[0]?.cwd === EXPORT).flatMap(failures).map((it) => it.name))[0],
    turn: turn(of('full'), 2, priced),
  };
}
