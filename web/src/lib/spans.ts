// What a session is at now goes on until now: the daemon tells stretches between events only.
import type { Lane, Session } from './types';

export type Span = Lane['spans'][number];

export function lasting(spans: Span[], session: Session, now: number): Span[] {
  if (session.group !== 'needs_you' || !session.status_since) return spans;
  const from = Math.max(Date.parse(session.status_since), spans.at(-1)?.to ?? 0);
  return from < now ? [...spans, { from, to: now, doing: 'human' }] : spans;
}

/** How wide a lane is drawn. */
export const WIDE = 1000;
const DOINGS = ['model', 'tool', 'human'] as const;

/** The spans of a lane as one path for each kind: what is narrower than a unit is drawn as one with its neighbours. */
export function drawn(spans: readonly Span[], from: number, until: number): [Span['doing'], string][] {
  const x = (at: number) => Math.max(0, Math.min(WIDE, ((at - from) / (until - from)) * WIDE));
  return DOINGS.flatMap((doing): [Span['doing'], string][] => {
    const runs: [number, number][] = [];
    for (const span of spans) {
      if (span.doing !== doing || span.to < from || span.from > until) continue;
      const [left, right] = [x(span.from), Math.max(x(span.to), x(span.from) + 1)];
      const last = runs.at(-1);
      if (last && left - last[1] < 1) last[1] = Math.max(last[1], right);
      else runs.push([left, right]);
    }
    const [top, high] = doing === 'human' ? [1, 18] : [4, 12];
    const path = runs.map(([left, right]) => `M${left.toFixed(1)} ${top}H${right.toFixed(1)}V${top + high}H${left.toFixed(1)}Z`).join('');
    return path ? [[doing, path]] : [];
  });
}

/** What a session did at an instant; the spans are in order. */
export function spanAt(spans: readonly Span[], at: number): Span | undefined {
  let [low, high] = [0, spans.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const it = spans[middle];
    if (!it) return undefined;
    if (at < it.from) high = middle - 1;
    else if (at > it.to) low = middle + 1;
    else return it;
  }
  return undefined;
}

/** Sessions in their order, each followed by its sub-agents; those without their session stand alone. */
export function families<T extends { session: Session }>(lanes: readonly T[]): { lane: T; depth: number }[] {
  const ids = new Set(lanes.map((it) => it.session.id));
  const of = new Map<string, T[]>();
  for (const lane of lanes) {
    const parent = lane.session.parent_id;
    if (parent && parent !== lane.session.id && ids.has(parent)) of.set(parent, [...(of.get(parent) ?? []), lane]);
  }
  const seen = new Set<string>();
  const laid = (lane: T, depth: number): { lane: T; depth: number }[] => {
    if (seen.has(lane.session.id)) return [];
    seen.add(lane.session.id);
    return [{ lane, depth }, ...(of.get(lane.session.id) ?? []).flatMap((it) => laid(it, depth + 1))];
  };
  const roots = lanes.filter((it) => !it.session.parent_id || !ids.has(it.session.parent_id));
  // Whoever is in a circle is nobody's root, and is shown all the same.
  return [...roots, ...lanes].flatMap((it) => laid(it, 0));
}
