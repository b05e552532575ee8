// Markdown as a tree of plain values. Nothing here makes elements: the parts that draw it only make text.
import { plain } from './words';

export type Inline =
  | { kind: 'text' | 'code' | 'bold' | 'italic'; text: string }
  | { kind: 'link'; text: string; href: string };
export type Block =
  | { kind: 'paragraph' | 'quote'; inlines: Inline[] }
  | { kind: 'heading'; level: number; inlines: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

/** The most text that is looked at for marks; the rest is shown as it is. */
const LONGEST = 60_000;

export function blocks(source: string): Block[] {
  const text = plain(source.length > LONGEST ? source.slice(0, LONGEST) : source);
  const out: Block[] = [];
  const lines = text.split('\n');
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = /^\s*(```+|~~~+)\s*([\w.+-]*)/.exec(line);
    if (fence) {
      const end = lines.findIndex((it, number) => number > at && it.trim().startsWith(fence[1] ?? '```'));
      const last = end < 0 ? lines.length : end;
      out.push({ kind: 'code', language: fence[2] ?? '', text: lines.slice(at + 1, last).join('\n') });
      at = last + 1;
      continue;
    }
    if (!line.trim()) { at += 1; continue; }
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (heading) { out.push({ kind: 'heading', level: heading[1]?.length ?? 1, inlines: inlines(heading[2] ?? '') }); at += 1; continue; }
    if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) { out.push({ kind: 'rule' }); at += 1; continue; }
    const took = table(lines, at, out) || list(lines, at, out) || quote(lines, at, out) || paragraph(lines, at, out);
    at += took;
  }
  if (source.length > LONGEST) out.push({ kind: 'code', language: '', text: plain(source.slice(LONGEST)) });
  return out;
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;

function list(lines: string[], at: number, out: Block[]): number {
  if (!ITEM.test(lines[at] ?? '')) return 0;
  const ordered = /^\s*\d/.test(lines[at] ?? '');
  const items: string[] = [];
  let number = at;
  for (; number < lines.length; number += 1) {
    const line = lines[number] ?? '';
    const item = ITEM.exec(line);
    if (item) items.push(item[1] ?? '');
    else if (line.trim() && /^\s{2,}/.test(line)) items[items.length - 1] += `\n${line.trim()}`;
    else break;
  }
  out.push({ kind: 'list', ordered, items: items.map(inlines) });
  return number - at;
}

function quote(lines: string[], at: number, out: Block[]): number {
  let number = at;
  while (/^\s*>/.test(lines[number] ?? '')) number += 1;
  if (number > at) out.push({ kind: 'quote', inlines: inlines(lines.slice(at, number).map((it) => it.replace(/^\s*>\s?/, '')).join('\n')) });
  return number - at;
}

function cells(line: string): Inline[][] {
  return line.trim().replace(/^\||\|$/g, '').split('|').map((it) => inlines(it.trim()));
}

function table(lines: string[], at: number, out: Block[]): number {
  if (!(lines[at] ?? '').includes('|') || !/^\s*\|?\s*:?-{2,}[\s|:-]*$/.test(lines[at + 1] ?? '')) return 0;
  let number = at + 2;
  while ((lines[number] ?? '').includes('|')) number += 1;
  out.push({ kind: 'table', head: cells(lines[at] ?? ''), rows: lines.slice(at + 2, number).map(cells) });
  return number - at;
}

function paragraph(lines: string[], at: number, out: Block[]): number {
  let number = at;
  while (number < lines.length && (lines[number] ?? '').trim() && !/^\s*(```|~~~|#{1,6}\s|>)/.test(lines[number] ?? '') && (number === at || !ITEM.test(lines[number] ?? ''))) number += 1;
  number = Math.max(number, at + 1);
  out.push({ kind: 'paragraph', inlines: inlines(lines.slice(at, number).join('\n')) });
  return number - at;
}

const INLINE = /(`+)([^`][\s\S]{0,2000}?)\1(?!`)|\*\*([^*\n]{1,500})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,300})\*(?!\w)|(!?)\[([^\]\n]{0,300})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{1,2000})/g;

function inlines(text: string): Inline[] {
  const out: Inline[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > at) out.push({ kind: 'text', text: text.slice(at, found.index) });
    at = found.index + found[0].length;
    if (found[2] !== undefined) out.push({ kind: 'code', text: found[2] });
    else if (found[3] !== undefined) out.push({ kind: 'bold', text: found[3] });
    else if (found[4] !== undefined) out.push({ kind: 'italic', text: found[4] });
    else if (found[8] !== undefined) out.push(link(found[8], found[8]));
    // A picture would be fetched from elsewhere: only its address is shown.
    else out.push(link(found[5] ? `picture: ${found[6] || found[7]}` : (found[6] ?? ''), found[7] ?? ''));
  }
  if (at < text.length) out.push({ kind: 'text', text: text.slice(at) });
  return out;
}

/** Only addresses a person may want to open; whatever else stays text. */
function link(text: string, href: string): Inline {
  try {
    const url = new URL(href);
    if (['http:', 'https:', 'mailto:'].includes(url.protocol)) return { kind: 'link', text: text || href, href: url.href };
  } catch { /* It is no address. */ }
  return { kind: 'text', text: text === href ? text : `${text} (${href})` };
}
