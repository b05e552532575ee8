// The pure parts of the pages, without a browser.
import { expect, test } from '@playwright/test';
import { diff } from '../src/lib/diff';
import { Heights } from '../src/lib/heights';
import { blocks } from '../src/lib/markdown';
import { parts } from '../src/lib/shell';
import { Transcript, changes, todos } from '../src/lib/transcript';
import { ago, count, lasting, line, money, plain } from '../src/lib/words';

test('a command is split at joints outside quotes', () => {
  const check = (command: string, expected: [string, string][]) => expect(parts(command).map((it) => [it.joint, it.words]), command).toEqual(expected);
  check('', []);
  check('ls', [['', 'ls']]);
  check('a && b || c; d | e', [['', 'a'], ['&&', 'b'], ['||', 'c'], [';', 'd'], ['|', 'e']]);
  check(`echo "a && b" 'c;d' \\; e`, [['', `echo "a && b" 'c;d' \\; e`]]);
  check('a\nb', [['', 'a'], ['then', 'b']]);
  check('echo "never closed && b', [['', 'echo "never closed && b']]);
});

test('a difference takes out and puts in only what differs, and gives both texts back', () => {
  const check = (before: string, after: string, expected: string[]) => {
    const lines = diff(before, after);
    expect(lines.map((it) => it.sign + it.text), `${before} ${after}`).toEqual(expected);
    expect(lines.filter((it) => it.sign !== '+').map((it) => it.text).join('\n')).toBe(before);
    expect(lines.filter((it) => it.sign !== '-').map((it) => it.text).join('\n')).toBe(after);
  };
  check('', '', []);
  check('', 'a', ['+a']);
  check('a', '', ['-a']);
  check('a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']);
  check('a\nb', 'b\na', ['-a', ' b', '+a']);
});

test('heights in a tree are those of a plain list, whatever is set', () => {
  const tree = new Heights(50);
  let rows: number[] = [];
  let seed = 7;
  const chance = (most: number) => { seed = (seed * 1103515245 + 12345) % 2 ** 31; return seed % most; };
  for (let round = 0; round < 400; round += 1) {
    if (round % 7 === 0) { const size = rows.length + chance(90); rows = [...rows, ...new Array<number>(size - rows.length).fill(50)]; tree.resize(size); }
    if (!rows.length) continue;
    const row = chance(rows.length);
    rows[row] = 20 + chance(400);
    tree.set(row, rows[row] ?? 0);
    const at = chance(rows.length + 1);
    expect(tree.top(at)).toBe(rows.slice(0, at).reduce((all, it) => all + it, 0));
    if (at < rows.length) expect(tree.at(tree.top(at))).toBe(at);
  }
});

test('only addresses a person may want to open are links, and a picture is only its address', () => {
  const check = (text: string, links: string[]) => {
    const found = blocks(text).flatMap((it) => ('inlines' in it ? it.inlines : [])).flatMap((it) => (it.kind === 'link' ? [it.href] : []));
    expect(found, text).toEqual(links);
  };
  check('[a](https://x.example/)', ['https://x.example/']);
  check('see https://x.example/y.', ['https://x.example/y.']);
  check('[a](mailto:a@x.example)', ['mailto:a@x.example']);
  check('[a](javascript:alert(1)) [b](data:text/html,x) [c](/etc/passwd) [d](vbscript:x)', []);
  check('![a](https://x.example/a.png)', ['https://x.example/a.png']);
  check('`[a](https://x.example/)`', []);
});

test('marks make blocks, and what is no mark stays text', () => {
  const kinds = (text: string) => blocks(text).map((it) => it.kind);
  expect(kinds('# a\n\nb\n- c\n- d\n\n> e\n\n```js\nf\n```\n---\n|a|b|\n|--|--|\n|1|2|')).toEqual(['heading', 'paragraph', 'list', 'quote', 'code', 'rule', 'table']);
  expect(kinds('```\nnever closed')).toEqual(['code']);
  expect(blocks('a < b & c')).toEqual([{ kind: 'paragraph', inlines: [{ kind: 'text', text: 'a < b & c' }] }]);
});

test('what lies about how it is read is written out', () => {
  expect(plain('a\u202Eb\u2066c\u0000d\u001b[31m\te\nf')).toBe('a‹202e›b‹2066›c‹0000›d‹001b›[31m\te\nf');
  expect(line(' a \n\t b ')).toBe('a b');
});

test('times and numbers are short', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const check = (at: string, expected: string) => expect(ago(at, now), at).toBe(expected);
  check('2026-11-15T11:59:46Z', '14s');
  check('2026-11-15T11:58:00Z', '2m');
  check('2026-11-15T09:00:00Z', '3h');
  check('2026-11-13T09:00:00Z', 'Fri');
  check('2025-10-03T12:00:00Z', '3 Oct 2025');
  check('2026-11-15T12:00:09Z', '0s');
  expect([950, 1_200, 12_345, 1_250_000, 2_000_000_000].map(count)).toEqual(['950', '1.2k', '12k', '1.3M', '2.0G']);
  expect([400, 14_000, 250_000, 10_920_000].map(lasting)).toEqual(['400 ms', '14s', '4m 10s', '3h 2m']);
  expect([null, 0, 1_234_567, 25_000_000].map(money)).toEqual(['unknown', '$0.00', '$1.23', '$25.0']);
});

test('events become what a person reads, in the order of time, whenever they come', () => {
  const event = (id: string, kind: string, second: number, data: object = {}) => ({ id, kind, createdAt: `2026-11-15T12:00:0${second}Z`, sequence: second, data, text: id }) as never;
  const all = [event('p', 'user.prompt', 0), event('c', 'tool.call', 1, { call_id: 'x', tool: 'Bash' }), event('r', 'tool.result', 2, { call_id: 'x' }), event('m', 'assistant.message', 3), event('h', 'heartbeat', 4)];
  for (const order of [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]]) {
    const transcript = new Transcript();
    order.forEach((at) => transcript.take(all[at]!));
    expect(transcript.items().map((it) => [it.kind, it.id, it.kind === 'call' ? it.result?.id : undefined])).toEqual([['prompt', 'p', undefined], ['call', 'c', 'r'], ['said', 'm', undefined]]);
  }
});

test('changes and todos are known by their shape, not by who made them', () => {
  const of = (input: object) => changes({ data: { input } } as never);
  expect(of({ file_path: 'a', old_string: 'x', new_string: 'y' })).toEqual([{ file: 'a', before: 'x', after: 'y' }]);
  expect(of({ path: 'a', content: 'y' })).toEqual([{ file: 'a', before: '', after: 'y' }]);
  expect(of({ input: '*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n z\n*** End Patch' })).toEqual([{ file: 'a', before: 'x\nz\n', after: 'y\nz\n' }]);
  expect(of({ command: 'ls' })).toEqual([]);
  expect(todos({ data: { input: { plan: [{ step: 'a', status: 'completed' }] } } } as never)).toEqual([{ text: 'a', status: 'completed' }]);
  expect(todos({ data: {} } as never)).toBeUndefined();
});
