// Draws Markdown with elements made one by one and text put into them: quicker than components for
// long transcripts, and nothing that was written is ever read as markup.
import { blocks, type Block, type Inline } from './markdown';

function made<K extends keyof HTMLElementTagNameMap>(name: K, text = '', inside: Node[] = []): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  element.append(...inside);
  return element;
}

function inline(it: Inline): Node {
  switch (it.kind) {
    case 'code': return made('code', it.text);
    case 'bold': return made('strong', it.text);
    case 'italic': return made('em', it.text);
    case 'link': {
      // Only schemes the reader let through come here.
      const link = made('a', it.text);
      link.href = it.href;
      link.title = it.href;
      link.target = '_blank';
      link.rel = 'noopener noreferrer nofollow';
      return link;
    }
    default: return document.createTextNode(it.text);
  }
}

const all = (list: Inline[]) => list.map(inline);

function table(head: Inline[][], rows: Inline[][][]): HTMLElement {
  const line = (cells: Inline[][], name: 'th' | 'td') => made('tr', '', cells.map((it) => made(name, '', all(it))));
  const box = made('div', '', [made('table', '', [made('thead', '', [line(head, 'th')]), made('tbody', '', rows.map((it) => line(it, 'td')))])]);
  box.className = 'scroll';
  focusable(box, 'Table');
  return box;
}

/** What scrolls can be scrolled by keyboard. */
function focusable(element: HTMLElement, label: string) {
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', label);
}

function block(it: Block): HTMLElement {
  switch (it.kind) {
    case 'code': {
      const code = made('pre', it.text);
      focusable(code, 'Code');
      return code;
    }
    case 'heading': {
      const heading = made('p', '', all(it.inlines));
      heading.className = 'heading';
      return heading;
    }
    case 'list': return made(it.ordered ? 'ol' : 'ul', '', it.items.map((item) => made('li', '', all(item))));
    case 'quote': return made('blockquote', '', all(it.inlines));
    case 'table': return table(it.head, it.rows);
    case 'rule': return made('hr');
    case 'paragraph': return made('p', '', all(it.inlines));
  }
}

/** Draws a text into an element, and again when it changes. */
export function drawn(node: HTMLElement, text: string) {
  const draw = (it: string) => node.replaceChildren(...blocks(it).map(block));
  draw(text);
  return { update: draw };
}
