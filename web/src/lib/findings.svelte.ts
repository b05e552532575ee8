// How grave a finding is, and which of them a person put away in this browser.
import type { Finding } from './types';

export type Severity = 'act' | 'look' | 'know';
export const SEVERITIES: Record<Severity, { word: string; shape: string; tone: string }> = {
  act: { word: 'Act now', shape: '▲', tone: 'approval' },
  look: { word: 'Look into it', shape: '■', tone: 'question' },
  know: { word: 'For your information', shape: '○', tone: 'idle' },
};
const ACT = ['agent_acted', 'risky_approval', 'auth_failure', 'provider_crash', 'approval_backlog', 'several_blocked', 'question_asked', 'rate_limit'];
const KNOW = ['finished', 'context_nearly_full', 'budget', 'quota'];

export function severity(finding: Finding): Severity {
  if (ACT.includes(finding.kind)) return 'act';
  return KNOW.includes(finding.kind) ? 'know' : 'look';
}

/** What makes it the same finding: the same kind of thing begins again at another time. */
export const key = (it: Finding): string => `${it.session_id} ${it.kind} ${it.since}`;

const KEY = 'findings';
const MOST = 500;
/** Until when a finding is put away, by its key; for good without an end. */
type Away = Record<string, number>;
const NEVER = 8.64e15;

function read(): Away {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries((all ?? {}) as Record<string, unknown>).filter((it): it is [string, number] => typeof it[1] === 'number' && it[1] > Date.now());
    return Object.fromEntries(entries.slice(-MOST));
  } catch {
    return {};
  }
}

let away = $state.raw(read());

function keep(all: Away) {
  away = all;
  try { localStorage.setItem(KEY, JSON.stringify(all)); } catch { /* It counts until the page is closed. */ }
}

export const putAway = {
  is(it: Finding, now: number): boolean { return (away[key(it)] ?? 0) > now; },
  dismiss(it: Finding) { keep({ ...away, [key(it)]: NEVER }); },
  snooze(it: Finding, until: number) { keep({ ...away, [key(it)]: until }); },
  bring(it: Finding) {
    const { [key(it)]: _, ...rest } = away;
    keep(rest);
  },
};
