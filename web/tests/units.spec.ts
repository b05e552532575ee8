// The pure parts of the pages, without a browser.
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { diff } from '../src/lib/diff';
import { blocks, type Block, type Inline } from '../src/lib/markdown';
import { goKeys, platform } from '../src/lib/platform';
import { fullest, outlook, used } from '../src/lib/quota';
import { parts } from '../src/lib/shell';
import { drawn } from '../src/lib/spans';
import { stillness } from '../src/lib/steady';
import { Transcript, changes, sameIn, todos, turnFrom } from '../src/lib/transcript';
import { ago, count, exact, lasting, line, listed, money, past, plain, since, unmarked } from '../src/lib/words';

test('a command is split at joints outside quotes', () => {
  const check = (command: string, expected: [string, string][]) => expect(parts(command).map((it) => [it.joint, it.words]), command).toEqual(expected);
  check('', []);
  check('ls', [['', 'ls']]);
  check('a && b || c; d | e', [['', 'a'], ['&&', 'b'], ['||', 'c'], [';', 'd'], ['|', 'e']]);
  check(`echo "a && b" 'c;d' \\; e`, [['', `echo "a && b" 'c;d' \\; e`]]);
  check('a\nb', [['', 'a'], ['then', 'b']]);
  check('echo "never closed && b', [['', 'echo "never closed && b']]);
  check('make 2>&1 | tee log & wait', [['', 'make 2>&1'], ['|', 'tee log'], ['&', 'wait']]);
});

test('a here-document is part of its command, not a list of commands', () => {
  const check = (command: string, expected: string[]) => expect(parts(command).map((it) => it.words), command).toEqual(expected);
  const nginx = "cat > f <<'EOF'\nserver {\n  listen 443 ssl;\n}\nEOF";
  check(nginx, [nginx]);
  check(`${nginx}\nnginx -t && nginx -s reload`, [nginx, 'nginx -t', 'nginx -s reload']);
  check('cat <<-END\n\ta | b\n\tEND\nls', ['cat <<-END\n\ta | b\n\tEND', 'ls']);
  check('cat <<A <<"B"\n1; 2\nA\n3 && 4\nB\nls', ['cat <<A <<"B"\n1; 2\nA\n3 && 4\nB', 'ls']);
  check('wc <<< "a; b"; ls', ['wc <<< "a; b"', 'ls']);
});

test('where it is not certain how a shell reads a command, it is shown whole', () => {
  for (const command of [
    "cat <<'EOF' && rm -rf /\na; b\nEOF\nls", "cat <<'EOF'\nnever closed; ls", 'echo $(rm -rf /; ls); ls', 'echo `id`; ls', '(cd x; make); ls', 'for x in a b; do rm $x; done; ls',
    'if true; then ls; fi', 'echo "$(id; ls)"; ls', 'ls # a; b', "echo $'a\\'b; c'; ls", 'case x in a) ls;; esac', 'f() { ls; }; f', 'echo ${x:-a;b}; ls', 'cat << $X\na; b\nX\nls',
  ]) expect(parts(command).map((it) => it.words), command).toEqual([command]);
});

test('a button that moved or is new is dead for 600 ms', () => {
  const place = (top: number) => ({ left: 10, top });
  const still = stillness(place(100), 0);
  expect([0, 300, 599, 600].map((now) => still(place(100), now))).toEqual([false, false, false, true]);
  expect(still(place(104), 700)).toBe(true);
  expect([still(place(140), 800), still(place(140), 1399), still(place(140), 1400)]).toEqual([false, false, true]);
  expect(still({ left: 30, top: 140 }, 1500)).toBe(false);
});

test('turns are stepped through one by one, and back to the beginning of the one that is read', () => {
  const item = (kind: string, turn: number) => ({ kind, turn, id: `${kind}${turn}` }) as never;
  const items = [1, 2, 3].flatMap((turn) => [item('prompt', turn), item('said', turn)]);
  const check = (at: number, by: number, expected: string | undefined) => expect(turnFrom(items, at, by)?.id, `${at} ${by}`).toBe(expected);
  check(0, 1, 'prompt2');
  check(2, 1, 'prompt3');
  check(2, -1, 'prompt1');
  check(3, -1, 'prompt2');
  check(3, 1, 'prompt3');
  check(0, -1, 'prompt1');
  check(5, 1, undefined);
});

