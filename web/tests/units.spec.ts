// The pure parts of the pages, without a browser.
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { pairs } from '../src/lib/beside';
import { diff } from '../src/lib/diff';
import { blocks, type Block, type Inline } from '../src/lib/markdown';
import { goKeys, platform } from '../src/lib/platform';
import { fullest, outlook, used } from '../src/lib/quota';
import { parts } from '../src/lib/shell';
import { drawn } from '../src/lib/spans';
import { stillness } from '../src/lib/steady';
import { bars, ticks } from '../src/lib/waterfall';
import { family, pieces } from '../src/lib/colours';
import { pattern, words } from '../src/lib/marks';
import { Passage, type Place, type Window } from '../src/lib/passage.svelte';
import { changes, filtered, folded, sameIn, tellingLine, todos, turnFrom, type Shown, type Told } from '../src/lib/transcript';
import { workersOf } from '../src/lib/workers';
import { ago, count, exact, lasting, line, listed, money, past, plain, since, size, unmarked, wholePrice } from '../src/lib/words';

test('turns of two sessions that were asked the same share a row, and none is lost', () => {
  const turns = (all: string) => [...all].map((prompt, at) => ({ prompt, number: at + 1 }) as any);
  const check = (a: string, b: string, expected: string) => {
    const drawn = pairs(turns(a), turns(b)).map((it) => `${it.a?.prompt ?? '-'}${it.same ? '=' : '|'}${it.b?.prompt ?? '-'}`);
    expect(drawn.join(' '), `${a} ${b}`).toBe(expected);
  };
  check('', '', '');
  check('ab', 'ab', 'a=a b=b');
  check('ab', '', 'a|- b|-');
  check('axb', 'ab', 'a=a x|- b=b');
  check('axb', 'aypb', 'a=a x|y -|p b=b');
  check('ab', 'cd', 'a|c b|d');
  check('aab', 'ab', 'a=a a|- b=b');
});

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
  const item = (kind: string, turn: number) => ({ kind, turn, opens: kind === 'prompt', id: `${kind}${turn}` }) as never;
  const items = [1, 2, 3].flatMap((turn) => [item('prompt', turn), item('said', turn)]);
  const check = (at: number, by: number, expected: number | undefined) => expect(turnFrom(items[at], 3, by), `${at} ${by}`).toBe(expected);
  check(0, 1, 2);
  check(2, 1, 3);
  check(2, -1, 1);
  check(3, -1, 2);
  check(3, 1, 3);
  check(0, -1, 1);
  check(5, 1, undefined);
  check(9, 1, 1);
  expect(turnFrom({ kind: 'prompt', turn: 2, opens: false } as never, 3, -1)).toBe(2);
});

test('what is read is found again when tools are hidden', () => {
  const all = ['p', 'c', 'c2', 'm'].map((id) => ({ id }) as never);
  const few = ['p', 'm'].map((id) => ({ id }) as never);
  expect([0, 1, 2, 3].map((at) => sameIn(all, at, few))).toEqual([0, 0, 0, 1]);
  expect([0, 1].map((at) => sameIn(few, at, all))).toEqual([0, 3]);
});

// Without the compiler a rune is its value; without a browser a frame is at once.
Object.assign(globalThis, { $state: Object.assign((it: unknown) => it, { raw: (it: unknown) => it }), cancelAnimationFrame: () => {}, requestAnimationFrame: (step: () => void) => { step(); return 0; } });

const told = (sequence: number, turn: number, kind: string, data: object = {}, more: object = {}) =>
  ({ id: `${kind.split('.')[0]}${sequence}`, kind, turn, sequence, createdAt: new Date(sequence * 1000).toISOString(), text: `text ${sequence}`, data, ...more }) as Told;

test('a part of a session has its own turn numbers, and a prompt within a turn begins none', () => {
  const part = [told(7, 1112, 'assistant.message'), told(8, 1113, 'user.prompt'), told(9, 1113, 'user.prompt'), told(10, 1114, 'user.prompt')];
  expect(folded(part).map((it) => [it.kind, it.turn, it.kind === 'prompt' && it.opens])).toEqual([['said', 1112, false], ['prompt', 1113, true], ['prompt', 1113, false], ['prompt', 1114, true]]);
});

