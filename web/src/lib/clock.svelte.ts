// One clock for all relative times.
import { createSubscriber } from 'svelte/reactivity';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Tells whoever shows the time as often as that; where nobody does, no timer runs. */
const every = (ms: number) => createSubscriber((tell) => {
  const timer = setInterval(tell, ms);
  return () => clearInterval(timer);
});
const second = every(SECOND);
const tenth = every(10 * SECOND);
const minute = every(MINUTE);

export const clock = {
  get now() { second(); return Date.now(); },
  /** For what changes slowly: a second that changes nothing costs nothing. */
  get minute() { minute(); return Date.now(); },
  /** The time, as often as what is said of an age changes: of hundreds of sessions few are younger than a minute. */
  of(at: string | null | undefined): number {
    const here = Date.now();
    const age = here - Date.parse(at ?? '');
    (age < MINUTE ? second : age < HOUR ? tenth : minute)();
    return here;
  },
};
