// How the pages look in this browser. The first word of each choice is what counts where nothing was chosen.
export const CHOICES = {
  look: ['system', 'light', 'dark'],
  density: ['comfortable', 'compact'],
  motion: ['system', 'reduced'],
} as const;
export type Choice = keyof typeof CHOICES;

const chosen = $state(Object.fromEntries((Object.keys(CHOICES) as Choice[]).map((it) => [it, document.documentElement.dataset[it] ?? CHOICES[it][0]])) as Record<Choice, string>);

export const appearance = {
  get look() { return chosen.look; },
  get density() { return chosen.density; },
  get motion() { return chosen.motion; },
};

export function choose(what: Choice, word: string) {
  chosen[what] = word;
  if (word === CHOICES[what][0]) delete document.documentElement.dataset[what];
  else document.documentElement.dataset[what] = word;
  try { localStorage.setItem(what, word); } catch { /* It counts until the page is closed. */ }
}

/** Whether things stay where they are, as the system or the person wishes. */
export function isStill(): boolean {
  return chosen.motion === 'reduced' || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
