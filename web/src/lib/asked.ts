// What the page of a session asks the daemon for: windows, whole events, matches, traces.
import { api, unwrap } from '../api/client';
import type { Place, Window } from './passage.svelte';
import type { Told } from './transcript';
import type { Event } from './types';

type Slim = {
  id: string; sequence: number; turn?: number | null; kind: string; text?: string | null; created_at: string; cut?: boolean; lines?: number | null;
  tool?: string | null; input?: unknown; call_id?: string | null; parent_id?: string | null; failed?: boolean | null; failure?: string | null; decision?: string | null; stale?: boolean;
  denied?: boolean; images?: string[]; length?: number | null;
};
type Reply = { total: number; turns: number; anchor?: string | null; events: Slim[] };
export type Match = { event_id: string; turn?: number | null; sequence: number };
export type Found = { total: number; matches: Match[] };
export type TraceSpan = {
  kind: 'model' | 'tool' | 'agent' | 'human'; name: string; from: number; to: number; failed: boolean;
  usage?: { input_tokens: number; output_tokens: number; cache_read_tokens: number; cache_write_tokens: number } | null;
  cost_microdollars?: number | null; denied?: boolean; parent_id?: string | null; event_id?: string | null; session_id?: string | null; id?: string | null;
};
export type Trace = { turn: number; from: number; to: number; spans: TraceSpan[]; more?: boolean };

const got = <T>(path: string, query: object, signal?: AbortSignal): Promise<T> =>
  unwrap((api.GET as unknown as (path: string, more: object) => Promise<{ data?: T; response: Response }>)(path, { params: { query }, signal }));
const of = (id: string, what: string) => `/api/sessions/${encodeURIComponent(id)}/${what}`;

function told(it: Slim): Told {
  const { tool, input, call_id, failed, decision, failure, lines, denied, images, length } = it;
  const data = Object.fromEntries(Object.entries({ tool, input, call_id, failed, decision, failure, lines, denied, images, full_bytes: it.cut ? length : undefined }).filter(([, value]) => value !== undefined && value !== null));
  return { id: it.id, kind: it.kind as Told['kind'], createdAt: it.created_at, data, text: it.text ?? '', sequence: it.sequence, turn: it.turn ?? 0, ...(it.parent_id ? { answers: it.parent_id } : {}), ...(it.cut ? { cut: true } : {}) };
}

/** Windows of one session. */
export function windowOf(id: string, signal?: AbortSignal) {
  return async (place: Place, limit: number): Promise<Window> => {
    const it = await got<Reply>(of(id, 'window'), { ...place, limit }, signal);
    return { total: it.total, turns: it.turns, anchor: it.anchor ?? null, events: it.events.map(told) };
  };
}

/** An event with everything it says; the output of a tool is cut at 16 KiB unless all of it is asked for. */
export async function wholeEvent(id: string, event: string, signal?: AbortSignal, full = false): Promise<Event> {
  return got<Event>(of(id, `events/${encodeURIComponent(event)}`), full ? { full } : {}, signal);
}

/** The types of images that browsers only draw; the daemon sends no others. */
const DRAWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** The addresses of an event's images, and of those that are not shown what they are. */
export function imagesOf(id: string, event: string, types: unknown): { src?: string; type: string }[] {
  const all = Array.isArray(types) ? types.filter((it): it is string => typeof it === 'string') : [];
  return all.map((type, number) => (DRAWN.includes(type) ? { type, src: of(id, `events/${encodeURIComponent(event)}/images/${number}`) } : { type }));
}

export function findIn(id: string, words: string, limit: number, signal?: AbortSignal): Promise<Found> {
  return got<Found>(of(id, 'find'), { q: words, limit }, signal);
}

export function traceOf(id: string, turn: number, signal?: AbortSignal): Promise<Trace> {
  return got<Trace>(of(id, 'trace'), { turn }, signal);
}

export type Tool = { tool: string; calls: number; failed: number; denied?: number; p50_ms?: number | null; p95_ms?: number | null };
/** How often the tools of a project were called and failed, and how long they take. */
export async function toolsOf(project: string, signal?: AbortSignal): Promise<Tool[]> {
  return (await got<{ tools: Tool[] }>('/api/tools', { project }, signal)).tools ?? [];
}
