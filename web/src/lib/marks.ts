// Words that were searched for, marked in the text as it was drawn: the browser paints ranges, so nothing of the page changes
// and nothing that was written is read as markup. A browser without highlights only shows which entry it is.

type Paints = { highlights?: { set(name: string, it: object): void; delete(name: string): void } };

/** The words of a question, without what narrows it: `agent:x`, `since:7d`. */
export function words(question: string): string[] {
  const out = [...question.matchAll(/"([^"]+)"|(\S+)/g)].map((it) => (it[1] ?? it[2] ?? '').trim());
  return [...new Set(out.filter((it) => !/^-|^\w+:\S/.test(it) && !/^(AND|OR|NOT)$/.test(it)).map((it) => it.replace(/^[+("]+|[*)"]+$/g, '')).filter(Boolean))];
}

/** What fits any of the words, as it is written. */
export function pattern(words: readonly string[]): RegExp | undefined {
  const all = words.map((it) => it.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+')).filter(Boolean);
  return all.length ? new RegExp(all.sort((a, b) => b.length - a.length).join('|'), 'giu') : undefined;
}

/** So many ranges are painted at most. */
const MOST = 2000;

function ranges(box: Element, fits: RegExp): { all: Range[]; here: Range[] } {
  const [all, here]: [Range[], Range[]] = [[], []];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && all.length < MOST; node = walker.nextNode()) {
    const parent = node.parentElement;
    // Only what was said: neither badges and buttons of the page, nor another session that is shown inside.
    if (!parent?.closest('[data-text]') || parent.closest('[data-unmarked]')) continue;
    for (const it of (node as Text).data.matchAll(fits)) {
      const range = document.createRange();
      range.setStart(node, it.index);
      range.setEnd(node, it.index + it[0].length);
      (parent.closest('.chosen') ? here : all).push(range);
    }
  }
  return { all, here };
}

/** Keeps the words marked in a box while its rows come and go; gives a way to end it. */
export function marked(box: Element, words: readonly string[]): () => void {
  const { highlights } = CSS as unknown as Paints;
  const fits = pattern(words);
  const Paint = (globalThis as unknown as { Highlight?: new (...ranges: Range[]) => object }).Highlight;
  if (!highlights || !Paint || !fits) return () => {};
  let drawing = 0;
  const draw = () => {
    drawing = 0;
    const { all, here } = ranges(box, fits);
    highlights.set('found', new Paint(...all));
    highlights.set('found-here', new Paint(...here));
  };
  const soon = () => { drawing ||= requestAnimationFrame(draw); };
  const eye = new MutationObserver(soon);
  eye.observe(box, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['class'] });
  soon();
  return () => {
    eye.disconnect();
    cancelAnimationFrame(drawing);
    highlights.delete('found');
    highlights.delete('found-here');
  };
}

/** Brings the first marked word of an entry into sight, also where the entry itself scrolls. */
export function showMark(entry: Element | null, words: readonly string[]) {
  const fits = pattern(words);
  const range = entry && fits ? ranges(entry, fits) : undefined;
  const first = range?.here[0] ?? range?.all[0];
  const inner = first?.startContainer.parentElement?.closest<HTMLElement>('pre, .lines, dd');
  if (!first || !inner || inner.scrollHeight <= inner.clientHeight) return;
  inner.scrollTop += first.getBoundingClientRect().top - inner.getBoundingClientRect().top - inner.clientHeight / 3;
}
