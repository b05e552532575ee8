// A button that moved or changed is dead for a moment: a finger that was on its way meant what stood there before.

/** So long in milliseconds. */
export const DEAD = 600;
/** So often is looked where buttons are, in milliseconds. */
const LOOKS = 100;
/** A move of fewer pixels is none. */
const STILL = 6;

type Place = { left: number; top: number };
export type Steady = { look: () => boolean; again: () => void };

/** Tells from places and times whether something has been still for long enough. */
export function stillness(first: Place, now: number): (place: Place, now: number) => boolean {
  let [place, since] = [first, now];
  return (next, at) => {
    if (Math.abs(next.left - place.left) > STILL || Math.abs(next.top - place.top) > STILL) [place, since] = [next, at];
    return at - since >= DEAD;
  };
}

const all = new Set<() => void>();
const each = () => all.forEach((it) => it());
let timer: ReturnType<typeof setInterval> | undefined;

function begin() {
  if (timer) return;
  timer = setInterval(each, LOOKS);
  document.addEventListener('scroll', each, { capture: true, passive: true });
}
function rest() {
  if (all.size) return;
  clearInterval(timer);
  timer = undefined;
  document.removeEventListener('scroll', each, { capture: true });
}

/** Watches an element; says whenever it comes to life or dies, and can be asked to look at once. */
export function watched(node: HTMLElement, tell: (alive: boolean) => void): Steady & { end: () => void } {
  let judge = stillness(node.getBoundingClientRect(), performance.now());
  let alive = false;
  const look = () => {
    const is = judge(node.getBoundingClientRect(), performance.now());
    if (is !== alive) tell((alive = is));
    return is;
  };
  const again = () => {
    judge = stillness(node.getBoundingClientRect(), performance.now());
    look();
  };
  const step = () => void look();
  all.add(step);
  begin();
  const end = () => {
    all.delete(step);
    rest();
  };
  return { look, again, end };
}
