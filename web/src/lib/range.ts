// A range of days, as an address says it: the last so many, or from one day to another.
const DAY = 86_400_000;
export const SPANS = ['7d', '30d', '90d', '365d'] as const;

export type Range = {
  /** The days, the earliest first, as the daemon names them. */
  days: string[];
  since: string; until: string | undefined;
  /** The preset, if it is one. */
  span: string;
};

const isDay = (text: string | null): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function days(from: number, count: number): string[] {
  return Array.from({ length: Math.min(Math.max(count, 1), 3660) }, (_, at) => dayOf(from + at * DAY));
}

/** Days are those of UTC, as the daemon counts them. */
export function range(query: URLSearchParams, now: number): Range {
  const [from, to] = [query.get('from'), query.get('to')];
  if (isDay(from)) {
    const last = Math.max(Date.parse(from), isDay(to) ? Date.parse(to) : Date.parse(dayOf(now)));
    return { days: days(Date.parse(from), (last - Date.parse(from)) / DAY + 1), since: new Date(from).toISOString(), until: new Date(last + DAY).toISOString(), span: '' };
  }
  const wanted = query.get('since') ?? '';
  const span = (SPANS as readonly string[]).includes(wanted) ? wanted : '30d';
  const count = Number.parseInt(span, 10);
  return { days: days(Date.parse(dayOf(now)) - (count - 1) * DAY, count), since: span, until: undefined, span };
}
