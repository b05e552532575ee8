// Which call began which sub-agent: by what the call was given, and by when the sub-agent began.
import type { CallItem, Item } from './transcript';
import type { Session } from './types';

/** Clocks of two files differ by so much, in milliseconds. */
const SLACK = 3000;

function begins(item: Item): item is CallItem {
  const input = item.kind === 'call' ? (item.event.data.input as Record<string, unknown> | undefined) : undefined;
  return typeof input?.prompt === 'string' && (typeof input.description === 'string' || typeof input.subagent_type === 'string');
}

/** The sub-agent of each call, by the id of its entry. */
export function workersOf(items: readonly Item[], workers: readonly Session[]): Map<string, Session> {
  const out = new Map<string, Session>();
  const left = new Set(workers.filter((it) => it.started_at));
  for (const item of items) {
    if (!left.size) break;
    if (!begins(item)) continue;
    const from = Date.parse(item.event.createdAt) - SLACK;
    const to = (item.result ? Date.parse(item.result.createdAt) : Number.POSITIVE_INFINITY) + SLACK;
    const near = [...left].filter((it) => { const at = Date.parse(it.started_at ?? ''); return at >= from && at <= to; });
    const prompt = String((item.event.data.input as Record<string, unknown>).prompt).trim();
    const found = near.find((it) => it.title && prompt.startsWith(it.title.replace(/…$/, '').trim())) ?? near[0];
    if (!found) continue;
    left.delete(found);
    out.set(item.id, found);
  }
  return out;
}
