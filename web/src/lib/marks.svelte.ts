// What a person writes on a session: tags, a star, a name and notes.
import { api, unwrap } from '../api/client';
import type { Marks } from './types';

export type Change = { add?: string[]; remove?: string[]; starred?: boolean; title?: string; note?: string };

export function marksOf(id: string): Promise<Marks> {
  return unwrap(api.GET('/api/sessions/{id}/marks' as never, { params: { path: { id } } } as never)) as Promise<Marks>;
}

export function mark(id: string, change: Change): Promise<Marks> {
  return unwrap(api.POST('/api/sessions/{id}/marks' as never, { params: { path: { id } }, body: change } as never)) as Promise<Marks>;
}
