// Words and numbers as every page shows them.
import type { Imported, Session, Usage } from './types';

export type Tone = 'approval' | 'question' | 'working' | 'turn' | 'idle' | 'done' | 'failed';
export type Look = { shape: string; word: string; tone: Tone };

/** How a state is drawn: a shape, a word and a colour, which never speaks alone. */
export function look(session: Session): Look {
  if (session.imported) return { ...state(session), word: imported(session.imported) };
  return state(session);
}

/** The status that an imported document gives its work: imported: in progress, 65 %. */
export function imported(it: Imported): string {
  const part = it.progress ?? -1;
  const share = part >= 0 && part <= 1 ? `, ${Math.round(part * 100)} %` : '';
  return `imported: ${(it.status ?? 'status unknown').replaceAll('_', ' ')}${share}`;
}

function state(session: Session): Look {
  if (session.lifecycle === 'lost') return { shape: '✕', word: 'lost', tone: 'failed' };
  if (session.lifecycle === 'prompts_only') return { shape: '›', word: 'prompts only', tone: 'done' };
  if (session.failed) return { shape: '✕', word: 'failed', tone: 'failed' };
  switch (session.status) {
    case 'waiting_approval': return { shape: '●', word: 'waiting for approval', tone: 'approval' };
    case 'waiting':
      return session.group === 'needs_you'
        ? { shape: '◆', word: 'asks', tone: 'question' }
        : { shape: '◇', word: 'your turn', tone: 'turn' };
    case 'running': return { shape: '◐', word: 'working', tone: 'working' };
    case 'idle': return { shape: '○', word: 'idle', tone: 'idle' };
    case 'exited': return { shape: '✓', word: 'done', tone: 'done' };
    default: return { shape: '?', word: 'unknown', tone: 'idle' };
  }
}

/** What may be answered to the question a session asks. */
export function offered(session: Session): string[] {
  return session.waiting_for?.options ?? [];
}

/** Words as a shell reads them, for reading and copying. */
export function shellWords(all: string[]): string {
  return all.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The device a session is on, where that is another one. */
export function elsewhere(session: Session): string {
  return session.source_uri.startsWith('relay:') ? (session.device ?? '') : '';
}

/** A short relative time: 14s, 2m, 3h, Tue, 3 Oct. */
export function ago(at: string | null | undefined, now: number): string {
  if (!at) return '';
  const then = Date.parse(at);
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  const date = new Date(then);
  if (seconds < 6 * 86400) return date.toLocaleDateString('en', { weekday: 'short' });
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year });
}

const isLong = (at: string, now: number) => now - Date.parse(at) >= 86_400_000;

/** How long something has been so: for 3h, since Tue, since 3 Oct. */
export function since(at: string | null | undefined, now: number): string {
  return at ? `${isLong(at, now) ? 'since' : 'for'} ${ago(at, now)}` : '';
}

/** When something was: 3h ago, on Tue, on 3 Oct. */
export function past(at: string | null | undefined, now: number): string {
  if (!at) return 'never';
  return isLong(at, now) ? `on ${ago(at, now)}` : `${ago(at, now)} ago`;
}

/** The day of a time, as a person says it. */
export function day(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}

/** A text without the marks it is written with, for places of one line. */
export function unmarked(text: string): string {
  return line(text.replace(/^\s*(?:[#>]+|[-*+]|\d+\.)\s+/gm, '').replace(/```\w*/g, ' ').replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)\1/g, '$2').replace(/(^|[\s(])\*(?=[^\s*])([^*\n]*[^\s*])\*(?=[\s.,;:!?)]|$)/g, '$1$2').replace(/`([^`]*)`/g, '$1').replace(/(^|[\s(])(?:\*\*|`)(?=\w)/g, '$1'));
}

/** A length of time: 14s, 4m 10s, 3h 2m. */
export function lasting(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86400)}d ${Math.floor((seconds % 86400) / 3600)}h`;
}

export function clock(at: string): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

export function whole(at: string): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** 950, 12k, 1.2M. */
export function count(value: number): string {
  if (value < 1000) return String(value);
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1000)}k`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(value < 10_000_000 ? 1 : 0)}M`;
  return `${(value / 1_000_000_000).toFixed(1)}B`;
}

/** 2,014: where the number itself is told. */
export function exact(value: number): string {
  return value.toLocaleString('en');
}

/** 950 bytes, 16 kB, 1.2 MB. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** a, b and c. */
export function listed(words: string[]): string {
  return new Intl.ListFormat('en-GB').format(words);
}

export function tokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** Money, or that it is not known. */
export function money(microdollars: number | null | undefined): string {
  if (microdollars === null || microdollars === undefined) return 'unknown';
  const dollars = microdollars / 1_000_000;
  if (dollars > 0 && dollars < 0.005) return '<$0.01';
  return `$${dollars.toFixed(dollars < 10 ? 2 : dollars < 1000 ? 1 : 0)}`;
}

/** How a number changed against the period before: ▲ 12 %, ▼ 3 %, or nothing where that is not known. */
export function change(now: number | null | undefined, before: number | null | undefined): string {
  if (now === null || now === undefined || !before) return '';
  const part = Math.round(((now - before) / before) * 100);
  if (!part) return '= 0 %';
  return `${part > 0 ? '▲' : '▼'} ${part > 1000 ? '>1000' : Math.abs(part)} %`;
}

/** What a session cost; ≈ marks a list price, +? answers of unknown cost. */
export function price(it: Session): string {
  const known = it.cost_microdollars;
  if (known === null || known === undefined) return 'unknown';
  return `${it.cost?.reported_microdollars === known ? '' : '≈'}${money(known)}${it.cost?.unknown_answers ? '+?' : ''}`;
}

/** What a session cost together with its sub-agents, and which part is theirs. */
export function wholePrice(it: Session): string {
  const [all, own] = [it.cost?.with_workers_microdollars ?? 0, it.cost_microdollars ?? 0];
  if (all <= own) return price(it);
  return `${price({ ...it, cost_microdollars: all })}, of which sub-agents ${money(all - own)}`;
}

/** The agent's own title; while it lives without one, what it was last asked and does. */
export function title(session: Session): string {
  return session.auto_title?.trim() || session.title?.trim() || project(session.project_path) || session.id.slice(0, 8);
}

/** The rest of a card shows these kinds: a question, a request, an end. */
const SHOWN_ANYWAY = ['question_asked', 'risky_approval', 'finished', 'several_blocked'];

/** What was found about a session, in a few words each. */
export function remarks(session: Session): string[] {
  return (session.findings ?? []).filter((it) => !SHOWN_ANYWAY.includes(it)).map((it) => it.replaceAll('_', ' '));
}

export function project(path: string | null | undefined): string {
  return path?.replace(/\/+$/, '').split('/').pop() ?? '';
}

/** Direction marks and other characters that lie about what is read are shown as what they are. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (it) => (it === '\r' ? '' : `‹${it.charCodeAt(0).toString(16).padStart(4, '0')}›`));
}

export function line(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim();
}
