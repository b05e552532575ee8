// Draws Markdown with elements made one by one and text put into them: a jump in a long transcript takes half the time that
// components take for it, and nothing that was written is ever read as markup.
import { family, pieces } from './colours';
import { blocks, type Align, type Block, type Inline } from './markdown';

type Names = HTMLElementTagNameMap;

function made<K extends keyof Names>(name: K, inside: (Node | string)[], more: Partial<Names[K]> = {}): Names[K] {
  const element = document.createElement(name);
  element.append(...inside);
  return Object.assign(element, more);
}

function inline(it: Inline): Node | string {
  switch (it.kind) {
    case 'text': return it.text;
    case 'code': return made('code', [it.text]);
    case 'bold': return made('strong', it.inlines.map(inline));
    case 'italic': return made('em', it.inlines.map(inline));
    case 'struck': return made('del', it.inlines.map(inline));
    // Only schemes the reader let through come here.
    case 'link': return made('a', it.inlines.map(inline), { href: it.href, title: it.href, target: '_blank', rel: 'noopener noreferrer nofollow' });
  }
}

function block(it: Block): HTMLElement {
  switch (it.kind) {
    case 'paragraph': return made('p', it.inlines.map(inline));
    case 'heading': return made('p', it.inlines.map(inline), { className: 'heading' });
    case 'code': return made('pre', coloured(it.text, it.language), focusable('Code'));
    case 'quote': return made('blockquote', it.blocks.map(block));
    case 'list': {
      const items = it.items.map((item) => made('li', item.map(block)));
      return it.start === undefined ? made('ul', items) : made('ol', items, { start: it.start });
    }
    case 'table': return made('div', [table(it)], { className: 'scroll', ...focusable('Table') });
    case 'rule': return made('hr', []);
  }
}

/** Source text with its comments, strings, numbers and keywords in elements of their own. */
function coloured(text: string, language: string): (Node | string)[] {
  return pieces(text, family(language)).map((it) => (it.kind ? made('span', [it.text], { className: `code-${it.kind}` }) : it.text));
}

function table({ aligns, head, rows }: Extract<Block, { kind: 'table' }>): HTMLElement {
  const row = (cells: Inline[][], name: 'th' | 'td') => made('tr', cells.map((it, column) => aligned(made(name, it.map(inline)), aligns[column] ?? null)));
  return made('table', [made('thead', [row(head, 'th')]), made('tbody', rows.map((it) => row(it, 'td')))]);
}

function aligned(cell: HTMLElement, align: Align): HTMLElement {
  if (align) cell.style.textAlign = align;
  return cell;
}

/** What scrolls can be scrolled by keyboard. */
const focusable = (label: string) => ({ tabIndex: 0, role: 'group', ariaLabel: label });

/** Draws a text into an element, and again when it changes. */
export function drawn(node: HTMLElement, text: string) {
  const draw = (it: string) => node.replaceChildren(...blocks(it).map(block));
  draw(text);
  return { update: draw };
}
