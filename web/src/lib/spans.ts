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
