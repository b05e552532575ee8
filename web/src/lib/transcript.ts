// Events as a person reads them: prompts, answers, and calls with their results.
import type { Event, EventLine } from './types';

/** What is shown of an event, by its place in the session. */
export type Told = Pick<Event, 'id' | 'kind' | 'createdAt' | 'data'> & {
  sequence: number; turn: number; text: string;
  /** The event that this one answers. */
  answers?: string;
  /** The text or the data were cut: the whole can be asked for. */
  cut?: boolean;
};
export type Item =
  | { kind: 'prompt'; id: string; event: Told; turn: number; opens: boolean }
  | { kind: 'said' | 'thought' | 'error' | 'notice' | 'compacted' | 'asked' | 'resolved' | 'ended'; id: string; event: Told; turn: number }
  | { kind: 'call'; id: string; event: Told; result: Told | undefined; turn: number };
export type CallItem = Extract<Item, { kind: 'call' }>;

const KINDS: Record<string, Exclude<Item['kind'], 'prompt' | 'call'>> = {
  'assistant.message': 'said', 'assistant.thinking': 'thought', error: 'error', notice: 'notice', 'context.compacted': 'compacted',
  'approval.requested': 'asked', 'approval.resolved': 'resolved', 'session.exited': 'ended',
};

/** Whether it is an event; else it says that one is gone. */
export function isEvent(line: EventLine): line is Event {
  return line.kind !== 'event.removed';
}

/** Whether an event has an entry; reports about the session have none. */
export function isShown(kind: string): boolean {
  return kind in KINDS || ['user.prompt', 'tool.call', 'tool.result'].includes(kind);
}

/** Entries of a part of a session, in the order of its events. */
export function folded(events: readonly Told[]): Item[] {
  const out: Item[] = [];
  const calls = new Map<string, CallItem>();
  let turn = 0;
  for (const event of events) {
    const call = String(event.data.call_id ?? '');
    if (event.kind === 'user.prompt') {
      out.push({ kind: 'prompt', id: event.id, event, turn: event.turn, opens: event.turn !== turn });
    } else if (event.kind === 'tool.call') {
      const item = { kind: 'call' as const, id: event.id, event, result: undefined, turn: event.turn };
      calls.set(event.id, item);
      if (call) calls.set(call, item);
      out.push(item);
    } else if (event.kind === 'tool.result') {
      const asked = calls.get(event.answers ?? '') ?? calls.get(call);
      if (asked) asked.result = event;
      else out.push({ kind: 'call', id: event.id, event, result: event, turn: event.turn });
    } else {
      const kind = KINDS[event.kind];
      if (kind) out.push({ kind, id: event.id, event, turn: event.turn });
    }
    turn = event.turn;
  }
  return out;
}

export type Change = { file: string; before: string; after: string };

/** What a call would change in which file, by the shape of what it was given. */
export function changes(event: Pick<Told, 'data'>): Change[] {
  const input = (event.data.input ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof input[name] === 'string' ? (input[name] as string) : undefined);
  const file = text('file_path') ?? text('path') ?? text('filePath') ?? text('notebook_path');
  const after = text('new_string') ?? text('newString') ?? text('new_str');
  if (file && after !== undefined) return [{ file, before: text('old_string') ?? text('oldString') ?? text('old_str') ?? '', after }];
  if (file && Array.isArray(input.edits)) {
    return input.edits.map((it: Record<string, unknown>) => ({ file, before: String(it.old_string ?? it.oldText ?? ''), after: String(it.new_string ?? it.newText ?? '') }));
  }
  if (file && text('content') !== undefined) return [{ file, before: '', after: text('content') ?? '' }];
  const patch = text('patch') ?? text('input') ?? (text('command')?.includes('*** Begin Patch') ? text('command') : undefined);
  return patch?.includes('*** ') ? patched(patch) : [];
}

