// A shell command in its parts, for reading only: nothing is decided by it.

export type Part = { joint: string; words: string };

/** Splits at joints that stand outside quotes. */
export function parts(command: string): Part[] {
  const out: Part[] = [];
  let joint = '';
  let words = '';
  let quote = '';
  for (let at = 0; at < command.length; at += 1) {
    const letter = command[at] ?? '';
    if (quote) {
      if (letter === '\\' && quote === '"') { words += letter + (command[at + 1] ?? ''); at += 1; continue; }
      if (letter === quote) quote = '';
      words += letter;
      continue;
    }
    if (letter === '\\') { words += letter + (command[at + 1] ?? ''); at += 1; continue; }
    if (letter === '"' || letter === "'") { quote = letter; words += letter; continue; }
    const found = ['&&', '||', ';', '|', '\n'].find((it) => command.startsWith(it, at));
    if (!found) { words += letter; continue; }
    if (words.trim()) out.push({ joint, words: words.trim() });
    joint = found === '\n' ? 'then' : found;
    words = '';
    at += found.length - 1;
  }
  if (words.trim()) out.push({ joint, words: words.trim() });
  return out;
}

/** The first words of a command, by which decisions of the past are compared. */
export function stem(command: string): string {
  return command.trim().split(/\s+/).slice(0, 2).join(' ');
}
