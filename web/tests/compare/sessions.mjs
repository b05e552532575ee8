// The sessions that the harder questions are about. Each is as long as it has to be and no longer: what makes a question hard
// is the home around them, which holds everything else too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { Claude, uuid } from '../stage.mjs';

const [HOUR, DAY] = [3_600_000, 86_400_000];
export const EXPORT = '/home/ana/src/export';
export const ROWS = `${EXPORT}/src/rows.py`;
export const TITLES = {
  full: 'Find what slows the nightly export', twice: 'Keep the order of exported rows', helped: 'Review the three readers',
  denied: 'Free space on the build server', left: 'Split the export by region', typed: 'Give exported rows a type',
};
const REJECTED = 'The user doesn\'t want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.';

/** Its context grows by what it reads, as an agent's does: ten tokens for each that is written into the cache. */
class Growing extends Claude {
  held = 1600;
  block(content, stop) { this.held += 20; return super.block(content, stop, this.held); }
  result(content, ...more) { this.held += Math.ceil(content.length / 40); return super.result(content, ...more); }
}

/** The last Friday that is over, in the afternoon. */
export function friday(now) {
  const it = new Date(now - DAY);
  while (it.getDay() !== 5) it.setDate(it.getDate() - 1);
  return it.setHours(16, 20, 0, 0);
}

export function hard(stage, now) {
  const make = (number, name, start, cwd = EXPORT) => new Growing(stage, { id: uuid(number), cwd, title: TITLES[name], start });
  full(make(920, 'full', now - 9 * HOUR));
  helped(make(921, 'helped', now - 8 * HOUR, '/home/ana/src/readers'));
  twice(make(922, 'twice', now - 7 * HOUR));
  denied(make(923, 'denied', now - 2 * DAY, '/home/ana/src/builds'));
  typed(make(924, 'typed', now - 3 * DAY));
  left(make(925, 'left', friday(now)));
}

const edit = (it, before, after) => it.wait(20).calls('Edit', { file_path: ROWS, old_string: before, new_string: after }).wait(1).result(`The file ${ROWS} has been updated.`);
const run = (it, command, output, failed = false) => it.wait(12).calls('Bash', { command }).wait(25).result(output, failed);

/** A log of 120 kB fills its context; in its second turn it asks something, and waits seven minutes for the answer. */
function full(it) {
  it.asks('Why does the nightly export take two hours? Its log is in logs/nightly.log.');
  it.wait(6).calls('Read', { file_path: `${EXPORT}/logs/nightly.log` }).wait(2).result(log());
  it.wait(30).says('It asks the database once for each row, 1,500 times a night.');
  it.wait(90).asks('Then read the rows in batches.');
  it.wait(9).calls('AskUserQuestion', { questions: [{ question: 'How large may a batch be?', header: 'Batch', options: [{ label: '500 rows', description: 'Little memory' }, { label: '5000 rows', description: 'Fewer queries' }], multiSelect: false }] });
  it.wait(420).result('User has answered your questions: "How large may a batch be?"="500 rows". You can now continue with the user\'s answers in mind.');
  edit(it, 'for key in keys:\n    rows.append(fetch(key))', 'for batch in batches(keys, 500):\n    rows.extend(fetch_all(batch))');
  run(it, 'pytest -q tests', '41 passed in 3.10s');
  it.wait(10).says('The export reads 500 rows at a time now, and takes four minutes.');
  it.wait(120).asks('Add a line to the changelog.').wait(8).calls('Edit', { file_path: `${EXPORT}/CHANGELOG.md`, old_string: '## Next', new_string: '## Next\n\n- The nightly export reads its rows in batches.' }).wait(1).result('The file CHANGELOG.md has been updated.').wait(5).says('It is in the changelog.');
}
const log = () => Array.from({ length: 1500 }, (_, row) => `02:${String(Math.floor(row / 60) % 60).padStart(2, '0')}:${String(row % 60).padStart(2, '0')} INFO export.rows fetched row ${100_000 + row} of region ${row % 12} in 4.${row % 10} s, ${row * 3} kB held`).join('\n');

