// One clock for all relative times.
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const begun = Date.now();
let now = $state(begun);
let tenth = $state(begun);
let minute = $state(begun);
setInterval(() => {
  now = Date.now();
  if (now - tenth >= 10_000) tenth = now;
  if (now - minute >= MINUTE) minute = now;
}, 1000);

export const clock = {
  get now() { return now; },
  /** The time, as often as what is said of an age changes: of hundreds of sessions few are younger than a minute. */
  of(at: string | null | undefined): number {
    const here = Date.now();
    const age = here - Date.parse(at ?? '');
    // Read, so that whoever asks is told when it is time to ask again.
    void (age < MINUTE ? now : age < HOUR ? tenth : minute);
    return here;
  },
};
