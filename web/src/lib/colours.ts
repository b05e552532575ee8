// Colours for source text: a line or a block is cut into comments, strings, numbers, keywords and the rest. It knows families of
// languages, not grammars: where it is unsure, text stays plain.

export type Piece = { kind: 'comment' | 'string' | 'number' | 'keyword' | 'add' | 'del' | ''; text: string };

/** Longer texts, and texts with longer lines, stay plain: an open quote is looked for to the end of its line. */
const LONGEST = 30_000;
const WIDEST = /[^\n]{2000}/;

const C = 'as async await break case catch class const continue crate default defer delete do dyn else enum export extends extern false final finally fn for from func function if impl implements import in instanceof interface let loop match mod move mut new nil null of package private protected pub public ref return self static struct super switch this throw trait true try type typeof undefined unsafe use using var void where while yield int bool char float double string u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64';
const PY = 'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield';
const SH = 'case do done elif else esac exit export fi for function if in local return set shift source then until while sudo cd echo';
const RB = 'alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require';
const SQL = 'select from where and or not insert into values update set delete create table index view drop alter join left right inner outer on group by order having limit offset as distinct union all null is in exists case when then else end primary key references default begin commit';
const FLAT = 'true false null yes no on off';

type Family = { line: string; block?: [string, string]; words: string; quotes: string; folds?: boolean };
const SLASHES: Family = { line: '\\/\\/', block: ['\\/\\*', '\\*\\/'], words: C, quotes: '"\'`' };
const HASH = (words: string, quotes = '"\''): Family => ({ line: '#', words, quotes });
const FAMILIES: Record<string, Family> = {
  c: SLASHES, py: HASH(PY), sh: HASH(SH), rb: HASH(RB), flat: HASH(FLAT), json: { ...SLASHES, words: FLAT, quotes: '"' },
  sql: { line: '--', block: ['\\/\\*', '\\*\\/'], words: SQL, quotes: '\'"', folds: true },
  css: { line: '\\b\\B', block: ['\\/\\*', '\\*\\/'], words: 'important media supports import from to', quotes: '"\'' },
  xml: { line: '\\b\\B', block: ['<!--', '-->'], words: '', quotes: '"\'' },
  lua: { line: '--', words: 'and break do else elseif end false for function goto if in local nil not or repeat return then true until while', quotes: '"\'' },
};
const NAMES: Record<string, string> = {};
for (const [family, names] of Object.entries({
  c: 'c cc cpp cxx h hpp cs csharp java js jsx mjs cjs javascript ts tsx typescript rs rust go golang kt kotlin swift scala dart php zig proto svelte vue groovy objc',
  py: 'py python pyi', sh: 'sh bash zsh shell console fish dockerfile makefile make', rb: 'rb ruby ex elixir', flat: 'yaml yml toml ini conf cfg properties env',
  json: 'json jsonc json5 jsonl', sql: 'sql', css: 'css scss less', xml: 'xml html htm svg', lua: 'lua hs haskell',
})) for (const name of names.split(' ')) NAMES[name] = family;

const readers = new Map<string, { regex: RegExp; words: Set<string>; folds: boolean }>();
function reader(family: string) {
  const had = readers.get(family);
  if (had) return had;
  const it = FAMILIES[family] as Family;
  const quoted = [...it.quotes].map((quote) => (quote === '`' ? '`(?:\\\\[^]|[^`\\\\])*`?' : `${quote}(?:\\\\.|[^${quote}\\\\\\n])*${quote}`));
  const comment = [it.block ? `${it.block[0]}[^]*?(?:${it.block[1]}|$)` : '', `${it.line}[^\\n]*`].filter(Boolean).join('|');
  // A `#` within a word, such as of a colour or an address, begins no comment.
  const begins = it.line === '#' ? `(?<![\\w$&])(?:${comment})` : comment;
  const made = {
    regex: new RegExp(`(?<comment>${begins})|(?<string>${quoted.join('|')})|(?<number>\\b(?:0[xob][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\b)|(?<word>[A-Za-z_$][\\w$]*)`, 'g'),
    words: new Set(it.words.split(' ')), folds: it.folds ?? false,
  };
  readers.set(family, made);
  return made;
}

/** The family of a language, by its name or by the ending of a file's name. */
export function family(name: string): string | undefined {
  const word = name.trim().toLowerCase().split(/[\s{:,]/)[0] ?? '';
  if (word === 'diff' || word === 'patch') return 'diff';
  const base = word.split('/').at(-1) ?? '';
  return NAMES[word] ?? NAMES[base] ?? (base.includes('.') ? NAMES[base.split('.').at(-1) ?? ''] : undefined);
}

/** A text in pieces that together are the text. */
export function pieces(text: string, of: string | undefined): Piece[] {
  if (of === 'diff') return changed(text);
  if (!of || !FAMILIES[of] || text.length > LONGEST || WIDEST.test(text)) return [{ kind: '', text }];
  const { regex, words, folds } = reader(of);
  const out: Piece[] = [];
  const put = (kind: Piece['kind'], part: string) => {
    const last = out.at(-1);
    if (!part) return;
    if (last && last.kind === kind) last.text += part;
    else out.push({ kind, text: part });
  };
  let at = 0;
  for (const it of text.matchAll(regex)) {
    put('', text.slice(at, it.index));
    const { comment, string, number, word } = it.groups ?? {};
    const isKeyword = word !== undefined && words.has(folds ? word.toLowerCase() : word);
    put(comment !== undefined ? 'comment' : string !== undefined ? 'string' : number !== undefined ? 'number' : isKeyword ? 'keyword' : '', it[0]);
    at = it.index + it[0].length;
  }
  put('', text.slice(at));
  return out;
}

function changed(text: string): Piece[] {
  return text.split(/(?<=\n)/).map((line): Piece => ({ kind: /^\+(?!\+\+ )/.test(line) ? 'add' : /^-(?!-- )/.test(line) ? 'del' : /^(@@|diff |index |\+\+\+ |--- )/.test(line) ? 'comment' : '', text: line }));
}
