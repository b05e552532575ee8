// A shell command in its parts, for reading only: nothing is decided by it.

export type Part = { joint: string; words: string };

const JOINTS = ['&&', '||', '|&', ';', '|', '&', '\n'];
/** Words that begin what ends elsewhere: a list of parts would tear it apart. */
const NESTING = /^(if|for|while|until|case|select|function|time|coproc|\{|\[\[|!)(\s|$)/;

/** A text that begins at a place, and where it ends. */
type Taken = { text: string; end: number };

/** The command in its parts. Where it is not certain how a shell would read it, it is one part. */
export function parts(command: string): Part[] {
  const split = certain(command);
  if (split) return split;
  const words = command.trim();
  return words ? [{ joint: '', words }] : [];
}

/** Splits at joints outside quotes and here-documents; nothing where that is not certain. */
function certain(command: string): Part[] | undefined {
  const out: Part[] = [];
  const heres: string[] = [];
  let [joint, words, at] = ['', '', 0];
  const close = () => {
    if (NESTING.test(words.trimStart())) return false;
    if (words.trim()) out.push({ joint, words: words.trim() });
    words = '';
    return true;
  };
  while (at < command.length) {
    const rest = command.slice(at);
    const word = quoted(rest);
    if (word === 'unsure' || unsure(rest, words)) return undefined;
    const here = /^<<-?[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|\\?([\w.-]+))(?=[\s;&|<>]|$)/.exec(rest);
    if (word) { words += word.text; at += word.end; continue; }
    if (here && !rest.startsWith('<<<')) { heres.push(here[0].startsWith('<<-') ? `-${here[1] ?? here[2] ?? here[3]}` : ` ${here[1] ?? here[2] ?? here[3]}`); words += here[0]; at += here[0].length; continue; }
    if (rest.startsWith('<<') && !rest.startsWith('<<<')) return undefined;
    if (rest.startsWith('<<<')) { words += '<<<'; at += 3; continue; }
    const into = /^(\d*[<>]&\d*-?|&>>?)/.exec(rest);
    if (into) { words += into[0]; at += into[0].length; continue; }
    const found = JOINTS.find((it) => rest.startsWith(it));
    if (!found) { words += rest[0]; at += 1; continue; }
    // Whose text follows is not seen at once where other commands stand between.
    if (found !== '\n' && heres.length) return undefined;
    at += found.length;
    if (found === '\n' && heres.length) {
      const body = bodies(command.slice(at), heres.splice(0));
      if (!body) return undefined;
      words += `\n${body.text}`;
      at += body.end;
    }
    if (!close()) return undefined;
    joint = found === '\n' ? 'then' : found;
  }
  return !heres.length && close() ? out : undefined;
}

/** A quoted text or an escaped letter at the beginning. */
function quoted(rest: string): Taken | 'unsure' | undefined {
  const first = rest[0];
  if (first === '\\') return { text: rest.slice(0, 2), end: 2 };
  if (first !== '"' && first !== "'") return undefined;
  const whole = (first === '"' ? /^"(?:[^"\\]|\\[^])*"/ : /^'[^']*'/).exec(rest)?.[0];
  if (!whole || (first === '"' && /(?<!\\)(\$\(|`)/.test(whole))) return 'unsure';
  return { text: whole, end: whole.length };
}

/** What may hold commands of its own, or is read by other rules. */
function unsure(rest: string, before: string): boolean {
  if (/^([`()]|\$[({'"]|;;)/.test(rest)) return true;
  return rest[0] === '#' && /(^|\s)$/.test(before);
}

/** The texts of here-documents, with their ends, at the beginning. */
function bodies(rest: string, ends: string[]): Taken | undefined {
  const lines = rest.split('\n');
  let count = 0;
  for (const end of ends) {
    const isEnd = (line: string) => (end.startsWith('-') ? line.replace(/^\t+/, '') : line) === end.slice(1);
    const at = lines.findIndex((line, number) => number >= count && isEnd(line));
    if (at < 0) return undefined;
    count = at + 1;
  }
  const text = lines.slice(0, count).join('\n');
  return { text, end: Math.min(rest.length, text.length + 1) };
}

/** The first words of a command, by which decisions of the past are compared. */
export function stem(command: string): string {
  return command.trim().split(/\s+/).slice(0, 2).join(' ');
}
