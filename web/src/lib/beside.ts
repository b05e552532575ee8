// The turns of two sessions beside one another.
import type { Session, Turn } from './types';

export type Side = { session: Session; turns: Turn[] };
export type Pair = { a: Turn | undefined; b: Turn | undefined; same: boolean };

/** So far ahead the same prompt is looked for. */
const AHEAD = 40;
const asked = (it: Turn) => it.prompt.trim().replace(/\s+/g, ' ');

/** Turns with the same prompt share a row; what lies between stays in its order. */
export function pairs(a: Turn[], b: Turn[]): Pair[] {
  const out: Pair[] = [];
  let [at, from] = [0, 0];
  const fill = (to: number, until: number) => {
    for (; at < to || from < until; ) out.push({ a: at < to ? a[at++] : undefined, b: from < until ? b[from++] : undefined, same: false });
  };
  for (;;) {
    const next = meeting(a, b, at, from);
    if (!next) break;
    fill(next[0], next[1]);
    out.push({ a: a[at++], b: b[from++], same: true });
  }
  fill(a.length, b.length);
  return out;
}

/** The nearest two turns that were asked the same. */
function meeting(a: Turn[], b: Turn[], at: number, from: number): [number, number] | undefined {
  for (let sum = 0; sum <= 2 * AHEAD; sum += 1) {
    for (let one = Math.max(0, sum - AHEAD); one <= Math.min(sum, AHEAD); one += 1) {
      const [left, right] = [a[at + one], b[from + sum - one]];
      if (left && right && asked(left) === asked(right)) return [at + one, from + sum - one];
    }
  }
  return undefined;
}