test('what is shown of a session is what was chosen', () => {
  const all = folded([
    told(1, 1, 'user.prompt'), told(2, 1, 'assistant.message'), told(3, 1, 'tool.call', { call_id: 'a', input: { command: 'ls' } }), told(4, 1, 'tool.result', { call_id: 'a', failed: true }),
    told(5, 1, 'tool.call', { call_id: 'b', input: { file_path: 'x', old_string: 'a', new_string: 'b' } }), told(6, 1, 'tool.result', { failed: false }, { answers: 'tool5' }),
    told(7, 1, 'assistant.message'), told(8, 2, 'user.prompt'), told(9, 2, 'error'),
  ]);
  const check = (shown: Shown, expected: number[]) => expect(filtered(all, shown).map((it) => it.event.sequence), shown).toEqual(expected);
  check('all', [1, 2, 3, 5, 7, 8, 9]);
  check('talk', [1, 2, 7, 8, 9]);
  check('focus', [1, 7, 8]);
  check('prompts', [1, 8]);
  check('commands', [3]);
  check('edits', [5]);
  check('errors', [3, 9]);
});

/** A session of so many events, ten to a turn, as the daemon gives windows of it. */
function session(total: number) {
  const all = Array.from({ length: total }, (_, at) => told(at + 1, Math.floor(at / 10) + 1, at % 10 ? 'assistant.message' : 'user.prompt'));
  const asked: string[] = [];
  const ask = async (place: Place, limit: number): Promise<Window> => {
    asked.push(JSON.stringify(place));
    const { before, after, turn } = place;
    const anchor = turn === undefined ? undefined : all.find((it) => it.turn === turn);
    const from = before !== undefined ? Math.max(0, before - 1 - limit) : after !== undefined ? after : anchor ? Math.max(0, anchor.sequence - 1 - limit / 2) : Math.max(0, all.length - limit);
    const to = before !== undefined ? before - 1 : from + limit;
    return { total: all.length, turns: all.at(-1)?.turn ?? 0, anchor: anchor?.id ?? null, events: all.slice(from, to) };
  };
  return { all, ask, asked };
}
const places = (passage: Passage) => [passage.items[0]?.event.sequence, passage.items.at(-1)?.event.sequence, passage.above, passage.below];

test('a passage grows above and below without gaps, and stays bounded', async () => {
  const { ask } = session(10_000);
  const passage = new Passage(ask);
  expect(await passage.open({ turn: 500 })).toBe('user4991');
  expect(places(passage)).toEqual([4911, 5070, true, true]);
  await passage.grow('above');
  expect(places(passage)).toEqual([4671, 5070, true, true]);
  for (let round = 0; round < 12; round += 1) {
    await passage.grow('below');
    const at = passage.items.map((it) => it.event.sequence);
    expect(at).toEqual(Array.from({ length: at.length }, (_, step) => (at[0] ?? 0) + step));
    expect(at.length).toBeLessThanOrEqual(1600);
  }
  await passage.open({});
  expect(places(passage)).toEqual([9841, 10_000, true, false]);
  passage.end();
});

test('where only some entries are shown, more is asked for until there are enough or no more', async () => {
  const { ask, asked } = session(10_000);
  const passage = new Passage(ask);
  await passage.open({ turn: 500 }, 'prompts');
  await passage.grow('above');
  expect(passage.items.every((it) => it.kind === 'prompt')).toBe(true);
  expect(asked.length).toBe(2);
  await passage.open({}, 'errors');
  await passage.grow('above');
  expect([passage.items.length, passage.above]).toEqual([0, false]);
  passage.end();
});