test('what is read is found again when tools are hidden', () => {
  const all = ['p', 'c', 'c2', 'm'].map((id) => ({ id }) as never);
  const few = ['p', 'm'].map((id) => ({ id }) as never);
  expect([0, 1, 2, 3].map((at) => sameIn(all, at, few))).toEqual([0, 0, 0, 1]);
  expect([0, 1].map((at) => sameIn(few, at, all))).toEqual([0, 3]);
});

test('turns have their number before the whole session is read', () => {
  const prompt = (number: number) => ({ id: `p${number}`, kind: 'user.prompt', createdAt: new Date(number * 1000).toISOString(), sequence: number, data: {}, text: '' }) as never;
  const transcript = new Transcript();
  [1111, 1112].forEach((it) => transcript.take(prompt(it)));
  const turns = (last?: { prompts: number; since: number }) => transcript.items(last).map((it) => it.turn);
  expect(turns({ prompts: 1112, since: 1_111_000 })).toEqual([1111, 1112]);
  [1, 2, 3].forEach((it) => transcript.take(prompt(it)));
  expect(turns({ prompts: 1112, since: 1_111_000 })).toEqual([1, 2, 3, 1111, 1112]);
  expect(turns()).toEqual([1, 2, 3, 4, 5]);
});

test('many short stretches of a lane are few marks', () => {
  const spans = Array.from({ length: 30_000 }, (_, at) => ({ from: at * 20_000, to: at * 20_000 + 9_000, doing: at % 2 ? 'model' : 'tool' }) as never);
  const paths = drawn(spans, 0, 604_800_000);
  expect(paths.map(([doing]) => doing)).toEqual(['model', 'tool']);
  expect(paths.map(([, path]) => path.split('M').length - 1)).toEqual([1, 1]);
  const two = drawn([{ from: 0, to: 100, doing: 'human' }, { from: 900, to: 1000, doing: 'human' }] as never, 0, 1000);
  expect(two).toEqual([['human', 'M0.0 1H100.0V19H0.0ZM900.0 1H1000.0V19H900.0Z']]);
});

test('words around a time fit it', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const check = (at: string, expected: [string, string]) => expect([since(at, now), past(at, now)]).toEqual(expected);
  check('2026-11-15T09:00:00Z', ['for 3h', '3h ago']);
  check('2026-11-13T09:00:00Z', ['since Fri', 'on Fri']);
  check('2026-07-29T09:00:00Z', ['since 29 Jul', 'on 29 Jul']);
  expect(past(null, now)).toBe('never');
});

