// The address is the state: the page, what it shows and how it is filtered.
import { restore, saved } from './scrolled';

type Place = { path: string; query: URLSearchParams };

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

let place = $state.raw(here());
/** The word a session was first opened by, by its id. */
const opened = new Map<string, string>();

export const route = {
  get path() { return place.path; },
  get query() { return place.query; },
  /** The parts of the path. */
  get parts() { return place.path.split('/').filter(Boolean).map(decoded); },
  /** What is the same as long as the same page is open: a session is, by its id and by the beginning of it. */
  get page() {
    const [name = '', word = ''] = this.parts;
    return name === 'session' ? `session ${opened.get(word) ?? word}` : name;
  },
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A session was opened by this word: its own id is the same page from now on. */
export function known(word: string, id: string) {
  if (!opened.has(id)) opened.set(id, word);
}

/** Shows what the address says; another page begins at its top and has the focus. */
function moved(before: string) {
  place = here();
  if (route.page === before) return;
  const main = document.querySelector('main');
  main?.scrollTo(0, 0);
  main?.focus({ preventScroll: true });
}

export function go(to: string) {
  if (to === location.pathname + location.search) return;
  const before = route.page;
  history.pushState({ key: saved.next() }, '', to);
  moved(before);
}

/** Changes a filter in the address; it is not a step to go back to. */
export function filter(name: string, value: string) {
  filters({ [name]: value });
}

/** Changes several filters at once. */
export function filters(all: Record<string, string>) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(all)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  history.replaceState(history.state, '', location.pathname + (text ? `?${text}` : ''));
  place = here();
}

/** Links of ours are followed without loading anything. */
function followed(event: MouseEvent) {
  const link = (event.target as Element | null)?.closest('a');
  const wanted = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !wanted || link.origin !== location.origin || link.hasAttribute('download') || link.target) return;
  event.preventDefault();
  if (link.hash && link.pathname + link.search === location.pathname + location.search) {
    document.getElementById(link.hash.slice(1))?.focus();
    return;
  }
  go(link.pathname + link.search);
}

/** A press on a notification leads to its page in a window that is open. */
function pressed({ data }: MessageEvent) {
  const path: unknown = data?.taffrail === 'open' ? data.path : undefined;
  if (typeof path === 'string' && /^\/(?!\/)/.test(path)) go(path);
}

export function follow(): () => void {
  const back = () => {
    const before = route.page;
    moved(before);
    restore();
  };
  history.scrollRestoration = 'manual';
  if (!history.state?.key) history.replaceState({ key: saved.next() }, '');
  const end = saved.listen();
  addEventListener('popstate', back);
  document.addEventListener('click', followed);
  navigator.serviceWorker?.addEventListener('message', pressed);
  return () => {
    end();
    removeEventListener('popstate', back);
    document.removeEventListener('click', followed);
    navigator.serviceWorker?.removeEventListener('message', pressed);
  };
}
