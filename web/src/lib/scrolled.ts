// Where a reader was on each page he was on, so that going back leads there. What scrolls is named by `data-scroll`.

const MOST = 50;
/** Content that is still being read may make a page longer for so long, in milliseconds. */
const PATIENCE = 3000;
const places = new Map<string, Map<string, number>>();
let count = 0;

function key(): string {
  return String((history.state as { key?: string } | null)?.key ?? '');
}

function noted(event: Event) {
  const box = event.target instanceof HTMLElement ? event.target : undefined;
  const name = box?.dataset.scroll;
  if (!box || !name) return;
  const own = places.get(key()) ?? new Map<string, number>();
  own.set(name, box.scrollTop);
  places.set(key(), own);
  const [oldest] = places.keys();
  if (places.size > MOST && oldest !== undefined) places.delete(oldest);
}

export const saved = {
  next(): string {
    count += 1;
    return `${performance.timeOrigin}-${count}`;
  },
  listen(): () => void {
    document.addEventListener('scroll', noted, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', noted, { capture: true });
  },
};

/** Scrolls to where the reader was, as soon as there is so much to scroll; whoever scrolls himself is left alone. */
export function restore() {
  const wanted = new Map(places.get(key()));
  const mine = key();
  const end = performance.now() + PATIENCE;
  let stop = false;
  const leave = () => { stop = true; };
  const acts = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
  acts.forEach((it) => addEventListener(it, leave, { once: true, passive: true }));
  const step = () => {
    for (const [name, top] of wanted) {
      const box = document.querySelector<HTMLElement>(`[data-scroll="${name}"]`);
      if (!box) continue;
      box.scrollTop = top;
      if (Math.abs(box.scrollTop - top) < 2) wanted.delete(name);
    }
    if (wanted.size && !stop && mine === key() && performance.now() < end) requestAnimationFrame(step);
    else acts.forEach((it) => removeEventListener(it, leave));
  };
  requestAnimationFrame(step);
}
