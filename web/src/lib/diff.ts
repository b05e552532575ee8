// The difference of two texts, line by line.

export type Line = { sign: ' ' | '+' | '-'; text: string };

/** Beyond so many pairs of lines the middle is shown as taken out and put in. */
const MOST = 400_000;

export function diff(before: string, after: string): Line[] {
  const a = before ? before.replace(/\n$/, '').split('\n') : [];
  const b = after ? after.replace(/\n$/, '').split('\n') : [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function middle(a: string[], b: string[]): Line[] {
  const whole = () => [...a.map((text): Line => ({ sign: '-', text })), ...b.map((text): Line => ({ sign: '+', text }))];
  if (!a.length || !b.length || a.length * b.length > MOST) return whole();
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j]
        ? (common[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const out: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push({ sign: ' ', text: a[i] ?? '' }); i += 1; j += 1; }
    else if (i < a.length && (j >= b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) { out.push({ sign: '-', text: a[i] ?? '' }); i += 1; }
    else { out.push({ sign: '+', text: b[j] ?? '' }); j += 1; }
  }
  return out;
}

/** A unified diff as lines. */
export function unified(text: string): Line[] {
  return text.split('\n').filter((it) => !/^(---|\+\+\+) /.test(it)).map((it): Line => ({
    sign: it.startsWith('+') ? '+' : it.startsWith('-') ? '-' : ' ', text: it.startsWith('@@') ? it : it.slice(1),
  }));
}
