// The keyboard: the same words as in the terminal where they can be.
import { PLACES } from './places';
import { go } from './router.svelte';

let palette = $state(false);
let help = $state(false);
let waiting = '';

const LETTERS = new Map(PLACES.map((it) => [it.letter, `/${it.path}`]));

function types(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** What can be gone through with j and k. */
function items(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-item]')].filter((it) => it.offsetParent !== null);
}

/** The place of the item that last had the focus: where it is gone, what took its place comes next. */
let last = -1;
function noted(event: FocusEvent) {
  const at = items().findIndex((it) => it === event.target || it.contains(event.target as Node));
  if (at >= 0) last = at;
  else if ((event.target as Element | null)?.matches('main')) last = -1;
}

function step(by: number) {
  const all = items();
  const at = all.findIndex((it) => it === document.activeElement || it.contains(document.activeElement));
  const lost = document.activeElement === document.body && last >= 0;
  const from = at >= 0 ? at + by : lost ? (by > 0 ? last : last - 1) : by > 0 ? 0 : all.length - 1;
  const next = all[Math.min(all.length - 1, Math.max(0, from))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** In a list of links the arrows step as j and k do. */
function arrow(by: number): boolean {
  if (!document.activeElement?.matches('a[data-item]')) return false;
  step(by);
  return true;
}

/** Presses the button of the item that has the focus. */
function press(name: string): boolean {
  const item = document.activeElement?.closest('main article, main section[data-item]');
  const button = item?.querySelector<HTMLElement>(`[data-key="${name}"]`) ??
    document.querySelector<HTMLElement>(`main [data-page-key="${name}"]`);
  button?.click();
  return Boolean(button);
}

/** Presses a button of the row that has the focus, and no other. */
function mine(name: string): boolean {
  const button = document.activeElement?.closest('main [data-row]')?.querySelector<HTMLElement>(`[data-key="${name}"]`);
  button?.click();
  return Boolean(button);
}

/** Puts the cursor where a prompt is written, or a number. */
function write(key: string): boolean {
  const field = document.querySelector<HTMLElement>(`main [data-page-key="${key}"]`);
  field?.focus();
  return Boolean(field);
}

/** Why a session has its status is on its page. */
function explain(): boolean {
  const link = document.activeElement?.closest('a');
  if (!link?.pathname.startsWith('/session/')) return false;
  go(link.pathname);
  return true;
}

function pressed(event: KeyboardEvent) {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    palette = !palette;
    return;
  }
  if (event.key === 'Escape' && (palette || help)) {
    palette = help = false;
    return;
  }
  // Escape leaves a box to write in; the next key is a key again.
  if (event.key === 'Escape' && types(event.target) && !(event.target as HTMLElement).closest('dialog')) {
    (event.target as HTMLElement).blur();
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    return;
  }
  if (palette || event.metaKey || event.ctrlKey || event.altKey || types(event.target)) return;
  if (waiting === 'g') {
    waiting = '';
    const place = LETTERS.get(event.key);
    if (place) go(place);
    return;
  }
  // A key that is held down is one press.
  if (event.repeat && /^[ad1-9]$/.test(event.key)) return;
  const done = act(event.key);
  if (done) event.preventDefault();
}

function act(key: string): boolean {
  switch (key) {
    case 'ArrowDown': case 'ArrowUp': return arrow(key === 'ArrowDown' ? 1 : -1);
    case 'j': step(1); return true;
    case 'k': step(-1); return true;
    case 'g': waiting = 'g'; return true;
    case '?': help = !help; return true;
    case '/': {
      const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
      if (box) box.focus();
      else go('/search');
      return true;
    }
    case 'e': return press(key) || explain();
    case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': return press(key);
    case 's': return mine(key) || write(key);
    case '#': return write(key);
    case 'm': return mine(key);
    case 'a': case 'd': case '[': case ']': case 't': case 'n': case 'N': case 'o': case 'l': case 'w': return press(key);
    default: return false;
  }
}

export const keys = {
  get palette() { return palette; },
  set palette(open: boolean) { palette = open; },
  get help() { return help; },
  set help(open: boolean) { help = open; },
  listen(): () => void {
    addEventListener('keydown', pressed);
    document.addEventListener('focusin', noted);
    return () => {
      removeEventListener('keydown', pressed);
      document.removeEventListener('focusin', noted);
    };
  },
};
