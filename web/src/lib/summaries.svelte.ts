// What sessions are about, in three lines: asked for when a card is seen, and again when it moved on.
import { SvelteMap } from 'svelte/reactivity';
import { api, unwrap } from '../api/client';
import type { Session, Summary } from './types';

const AT_ONCE = 4;
const kept = new SvelteMap<string, Summary>();
const stamps = new Map<string, string>();
/** How a session was when its summary was asked for. */
const made = new Map<string, string>();
const queue: Session[] = [];
let running = 0;

function stamp(session: Session): string {
  return `${session.last_event_at ?? ''} ${session.status}`;
}

function next() {
  while (running < AT_ONCE && queue.length) {
    const session = queue.shift();
    if (!session) return;
    running += 1;
    unwrap(api.GET('/api/sessions/{id}/summary', { params: { path: { id: session.id } } }))
      .then((it) => { made.set(session.id, stamp(session)); kept.set(session.id, it); })
      // The card says less; its session may be gone.
      .catch(() => stamps.delete(session.id))
      .finally(() => { running -= 1; next(); });
  }
}

/** What is known of it is of now. */
export function fresh(session: Session): boolean {
  return made.get(session.id) === stamp(session);
}

export function summary(id: string): Summary | undefined {
  return kept.get(id);
}

/** Asks for a summary, unless it is known and nothing happened since. */
export function wanted(session: Session) {
  if (stamps.get(session.id) === stamp(session)) return;
  stamps.set(session.id, stamp(session));
  const waiting = queue.findIndex((it) => it.id === session.id);
  if (waiting >= 0) queue.splice(waiting, 1);
  queue.push(session);
  next();
}
