// How full the limits of accounts are, asked for while a page shows them.
import { api, unwrap } from '../api/client';
import type { Quota } from './types';

/** Limits move slowly, and the daemon reads nothing again for this. */
const EVERY = 60_000;

let quotas = $state.raw<Quota[]>([]);
let asked = $state(0);

export const limits = {
  get quotas() { return quotas; },
  /** When they were listed. */
  get asked() { return asked; },
};

/** Asks now and from time to time; gives a way to end it. */
export function followLimits(): () => void {
  const ask = () => {
    if (document.hidden) return;
    unwrap(api.GET('/api/quota')).then((it) => { quotas = it.quotas; asked = Date.now(); }, () => {});
  };
  ask();
  const timer = setInterval(ask, EVERY);
  document.addEventListener('visibilitychange', ask);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', ask);
  };
}
