// Events as a person reads them: prompts, answers, and calls with their results.
import type { Event, EventLine } from './types';

export type Item =
  | { kind: 'prompt'; id: string; event: Event; turn: number }
  | { kind: 'said' | 'thought' | 'error' | 'notice' | 'compacted' | 'asked' | 'resolved' | 'ended'; id: string; event: Event; turn: number }
  | { kind: 'call'; id: string; event: Event; result: Event | undefined; turn: number };

const KINDS: Record<string, Exclude<Item['kind'], 'prompt' | 'call'>> = {
  'assistant.message': 'said', 'assistant.thinking': 'thought', error: 'error', notice: 'notice', 'context.compacted': 'compacted',
  'approval.requested': 'asked', 'approval.resolved': 'resolved', 'session.exited': 'ended',
};

/** Whether it is an event; else it says that one is gone. */
export function isEvent(line: EventLine): line is Event {
  return line.kind !== 'event.removed';
}

/** Keeps the events of a session in the order of their time, and what they come to. */
export class Transcript {
  private readonly events = new Map<string, { event: Event; at: number }>();

  take(line: EventLine) {
    if (isEvent(line)) this.events.set(line.id, { event: line, at: Date.parse(line.createdAt) });
    else this.events.delete(line.id);
  }

  get size() { return this.events.size; }

  /** What there is so far. As long as the middle is missing, turns after it are counted back from the last one. */
  items(last?: { prompts: number; since: number }): Item[] {
    const sorted = [...this.events.values()];
    // Most come in order already.
    if (sorted.some((it, place) => it.at < (sorted[place - 1]?.at ?? 0))) {
      sorted.sort((a, b) => a.at - b.at || a.event.sequence - b.event.sequence);
    }
    const items = folded(sorted.map((it) => it.event));
    return last ? renumbered(items, last) : items;
  }
}

/** Numbers the turns that began at or after an instant so that the last one is the last of all. */
function renumbered(items: Item[], { prompts, since }: { prompts: number; since: number }): Item[] {
  const late = (it: Item) => Date.parse(it.event.createdAt) >= since;
  const all = items.reduce((count, it) => count + (it.kind === 'prompt' ? 1 : 0), 0);
  const missing = Math.max(0, prompts - all);
  return missing ? items.map((it) => (late(it) ? { ...it, turn: it.turn + missing } : it)) : items;
}

function folded(events: Event[]): Item[] {
  const out: Item[] = [];
  const calls = new Map<string, Extract<Item, { kind: 'call' }>>();
  let turn = 0;
  for (const event of events) {
    const call = String(event.data.call_id ?? '');
    if (event.kind === 'user.prompt') {
      turn += 1;
      out.push({ kind: 'prompt', id: event.id, event, turn });
    } else if (event.kind === 'tool.call') {
      const item = { kind: 'call' as const, id: event.id, event, result: undefined, turn };
      if (call) calls.set(call, item);
      out.push(item);
    } else if (event.kind === 'tool.result') {
      const asked = calls.get(call);
      if (asked) asked.result = event;
      else out.push({ kind: 'call', id: event.id, event, result: event, turn });
    } else {
      const kind = KINDS[event.kind];
      if (kind) out.push({ kind, id: event.id, event, turn });
    }
  }
  return out;
}

export type Change = { file: string; before: string; after: string };

/** What a call would change in which file, by the shape of what it was given. */
export function changes(event: Pick<Event, 'data'>): Change[] {
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

/** The number of the entry that is read at a place: the turn it belongs to, or the one before or after. */
export function turnFrom(items: readonly Item[], at: number, by: number): Item | undefined {
  const here = items[at];
  const begins = here?.kind === 'prompt';
  const turn = (here?.turn ?? 0) + (by < 0 && !begins ? 0 : by);
  return items.find((it) => it.kind === 'prompt' && it.turn === Math.max(1, turn));
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

export function todos(event: Event): Todo[] | undefined {
  const input = (event.data.input ?? {}) as Record<string, unknown>;
  const list = Array.isArray(input.todos) ? input.todos : Array.isArray(input.plan) ? input.plan : undefined;
  return list?.map((it: Record<string, unknown>) => ({ text: String(it.content ?? it.step ?? it.text ?? ''), status: String(it.status ?? 'pending') }));
}