/** The same tests fail twice; the linter fails once. */
function twice(it) {
  const failing = 'FAILED tests/test_rows.py::test_order - AssertionError: [3, 1, 2] != [1, 2, 3]\n1 failed, 40 passed in 3.02s';
  it.asks('The export must keep the order of its rows.');
  edit(it, 'rows.extend(fetch_all(batch))', 'rows += fetch_all(batch)');
  run(it, 'pytest -q tests/test_rows.py', failing, true);
  edit(it, 'rows += fetch_all(batch)', 'rows += sorted(fetch_all(batch))');
  run(it, 'pytest -q tests/test_rows.py', failing, true);
  run(it, 'ruff check src', 'src/rows.py:12:5: E741 ambiguous name\nFound 1 error.', true);
  edit(it, 'rows += sorted(fetch_all(batch))', 'rows += sorted(fetch_all(batch), key=place)');
  run(it, 'pytest -q tests/test_rows.py', '41 passed in 3.05s');
  it.wait(9).says('The rows keep their order now.');
}

/** A third session that changed the same file, three days ago. An edit of it fails once. */
function typed(it) {
  it.asks('Rows should be a dataclass, so that the type checker knows their fields.');
  it.wait(20).calls('Edit', { file_path: ROWS, old_string: 'class Row(dict):', new_string: '@dataclass\nclass Row:' }).wait(1).result('String to replace not found in file.', true);
  edit(it, 'Row = dict', '@dataclass\nclass Row:\n    key: int\n    region: str');
  run(it, 'mypy src', 'src/rows.py:31: error: Value of type "Row" is not indexable', true);
  edit(it, "row['key']", 'row.key');
  run(it, 'mypy src', 'Success: no issues found in 9 source files');
  it.wait(9).says('A row is a dataclass now.');
}

/** A command that the person refused in the agent's own dialog. */
function denied(it) {
  it.asks('The build server is full. Free some space.');
  run(it, 'df -h /var', '/dev/sda2  200G  198G  2G  99% /var');
  it.wait(10).calls('Bash', { command: 'rm -rf /var/cache/builds' }).wait(34).result(REJECTED, true, { toolUseResult: 'User rejected tool use', toolDenialKind: 'user-rejected' });
  it.wait(40).asks('Only what is older than a month.');
  run(it, 'find /var/cache/builds -mtime +30 -delete', '');
  it.wait(9).says('61 GB are free now.');
}

/** It reads the file that others changed, changes another, and ends with a question that nobody answered. */
function left(it) {
  it.asks('Split the export by region, one file each.');
  it.wait(8).calls('Read', { file_path: ROWS }).wait(1).result('class Row(dict):\n    pass');
  it.wait(14).calls('Edit', { file_path: `${EXPORT}/src/writer.py`, old_string: 'open(path)', new_string: 'open(path_of(region))' }).wait(1).result('The file src/writer.py has been updated.');
  it.wait(12).says('The writer has one file for each region. Shall I split what was exported before, too?');
}

/** Three sub-agents at once, of which one is slow. */
function helped(it) {
  it.asks('Review the three readers, each with a helper of its own.');
  const helpers = [['CSV', 48], ['Parquet', 372], ['JSON', 61]].map(([format, seconds], number) => helper(it.wait(1), format, seconds, `b${number + 1}c0de`));
  for (const { call, ended, says, toolUseResult } of helpers.sort((a, b) => a.ended - b.ended)) {
    Object.assign(it, { call, now: ended });
    it.result([{ type: 'text', text: says }], false, { toolUseResult });
  }
  it.wait(8).says('All three are reviewed. The Parquet reader reads its footer twice.');
}

/** A sub-agent has a file of its own beside its session's. */
function helper(parent, format, seconds, agentId) {
  const [prompt, description] = [`Read src/${format.toLowerCase()}.py and say what is slow or wrong in it.`, `Review the ${format} reader`];
  parent.calls('Task', { description, prompt, subagent_type: 'general-purpose' });
  const folder = `${parent.path.replace('.jsonl', '')}/subagents`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/agent-${agentId}.meta.json`, JSON.stringify({ agentType: 'general-purpose', description, toolUseId: parent.call }));
  const it = new Claude(parent.stage, { id: parent.id, cwd: parent.cwd, start: parent.now });
  Object.assign(it, { path: `${folder}/agent-${agentId}.jsonl`, count: 100 * Number(agentId[1]) });
  const line = it.line.bind(it);
  it.line = (more) => line({ ...more, isSidechain: true, agentId });
  it.asks(prompt);
  const rounds = Math.max(1, Math.round(seconds / 60));
  for (let round = 0; round < rounds; round += 1) it.wait(5).calls('Bash', { command: `python -m bench src/${format.toLowerCase()}.py` }).wait(Math.floor((seconds - 10) / rounds) - 5).result('ok');
  const says = `The ${format} reader is reviewed.`;
  it.now = parent.now + seconds * 1000;
  it.says(says);
  return { call: parent.call, ended: it.now, says, toolUseResult: { status: 'completed', agentId, totalDurationMs: seconds * 1000 } };
}
