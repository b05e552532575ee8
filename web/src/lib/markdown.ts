// Markdown as a tree of plain values. marked only finds the tokens; its HTML is never made, and the parts that draw the tree
// only make text.
import { Lexer, type MarkedToken, type Token, type Tokens, type TokensList } from 'marked';
import { plain } from './words';

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'bold' | 'italic' | 'struck'; inlines: Inline[] }
  | { kind: 'link'; inlines: Inline[]; href: string };
export type Align = Tokens.TableCell['align'];
export type Block =
  | { kind: 'paragraph'; inlines: Inline[] }
  | { kind: 'heading'; level: number; inlines: Inline[] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; aligns: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

/** The most text that is searched for marks; the rest is shown as it is. */
const LONGEST = 60_000;
/** marked takes quadratic time and more for emphasis, and a frame of the stack for every level: hostile text stays text. */
const MOST = { letters: 5000, marks: 200, levels: 40 };

class BoundedLexer extends Lexer {
  private level = 0;

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped = false): Token[] {
    // The caller keeps this very list.
    if (this.level >= MOST.levels) { tokens.push(literal(src)); return tokens; }
    this.level += 1;
    super.blockTokens(src, tokens, isClipped);
    this.level -= 1;
    return tokens;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const marks = src.match(/[*_~[<`\\@:]/g)?.length ?? 0;
    if (src.length <= MOST.letters && marks <= MOST.marks) return super.inlineTokens(src, tokens);
    tokens.push(literal(src));
    return tokens;
  }
}

const literal = (text: string): Tokens.Text => ({ type: 'text', raw: text, text });

export function blocks(source: string): Block[] {
  const tokens = new BoundedLexer({ gfm: true }).lex(plain(source.slice(0, LONGEST)));
  const rest = plain(source.slice(LONGEST));
  return [...tree(tokens), ...(rest ? [{ kind: 'code' as const, language: '', text: rest }] : [])];
}

/** marked adds tokens of other types only where an extension is used. */
const known = (tokens: Token[]) => tokens as MarkedToken[];

function tree(tokens: Token[]): Block[] {
  return known(tokens).flatMap((it): Block[] => {
    switch (it.type) {
      case 'space': return [];
      case 'heading': return [{ kind: 'heading', level: it.depth, inlines: inlines(it.tokens) }];
      case 'paragraph': return [{ kind: 'paragraph', inlines: inlines(it.tokens) }];
      case 'text': return [{ kind: 'paragraph', inlines: inlines(it.tokens ?? [it]) }];
      case 'blockquote': return [{ kind: 'quote', blocks: tree(it.tokens) }];
      case 'list': return [{ kind: 'list', start: it.ordered ? Number(it.start) : undefined, items: it.items.map(item) }];
      case 'code': return [{ kind: 'code', language: it.lang ?? '', text: it.text }];
      case 'table': return [{ kind: 'table', aligns: it.align, head: it.header.map((cell) => inlines(cell.tokens)), rows: it.rows.map((row) => row.map((cell) => inlines(cell.tokens))) }];
      case 'hr': return [{ kind: 'rule' }];
      // Tags and definitions of links draw nothing elsewhere; here nothing that was written is hidden.
      default: return [{ kind: 'paragraph', inlines: [{ kind: 'text', text: it.raw.trimEnd() }] }];
    }
  });
}

/** An entry of a list; the box of a task is part of its first line. */
function item({ tokens }: Tokens.ListItem): Block[] {
  const [box, first, ...rest] = known(tokens);
  if (box?.type !== 'checkbox' || first?.type !== 'text') return tree(tokens);
  return tree([{ ...first, tokens: [box, ...(first.tokens ?? [])] }, ...rest]);
}

function inlines(tokens: Token[]): Inline[] {
  const out: Inline[] = [];
  for (const it of known(tokens).flatMap(inline)) {
    const last = out.at(-1);
    if (it.kind === 'text' && last?.kind === 'text') out[out.length - 1] = { kind: 'text', text: last.text + it.text };
    else out.push(it);
  }
  return out;
}

function inline(it: MarkedToken): Inline[] {
  const written: Inline = { kind: 'text', text: it.raw };
  switch (it.type) {
    case 'checkbox': return [{ kind: 'text', text: it.checked ? '☑ ' : '☐ ' }];
    case 'br': return [{ kind: 'text', text: '\n' }];
    case 'codespan': return [{ kind: 'code', text: it.text }];
    // Other backslashes are those of paths, patterns and formulas.
    case 'escape': return [/[*_`~#|<>]/.test(it.text) ? { kind: 'text', text: it.text } : written];
    // `__init__` is a name.
    case 'strong': return [/^__\w+__$/.test(it.raw) ? written : { kind: 'bold', inlines: inlines(it.tokens) }];
    case 'em': return [{ kind: 'italic', inlines: inlines(it.tokens) }];
    // `~5~` is not struck out.
    case 'del': return [it.raw.startsWith('~~') ? { kind: 'struck', inlines: inlines(it.tokens) } : written];
    // `svelte@5.57.3` is not somebody's address.
    case 'link': return it.href === `mailto:${it.raw}` ? [written] : link(inlines(it.tokens), it.href, it.text);
    // A picture would be fetched from elsewhere: only its address is shown.
    case 'image': return link([{ kind: 'text', text: `picture: ${it.text || it.href}` }], it.href);
    // A text as it was written: marked resolves `&#8238;`, which nobody would see.
    default: return [written];
  }
}

/** Only addresses a person may want to open; whatever else stays text. */
function link(inside: Inline[], href: string, text?: string): Inline[] {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (url && ['http:', 'https:', 'mailto:'].includes(url.protocol)) return [{ kind: 'link', inlines: inside, href: url.href }];
  return text === href ? inside : [...inside, { kind: 'text', text: ` (${href})` }];
}
