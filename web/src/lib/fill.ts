// The context of a session along its answers, as the path of an area.
import type { SessionUsage } from './types';

export type Point = { at: number; tokens: number; turn: number | null | undefined; time: string | null | undefined };
export const WIDE = 1000;
export const HIGH = 160;
/** So many points are drawn at most: of neighbours the fullest. */
const MOST = 500;

export function points(usage: SessionUsage): Point[] {
  const known = usage.answers.flatMap((it, at): Point[] => (it.context_tokens === null || it.context_tokens === undefined ? [] : [{ at, tokens: it.context_tokens, turn: it.turn, time: it.at }]));
  if (known.length <= MOST) return known;
  const step = known.length / MOST;
  return Array.from({ length: MOST }, (_, slot) => known.slice(Math.floor(slot * step), Math.floor((slot + 1) * step)).reduce((most, it) => (it.tokens > most.tokens ? it : most)));
}

/** The outline of the area, in the units of the picture. */
export function area(points: readonly Point[], answers: number): { line: string; area: string; top: number } {
  const top = Math.max(1, ...points.map((it) => it.tokens));
  const x = (it: Point) => ((it.at / Math.max(1, answers - 1)) * WIDE).toFixed(1);
  const y = (it: Point) => (HIGH - (it.tokens / top) * (HIGH - 8)).toFixed(1);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return { line: '', area: '', top };
  const line = points.map((it, number) => `${number ? 'L' : 'M'}${x(it)} ${y(it)}`).join('');
  return { line, area: `${line}L${x(last)} ${HIGH}L${x(first)} ${HIGH}Z`, top };
}

/** Where compactions are among the answers: before the first answer that is later. */
export function folds(usage: SessionUsage): number[] {
  return usage.compactions.map((fold) => {
    const next = usage.answers.findIndex((it) => it.at !== null && it.at !== undefined && Date.parse(it.at) >= Date.parse(fold.at));
    return ((next < 0 ? usage.answers.length - 1 : Math.max(0, next - 0.5)) / Math.max(1, usage.answers.length - 1)) * WIDE;
  });
}
