// Every session, page by page: pages far from what is seen are dropped, and asked for again when they come near.
import { api, unwrap } from '../api/client';
import type { Facets, Row } from './types';

export const PAGE = 100;
/** So many pages are kept around the one that is seen. */
const KEPT = 4;

export const SORTS = ['last', 'tokens', 'cost', 'duration', 'failures'] as const;
export type Sort = (typeof SORTS)[number];
export const FACETS = ['project', 'agent', 'model', 'device', 'branch', 'tag'] as const;
export type Facet = (typeof FACETS)[number];
/** What of an address is a question to the list. */
const ASKED = ['sort', 'order', 'words', 'starred', 'since', 'waiting', 'failing', ...FACETS];

type Page = { cursor: string | undefined; rows: Row[] | undefined };

/** The question of an address: only what the list understands. */
export function question(query: URLSearchParams): URLSearchParams {
  const out = new URLSearchParams();
  for (const name of ASKED) {
    const value = query.get(name);
    if (value) out.set(name, value);
  }
  if (!SORTS.includes(out.get('sort') as Sort)) out.set('sort', 'last');
  if (out.get('order') !== 'asc') out.set('order', 'desc');
  return out;
}

export class List {
  total = $state<number>();
  facets = $state.raw<Facets>({});
  failed = $state.raw<unknown>();
  private pages = $state.raw<Page[]>([{ cursor: undefined, rows: undefined }]);
  private busy = new Set<number>();
  /** Where the last page that is known ends, there are more. */
  private ended = false;

  constructor(private readonly asked: URLSearchParams, private readonly signal: AbortSignal) {
    void this.load(0);
  }

  /** How many rows are known to be there: pages that were read, and one that is to be read. */
  get length(): number {
    const known = this.pages.reduce((all, it) => all + (it.rows?.length ?? PAGE), 0);
    return Math.min(known, this.total ?? known);
  }

  at(row: number): Row | undefined {
    return this.pages[Math.floor(row / PAGE)]?.rows?.[row % PAGE];
  }

  /** Reads what is seen, and what comes next. */
  see(first: number, last: number) {
    const [from, until] = [Math.floor(first / PAGE), Math.floor((last + PAGE / 2) / PAGE)];
    for (let page = from; page <= until; page += 1) if (this.pages[page] && !this.pages[page]?.rows) void this.load(page);
    const far = (page: number) => page < from - KEPT || page > until + KEPT;
    if (this.pages.some((it, page) => it.rows && far(page))) this.pages = this.pages.map((it, page) => (far(page) && page < this.pages.length - 1 ? { ...it, rows: undefined } : it));
  }

  /** What was changed here shows at once. */
  change(id: string, more: Partial<Row>) {
    this.pages = this.pages.map((page) => (page.rows?.some((it) => it.id === id) ? { ...page, rows: page.rows.map((it) => (it.id === id ? { ...it, ...more } : it)) } : page));
  }

  private async load(page: number) {
    const cursor = this.pages[page]?.cursor;
    if (this.busy.has(page)) return;
    this.busy.add(page);
    try {
      const query = { ...Object.fromEntries(this.asked), limit: PAGE, after: cursor, facets: page === 0 };
      const reply = await unwrap(api.GET('/api/sessions', { params: { query: query as never }, signal: this.signal }));
      this.take(page, reply as unknown as { sessions: Row[]; total?: number; next?: string | null; facets?: Facets });
    } catch (error) {
      this.failed = error;
    } finally {
      this.busy.delete(page);
    }
  }

  private take(page: number, { sessions, total, next, facets }: { sessions: Row[]; total?: number; next?: string | null; facets?: Facets }) {
    const pages = this.pages.map((it, at) => (at === page ? { ...it, rows: sessions } : it));
    if (page === pages.length - 1 && !this.ended) {
      if (next) pages.push({ cursor: next, rows: undefined });
      else this.ended = true;
    }
    if (page === 0) {
      this.total = total ?? sessions.length;
      this.facets = facets ?? {};
    }
    this.failed = undefined;
    this.pages = pages;
  }
}