test('a summary is shown without the marks it is written with', () => {
  const check = (text: string, expected: string) => expect(unmarked(text), text).toBe(expected);
  check('the test failed because **two callers** renewed the same to…', 'the test failed because two callers renewed the same to…');
  check('fixed **the cut off', 'fixed the cut off');
  check('## Done\n- ran `cargo test`\n- see [notes](https://x.example/)', 'Done ran cargo test see notes');
  check('src/**/*.ts and 2 * 3 * 4', 'src/**/*.ts and 2 * 3 * 4');
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

test('only addresses a person may want to open are links, and a picture is only its address', () => {
  const check = (text: string, links: string[]) => {
    const found = blocks(text).flatMap((it) => ('inlines' in it ? it.inlines : [])).flatMap((it) => (it.kind === 'link' ? [it.href] : []));
    expect(found, text).toEqual(links);
  };
  check('[a](https://x.example/)', ['https://x.example/']);
  check('see https://x.example/y.', ['https://x.example/y']);
  check('<https://x.example/> and www.x.example', ['https://x.example/', 'http://www.x.example/']);
  check('[a](mailto:a@x.example)', ['mailto:a@x.example']);
  check('[a](javascript:alert(1)) [b](data:text/html,x) [c](/etc/passwd) [d](vbscript:x)', []);
  check('<javascript:alert(1)> [a](JaVaScRiPt:alert(1)) [b](&#106;avascript:alert(1)) [c](java\tscript:x) [d][e]\n\n[e]: javascript:alert(1)', []);
  check('svelte@5.57.3 git@x.example', []);
  check('![a](https://x.example/a.png)', ['https://x.example/a.png']);
  check('`[a](https://x.example/)`', []);
});

test('marks make blocks, and what is no mark stays text', () => {
  const kinds = (text: string) => blocks(text).map((it) => it.kind);
  expect(kinds('# a\n\nb\n- c\n- d\n\n> e\n\n```js\nf\n```\n---\n|a|b|\n|--|--|\n|1|2|')).toEqual(['heading', 'paragraph', 'list', 'quote', 'code', 'rule', 'table']);
  expect(kinds('```\nnever closed')).toEqual(['code']);
  expect(blocks('a < b & c')).toEqual([{ kind: 'paragraph', inlines: [{ kind: 'text', text: 'a < b & c' }] }]);
});

const text = (it: string): Inline => ({ kind: 'text', text: it });
const paragraph = (it: string): Block => ({ kind: 'paragraph', inlines: [text(it)] });

test('lists hold lists, code and tasks', () => {
  const list = (items: Block[][], start?: number): Block => ({ kind: 'list', start, items });
  const check = (source: string, expected: Block[]) => expect(blocks(source), source).toEqual(expected);
  check('- a\n  - b\n    - c\n- d', [list([[paragraph('a'), list([[paragraph('b'), list([[paragraph('c')]])]])], [paragraph('d')]])]);
  check('3. a\n   ```sh\n   ls  -l\n   ```\n4. b', [list([[paragraph('a'), { kind: 'code', language: 'sh', text: 'ls  -l' }], [paragraph('b')]], 3)]);
  check('- [x] a\n- [ ] b', [list([[paragraph('☑ a')], [paragraph('☐ b')]])]);
  check('- [x] a\n\n  b', [list([[paragraph('☑ a'), paragraph('b')]])]);
});

test('a table has cells with marks in them, on the side it says', () => {
  expect(blocks('| a | `b` |\n|---|--:|\n| **1** | 2 \\| 3 |\n| 4 |')).toEqual([{
    kind: 'table', aligns: [null, 'right'], head: [[text('a')], [{ kind: 'code', text: 'b' }]],
    rows: [[[{ kind: 'bold', inlines: [text('1')] }], [text('2 | 3')]], [[text('4')], []]],
  }]);
});

test('marks hold marks, and what only looks like one is as it was written', () => {
  const check = (source: string, expected: Inline[]) => expect(blocks(source), source).toEqual([{ kind: 'paragraph', inlines: expected }]);
  check('**a `b` *c***', [{ kind: 'bold', inlines: [text('a '), { kind: 'code', text: 'b' }, text(' '), { kind: 'italic', inlines: [text('c')] }] }]);
  check('[**a** b](https://x.example/)', [{ kind: 'link', href: 'https://x.example/', inlines: [{ kind: 'bold', inlines: [text('a')] }, text(' b')] }]);
  check('~~a~~', [{ kind: 'struck', inlines: [text('a')] }]);
  for (const same of ['__init__.py', 'a_b_c', 'C:\\Users\\me', '\\(x^2\\) and \\d+\\.', '~5~ and ~/x', 'a\nb', '2 * 3 * 4', '&lt;b&gt; &#8238;']) check(same, [text(same)]);
  check('\\*a\\* \\<b\\>', [text('*a* <b>')]);
  check('[a](src/main.rs)', [text('a (src/main.rs)')]);
});

test('tags are text, and nothing that was written is hidden', () => {
  const check = (source: string, ...expected: string[]) => expect(blocks(source), source).toEqual(expected.map(paragraph));
  check('<script>alert(1)</script>', '<script>alert(1)</script>');
  check('a <b onclick="x()">b</b> <img src=x onerror=alert(1)>', 'a <b onclick="x()">b</b> <img src=x onerror=alert(1)>');
  check('<!-- a -->\n\n<div>\n**b**\n</div>', '<!-- a -->', '<div>\n**b**\n</div>');
  check('[a]: https://x.example/ "b"', '[a]: https://x.example/ "b"');
});

test('hostile and very long text is read in no time', () => {
  // Read without bounds, the first of these alone takes a minute.
  test.setTimeout(40_000);
  const marks = ['*a_', '**a', '_a', '~~a', '[', '![', '[a](', '<a b="', '`a``b', '>', '> ', '- ', '- a\n', '|a', '\\', 'a@b.', 'https://a', '&#1;', 'x', ' ', '\n# '];
  for (const mark of marks) for (const source of [mark.repeat(200_000 / mark.length), `${mark.repeat(60)}\n\n`.repeat(900)]) blocks(source);
  const long = `${'word '.repeat(11_000)}end`;
  expect(blocks(long)).toEqual([paragraph(long)]);
  expect(blocks('x'.repeat(70_000))).toEqual([paragraph('x'.repeat(60_000)), { kind: 'code', language: '', text: 'x'.repeat(10_000) }]);
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
  expect([950, 1_200, 12_345, 1_250_000, 2_000_000_000].map(count)).toEqual(['950', '1.2k', '12k', '1.3M', '2.0B']);
  expect([400, 14_000, 250_000, 10_920_000].map(lasting)).toEqual(['400 ms', '14s', '4m 10s', '3h 2m']);
  expect([null, 0, 1_234_567, 25_000_000].map(money)).toEqual(['unknown', '$0.00', '$1.23', '$25.0']);
});

test('a number that is told is whole, and a list ends as a sentence does', () => {
  expect([7, 950, 2014, 1_234_567].map(exact)).toEqual(['7', '950', '2,014', '1,234,567']);
  const check = (words: string[], expected: string) => expect(listed(words)).toBe(expected);
  check([], '');
  check(['Goose'], 'Goose');
  check(['Codex', 'Goose'], 'Codex and Goose');
  check(['Claude Code', 'Codex', 'Goose'], 'Claude Code, Codex and Goose');
});

test('keys have the name they have on this platform', () => {
  const check = (browser: object, expected: string) => expect(goKeys(platform(browser)), JSON.stringify(browser)).toBe(expected);
  check({ platform: 'Linux x86_64' }, 'Ctrl K');
  check({ platform: 'Win32', userAgentData: { platform: 'Windows' } }, 'Ctrl K');
  check({ platform: 'MacIntel' }, '⌘K');
  check({ platform: 'MacIntel', userAgentData: { platform: 'macOS' } }, '⌘K');
  check({ platform: 'Linux armv8l', userAgentData: { platform: 'Android' } }, 'Ctrl K');
  check({ platform: 'iPad', userAgentData: { platform: '' } }, '⌘K');
  check({}, 'Ctrl K');
});

const TEXTS = ['ink', 'soft', 'accent', 'approval', 'question', 'working', 'turn', 'idle', 'done', 'failed', 'add-ink', 'del-ink'];
const GROUNDS = ['paper', 'sheet', 'raised', 'hover'];
const PAIRS = [...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground])), ['add-ink', 'add'], ['del-ink', 'del'], ['ink', 'mark'], ['accent-ink', 'accent'], ['paper', 'approval'], ['paper', 'ink']] as [string, string][];