/** A patch in the form `*** Update File: NAME`. */
function patched(patch: string): Change[] {
  const out: Change[] = [];
  for (const line of patch.split('\n')) {
    const head = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line);
    if (head) { out.push({ file: head[1] ?? '', before: '', after: '' }); continue; }
    const last = out.at(-1);
    if (!last || line.startsWith('***') || line.startsWith('@@')) continue;
    const rest = line.slice(1);
    if (line.startsWith('+')) last.after += `${rest}\n`;
    else if (line.startsWith('-')) last.before += `${rest}\n`;
    else { last.before += `${rest}\n`; last.after += `${rest}\n`; }
  }
  return out;
}

/** The turn that is gone to from an entry: the next one, or the beginning of this one and then the one before. */
export function turnFrom(here: Item | undefined, turns: number, by: number): number | undefined {
  const begins = here?.kind === 'prompt' && here.opens;
  const turn = (here?.turn ?? 0) + (by < 0 && !begins ? 0 : by);
  return turn > turns ? undefined : Math.max(1, turn);
}

/** What of a session is shown. */
export const SHOWN = ['all', 'talk', 'focus', 'prompts', 'commands', 'edits', 'errors', 'denied'] as const;
export type Shown = (typeof SHOWN)[number];

export function isFailed(item: Item): boolean {
  return item.kind === 'error' || (item.kind === 'call' && Boolean(item.result?.data.failed));
}

/** The command that a call runs. */
export function command(event: Pick<Told, 'data'>): string | undefined {
  const it = ((event.data.input ?? {}) as Record<string, unknown>).command;
  return typeof it === 'string' ? it : Array.isArray(it) ? it.join(' ') : undefined;
}

/** The entries that are shown. In focus: what was asked, and the last answer of each turn. */
export function filtered(items: readonly Item[], shown: Shown): Item[] {
  const fits: Record<Shown, (it: Item, number: number) => boolean> = {
    all: () => true,
    talk: (it) => it.kind !== 'call' && it.kind !== 'thought',
    focus: (it, number) => it.kind === 'prompt' || (it.kind === 'said' && isLastAnswer(items, number)),
    prompts: (it) => it.kind === 'prompt',
    commands: (it) => it.kind === 'call' && command(it.event) !== undefined,
    edits: (it) => it.kind === 'call' && changes(it.event).length > 0,
    errors: isFailed,
    denied: (it) => it.kind === 'call' && Boolean(it.result?.data.denied),
  };
  return shown === 'all' ? [...items] : items.filter(fits[shown]);
}

function isLastAnswer(items: readonly Item[], at: number): boolean {
  const turn = items[at]?.turn;
  for (let next = at + 1; next < items.length && items[next]?.turn === turn; next += 1) if (items[next]?.kind === 'said') return false;
  return true;
}

const TELLS = /\b(error|failed|failure|fatal|panic(?:ked)?|exception|denied|not found|cannot|unable|refused|timed? ?out|undefined|unexpected)\b|^E\s|✕|✗/i;
/** At the end of these the reason is, not at the beginning. */
const TRACE = /^Traceback \(most recent call last\)/m;

/** The first line of an output that says what went wrong. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').map((it) => it.trim()).filter(Boolean);
  const raised = TRACE.test(output) ? lines.findLast((it) => /^[\w.]+(Error|Exception|Exit|Interrupt|Warning)\b/.test(it)) : undefined;
  return raised ?? lines.find((it) => TELLS.test(it) && !/^(running|test result: ok)\b/i.test(it)) ?? lines.at(-1) ?? '';
}

/** The entry that is nearest before a place of one list and is in another, by its number there. */
export function sameIn(items: readonly Item[], at: number, others: readonly Item[]): number {
  const places = new Map(others.map((it, number) => [it.id, number]));
  for (let number = at; number >= 0; number -= 1) {
    const found = places.get(items[number]?.id ?? '');
    if (found !== undefined) return found;
  }
  return 0;
}

export type Todo = { text: string; status: string };

export function todos(event: Pick<Told, 'data'>): Todo[] | undefined {
  const input = (event.data.input ?? {}) as Record<string, unknown>;
  const list = Array.isArray(input.todos) ? input.todos : Array.isArray(input.plan) ? input.plan : undefined;
  return list?.map((it: Record<string, unknown>) => ({ text: String(it.content ?? it.step ?? it.text ?? ''), status: String(it.status ?? 'pending') }));
}