test('what comes over the websocket is shown at the end, once, and only there', async () => {
  const { ask, all } = session(100);
  const line = (id: string, kind: string, turnId = id) => ({ id, kind, turnId, createdAt: new Date().toISOString(), text: id, data: {} }) as never;
  const passage = new Passage(ask);
  await passage.open({});
  passage.take(line('new', 'user.prompt'));
  passage.take(line('new', 'user.prompt'));
  passage.take(line('more', 'assistant.message', 'new'));
  passage.take(line('beat', 'heartbeat'));
  all.push(told(101, 11, 'user.prompt', {}, { id: 'new' }), told(102, 11, 'assistant.message', {}, { id: 'more' }));
  await passage.settle();
  expect(passage.items.slice(-2).map((it) => [it.id, it.turn, it.event.sequence])).toEqual([['new', 11, 101], ['more', 11, 102]]);
  expect([passage.total, passage.turns, passage.items.length]).toEqual([102, 11, 102]);
  passage.end();
});

test('the line of an output that tells what went wrong', () => {
  const check = (output: string, expected: string) => expect(tellingLine(output), output).toBe(expected);
  check('running 14 tests\ntest a ... ok\nerror[E0502]: cannot borrow `x`\n --> a.rs', 'error[E0502]: cannot borrow `x`');
  check('Traceback (most recent call last):\n  File "a.py", line 1\n    fail()\nValueError: no', 'ValueError: no');
  check('one\ntwo\n', 'two');
  check('', '');
});

test('text with colours is the same text, and hostile text is read in no time', () => {
  const check = (text: string, language: string, expected: [string, string][]) => {
    const all = pieces(text, family(language));
    expect(all.map((it) => it.text).join(''), text).toBe(text);
    expect(all.filter((it) => it.kind).map((it) => [it.kind, it.text]), text).toEqual(expected);
  };
  check('let x = "a" + 12; // b', 'rust', [['keyword', 'let'], ['string', '"a"'], ['number', '12'], ['comment', '// b']]);
  check("if [ $# -gt 1 ]; then # c", 'sh', [['keyword', 'if'], ['number', '1'], ['keyword', 'then'], ['comment', '# c']]);
  check('SELECT a FROM b -- c', 'sql', [['keyword', 'SELECT'], ['keyword', 'FROM'], ['comment', '-- c']]);
  check('+a\n-b\n c', 'diff', [['add', '+a\n'], ['del', '-b\n']]);
  check('let x', 'no such language', []);
  check('def f(): pass', '/w/src/a.py', [['keyword', 'def'], ['keyword', 'pass']]);
  const start = performance.now();
  for (const part of ['"\\', '\\"', "'", '`', '/*', '//', '"', '#', '<!--', '0x', '"\\\n']) for (const name of ['rust', 'py', 'html', 'sql']) {
    const text = part.repeat(Math.floor(29_000 / part.length));
    expect(pieces(text, family(name)).map((it) => it.text).join('')).toBe(text);
  }
  expect(performance.now() - start).toBeLessThan(4000);
});

test('the words of a search are marked as they are written, whatever they contain', () => {
  expect(words('a "b  c" agent:x since:7d pre* -not AND (d)')).toEqual(['a', 'b  c', 'pre', 'd']);
  const found = (question: string, text: string) => [...text.matchAll(pattern(words(question)) ?? /$^/g)].map((it) => it[0]);
  expect(found('A.b "c d"', 'a.b axb C\n d')).toEqual(['a.b', 'C\n d']);
  expect(found('(', 'a(b')).toEqual([]);
  expect(found('[x] \\', 'a[x]\\b')).toEqual(['[x]', '\\']);
  for (let code = 33; code < 127; code += 1) {
    const word = `x${String.fromCharCode(code)}y`;
    if (word !== 'x"y' && word !== 'x:y') expect(found(word, `a ${word} b`)).toEqual([word]);
  }
});

