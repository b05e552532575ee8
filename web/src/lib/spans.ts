// What a session is at now goes on until now: the daemon tells stretches between events only.
import type { components } from '../api/schema';
import type { Session } from './types';

export type Span = components['schemas']['SpanRow'];

export function lasting(spans: Span[], session: Session, now: number): Span[] {
  if (session.group !== 'needs_you' || !session.status_since) return spans;
  const from = Math.max(Date.parse(session.status_since), spans.at(-1)?.to ?? 0);
  return from < now ? [...spans, { from, to: now, doing: 'human' }] : spans;
}
