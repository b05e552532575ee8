// The spans of a turn as rows of a waterfall: nested below what they belong to, with their place in the turn in percent.
import type { Trace, TraceSpan } from './asked';

export type Bar = { span: TraceSpan; level: number; left: number; width: number; key: string };

/** Rows in the order of their beginning, each below its parent. */
export function bars(trace: Trace): Bar[] {
  const long = Math.max(1, trace.to - trace.from);
  const name = (it: TraceSpan, at: number) => it.id ?? it.event_id ?? it.session_id ?? String(at);
  const all = trace.spans.map((span, at) => ({ span, at, key: `${at} ${name(span, at)}`, ids: [span.id, span.event_id, span.session_id].filter(Boolean) as string[] }));
  const known = new Set(all.flatMap((it) => it.ids));
  const under = new Map<string, typeof all>();
  const roots: typeof all = [];
  for (const it of all) {
    const parent = it.span.parent_id;
    if (parent && known.has(parent) && !it.ids.includes(parent)) under.set(parent, [...(under.get(parent) ?? []), it]);
    else roots.push(it);
  }
  const out: Bar[] = [];
  const seen = new Set<string>();
  const put = (list: typeof all, level: number) => {
    for (const it of list.toSorted((a, b) => a.span.from - b.span.from || a.at - b.at)) {
      if (seen.has(it.key)) continue;
      seen.add(it.key);
      const left = Math.min(100, Math.max(0, ((it.span.from - trace.from) / long) * 100));
      out.push({ span: it.span, level, left, width: Math.min(100 - left, Math.max(0, ((it.span.to - it.span.from) / long) * 100)), key: it.key });
      for (const id of it.ids) put(under.get(id) ?? [], Math.min(level + 1, 6));
    }
  };
  put(roots, 0);
  // What names itself in a circle is shown all the same.
  put(all, 0);
  return out;
}

export type Sum = { kind: TraceSpan['kind']; count: number; ms: number; failed: number };
/** How long each kind took and how often it failed. */
export function sums(trace: Trace): Sum[] {
  const kinds: TraceSpan['kind'][] = ['model', 'tool', 'agent', 'human'];
  return kinds.map((kind) => {
    const own = trace.spans.filter((it) => it.kind === kind);
    return { kind, count: own.length, ms: own.reduce((all, it) => all + it.to - it.from, 0), failed: own.filter((it) => it.failed).length };
  }).filter((it) => it.count);
}

/** Round marks of a length of time, at most seven. */
export function ticks(ms: number): number[] {
  const steps = [100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000];
  const step = steps.find((it) => ms / it <= 7) ?? Math.ceil(ms / 7 / 86_400_000) * 86_400_000;
  return Array.from({ length: Math.floor(ms / step) + 1 }, (_, at) => at * step);
}