test('spans are rows below what they belong to, also where they name each other in a circle', () => {
  const span = (id: string, from: number, to: number, parent_id: string | null = null) => ({ id, parent_id, kind: 'tool', name: id, from, to, failed: false }) as never;
  const rows = (spans: never[]) => bars({ turn: 1, from: 0, to: 100, spans }).map((it) => [it.span.name, it.level, it.left, it.width]);
  expect(rows([span('b', 50, 100), span('a', 0, 50), span('c', 10, 20, 'a')])).toEqual([['a', 0, 0, 50], ['c', 1, 10, 10], ['b', 0, 50, 50]]);
  expect(rows([span('a', 0, 10, 'b'), span('b', 0, 20, 'a'), span('c', -50, 900, 'gone')])).toEqual([['c', 0, 0, 100], ['a', 0, 0, 10], ['b', 1, 0, 20]]);
  expect(ticks(61_000)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
});

test('each sub-agent is at the call that began it', () => {
  const call = (sequence: number, prompt: string) => told(sequence, 1, 'tool.call', { call_id: `c${sequence}`, input: { prompt, description: 'x' } });
  const worker = (id: string, second: number, title: string) => ({ id, title, started_at: new Date(second * 1000).toISOString() }) as never;
  const items = folded([call(1, 'Look at part 1.'), call(2, 'Look at part 2.'), told(3, 1, 'tool.call', { input: { command: 'ls' } }), told(30, 1, 'tool.result', { call_id: 'c1' }), told(31, 1, 'tool.result', { call_id: 'c2' })]);
  const found = workersOf(items, [worker('b', 3, 'Look at part 2.'), worker('a', 3, 'Look at part 1.'), worker('late', 900, 'Look at part 3.')]);
  expect([...found].map(([item, it]) => [item, it.id])).toEqual([['tool1', 'a'], ['tool2', 'b']]);
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

test('events become what a person reads', () => {
  const all = [told(1, 1, 'user.prompt'), told(2, 1, 'tool.call', { call_id: 'x', tool: 'Bash' }), told(3, 1, 'tool.result', { call_id: 'x' }), told(4, 1, 'assistant.message'), told(5, 1, 'heartbeat')];
  expect(folded(all).map((it) => [it.kind, it.id, it.kind === 'call' ? it.result?.id : undefined])).toEqual([['prompt', 'user1', undefined], ['call', 'tool2', 'tool3'], ['said', 'assistant4', undefined]]);
  // The beginning of a part may be a result alone.
  expect(folded(all.slice(2)).map((it) => [it.kind, it.id])).toEqual([['call', 'tool3'], ['said', 'assistant4']]);
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

test('the cost of a session names what its sub-agents cost', () => {
  const check = (own: number | null, all: number | null, reported: number | null, expected: string) => {
    const it = { cost_microdollars: own, cost: { reported_microdollars: reported, with_workers_microdollars: all, unknown_answers: 0 } } as any;
    expect(wholePrice(it)).toBe(expected);
  };
  check(1_200_000, 1_660_000, null, '≈$1.66, of which sub-agents $0.46');
  check(1_200_000, 1_200_000, 1_200_000, '$1.20');
  check(1_200_000, null, null, '≈$1.20');
  check(null, 500_000, null, '≈$0.50, of which sub-agents $0.50');
  check(null, null, null, 'unknown');
});

test('a size has a unit', () => {
  expect([0, 950, 16_384, 1_234_567].map(size)).toEqual(['0 bytes', '950 bytes', '16 kB', '1.2 MB']);
});

test('a refused call is no failure, and is found by what is shown', () => {
  const event = (id: string, kind: string, data: object) => ({ id, kind, createdAt: '2026-10-01T10:00:00Z', data, sequence: 1, turn: 1, text: '' }) as Told;
  const items = folded([event('c1', 'tool.call', { call_id: 'a' }), event('r1', 'tool.result', { call_id: 'a', denied: true, failed: false }), event('c2', 'tool.call', { call_id: 'b' }), event('r2', 'tool.result', { call_id: 'b', failed: true })]);
  expect(filtered(items, 'denied').map((it) => it.id)).toEqual(['c1']);
  expect(filtered(items, 'errors').map((it) => it.id)).toEqual(['c2']);
});
