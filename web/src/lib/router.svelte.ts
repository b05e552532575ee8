// The address is the state: the page, what it shows and how it is filtered.

type Place = { path: string; query: URLSearchParams };

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

let place = $state.raw(here());

export const route = {
  get path() { return place.path; },
  get query() { return place.query; },
  /** The parts of the path. */
  get parts() { return place.path.split('/').filter(Boolean).map(decodeURIComponent); },
};

export function go(to: string) {
  if (to === location.pathname + location.search) return;
  history.pushState(null, '', to);
  place = here();
  document.querySelector('main')?.scrollTo(0, 0);
}

/** Changes a filter in the address; it is not a step to go back to. */
export function filter(name: string, value: string) {
  const query = new URLSearchParams(location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text ? `?${text}` : ''));
  place = here();
}

/** Links of ours are followed without loading anything. */
function followed(event: MouseEvent) {
  const link = (event.target as Element | null)?.closest('a');
  const wanted = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !wanted || link.origin !== location.origin || link.hasAttribute('download') || link.target) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

export function follow(): () => void {
  const moved = () => { place = here(); };
  addEventListener('popstate', moved);
  document.addEventListener('click', followed);
  return () => {
    removeEventListener('popstate', moved);
    document.removeEventListener('click', followed);
  };
}
