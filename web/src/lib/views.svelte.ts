// Views of the list of sessions: a name and an address. One's own are kept in this browser.
export type View = { name: string; query: string };

export const READY: readonly View[] = [
  { name: 'Latest', query: '' },
  { name: 'Most failures', query: 'sort=failures' },
  { name: 'Most expensive this week', query: 'sort=cost&since=7d' },
  { name: 'Longest this month', query: 'sort=duration&since=30d' },
];
const KEY = 'views';
const MOST = 30;

function read(): View[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    const isView = (it: unknown): it is View => typeof (it as View)?.name === 'string' && typeof (it as View)?.query === 'string';
    return Array.isArray(all) ? all.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

let own = $state.raw(read());

function keep(all: View[]) {
  own = all;
  try { localStorage.setItem(KEY, JSON.stringify(all)); } catch { /* They count until the page is closed. */ }
}

export const views = {
  get own() { return own; },
  save(view: View) { keep([view, ...own.filter((it) => it.name !== view.name)].slice(0, MOST)); },
  drop(name: string) { keep(own.filter((it) => it.name !== name)); },
};
