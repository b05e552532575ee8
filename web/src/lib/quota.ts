// Limits of accounts in words. What is not known is left out, and what is stale says so.
import type { Quota } from './types';
import { lasting } from './words';

/** Of each agent the fullest window, the fullest agent first. A window that has reset says nothing. */
export function fullest(quotas: readonly Quota[], now: number): Quota[] {
  const rank = (it: Quota) => (it.stale ? 0 : 1e6) + it.used_percent;
  const best = new Map<string, Quota>();
  for (const it of quotas.filter((it) => Date.parse(it.resets_at) > now)) {
    const before = best.get(it.agent);
    if (!before || rank(it) > rank(before)) best.set(it.agent, it);
  }
  return [...best.values()].sort((a, b) => rank(b) - rank(a));
}

/** The length of a window: 5h, 7d. */
export function span(minutes: number): string {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

/** 5h 64% */
export const used = (it: Quota): string => `${span(it.window_minutes)} ${Math.floor(it.used_percent)}%`;

/** What else is to be said of it: when it is full, when it resets, or how old the figure is. */
export function outlook(it: Quota, listed: number, now: number): string {
  if (it.stale) return `stale, ${lasting(it.age_seconds * 1000 + Math.max(0, now - listed))}`;
  if (it.used_percent >= 100) return `resets ${soon(it.resets_at, now)}`;
  return it.full_at && Date.parse(it.full_at) > now ? `full ${soon(it.full_at, now)}` : '';
}

/** Today the time alone, on other days with the day. */
export function soon(at: string, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })} ${time}`;
}

export const tone = (it: Quota): string => (it.stale ? 'soft' : it.used_percent >= 95 ? 'failed' : it.used_percent >= 80 ? 'approval' : 'soft');