/** How much lighter one colour is than another, as WCAG 2 counts it. */
function contrast(one: string, other: string): number {
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = (hex: string) => [0.2126, 0.7152, 0.0722].reduce((all, weight, at) => all + weight * linear(parseInt(hex.slice(1 + at * 2, 3 + at * 2), 16) / 255), 0.05);
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}

test('text can be read on every ground, light and dark', () => {
  const css = readFileSync(new URL('../src/app.css', import.meta.url), 'utf8');
  const tokens = (text: string) => Object.fromEntries([...text.matchAll(/--([\w-]+): (#\w{6})/g)].map((it) => [it[1], it[2]]));
  const schemes = { light: ':root {', 'dark by the system': ":root:not([data-look='light']) {", 'dark by choice': ":root[data-look='dark'] {" };
  for (const [name, selector] of Object.entries(schemes)) {
    const colours = tokens(css.slice(css.indexOf(selector)).split('}')[0]!);
    const weak = PAIRS.filter(([text, ground]) => !(contrast(colours[text]!, colours[ground]!) >= 4.5));
    expect(weak, name).toEqual([]);
  }
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

test('the fullest window of each agent is shown, and what is stale says so', () => {
  const now = Date.parse('2026-11-18T14:40:00Z');
  const quota = (agent: string, window_minutes: number, used_percent: number, more = {}) => ({
    agent, limit: 'seed', window_minutes, used_percent, resets_at: '2026-11-18T18:00:00Z', source: 'file', age_seconds: 60, stale: false, full_at: null, sessions: [], ...more,
  });
  const stale = { stale: true, age_seconds: 7200 };
  const all = [quota('wren', 300, 97, stale), quota('wren', 10_080, 23), quota('parrot', 300, 64.9), quota('finch', 300, 99, { resets_at: '2026-11-18T14:00:00Z' })];
  expect(fullest(all, now).map((it) => `${it.agent} ${used(it)}`)).toEqual(['parrot 5h 64%', 'wren 7d 23%']);
  expect(outlook(quota('wren', 300, 97, stale), now, now)).toMatch(/^stale, /);
  expect(outlook(quota('wren', 300, 64, { full_at: '2026-11-18T16:40:00Z' }), now, now)).toMatch(/^full \d\d:\d\d$/);
  expect(outlook(quota('wren', 300, 100), now, now)).toMatch(/^resets \d\d:\d\d$/);
  expect(outlook(quota('wren', 300, 64), now, now)).toBe('');
});
