// Sessions by words of their title, folder, branch, agent or id, the whole history long: asked for when a person stops typing.
import { getAbortSignal } from 'svelte';
import { api, unwrap } from '../api/client';
import { live } from './live.svelte';
import { look } from './words';
import type { Session } from './types';

const PAUSE = 120;
const MOST = 40;

/** A recent session is known here already, also by the word for its status. */
function near(words: string): Session[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (it: Session) => [it.title, it.agent, it.project_path, it.git_branch, it.device, look(it).word, it.id].join(' ').toLowerCase();
  return [...live.sessions.values()].filter((it) => !it.parent_id && wanted.every((word) => text(it).includes(word)));
}

/** What fits the words, recent sessions first. To be made where effects are; the words are read again whenever they change. */
export function named(words: () => string): { readonly sessions: Session[] } {
  let far = $state.raw<Session[]>([]);
  $effect(() => {
    const wanted = words().trim();
    if (!wanted) { far = []; return; }
    const signal = getAbortSignal();
    const wait = setTimeout(() => {
      unwrap(api.GET('/api/sessions', { params: { query: { words: wanted, limit: MOST } }, signal })).then((it) => (far = it.sessions), () => {});
    }, PAUSE);
    return () => clearTimeout(wait);
  });
  const all = $derived([...new Map([...near(words()), ...far].map((it) => [it.id, live.sessions.get(it.id) ?? it])).values()]);
  return { get sessions() { return all; } };
}
