// The pages, in the order of every list of them.
import type { IconName } from './icons';

export type Place = {
  path: string; word: string; icon: IconName;
  /** The letter after `g` that goes there. */
  letter: string;
  /** A phone has room for these. */
  first?: boolean;
};

export const PLACES: readonly Place[] = [
  { path: '', word: 'Board', icon: 'board', letter: 'b', first: true },
  { path: 'sessions', word: 'Sessions', icon: 'sessions', letter: 'l', first: true },
  { path: 'search', word: 'Search', icon: 'search', letter: 's', first: true },
  { path: 'approvals', word: 'Approvals', icon: 'approvals', letter: 'a', first: true },
  { path: 'projects', word: 'Projects', icon: 'projects', letter: 'p' },
  { path: 'timeline', word: 'Timeline', icon: 'timeline', letter: 't' },
  { path: 'usage', word: 'Usage', icon: 'usage', letter: 'u' },
  { path: 'feed', word: 'Feed', icon: 'feed', letter: 'e' },
  { path: 'findings', word: 'Findings', icon: 'findings', letter: 'f' },
  { path: 'health', word: 'Health', icon: 'health', letter: 'h' },
  { path: 'settings', word: 'Settings', icon: 'settings', letter: 'c' },
];
