// Which text of an agent is shown, and which request can be answered in a message.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Editor } from './editor.mjs';

const { isAnswerable, plain, projectOf, question } = new Editor().load('words');
const asks = (command, more = {}, fields = {}) => ({
  agent: 'claude-code', tool: 'Bash', project_path: '/src/app', risk: 'low', truncated: false, redacted: false, command, input: { cut: false, fields: { command, ...fields } }, ...more,
});

test('a request is answered in a message only if all of it is in sight', () => {
  const check = (approval, expected) => {
    assert.equal(isAnswerable(approval), expected, JSON.stringify(approval));
    assert.equal(question(approval).endsWith(`asks to run: ${approval.command}`), expected);
  };
  check(asks('npm test'), true);
  check(asks('x'.repeat(240)), true);
  check(asks('npm test', { risk: 'medium' }, { description: 'Run the tests' }), true);
  check(asks('npm test', { risk: 'high' }), false);
  check(asks('npm test', { risk: 'new word' }), false);
  check(asks('npm test', { truncated: true }), false);
  check(asks('npm test', { redacted: true }), false);
  check(asks('npm test', { input: { cut: true, fields: { command: 'npm test' } } }), false);
  check(asks('npm test', { input: undefined }), false);
  check(asks('npm test', { input: { cut: false, fields: { command: 'npm test; rm x' } } }), false);
  check(asks('npm test', {}, { dangerouslyDisableSandbox: true }), false);
  check(asks('x'.repeat(241)), false);
  check(asks('npm test\nrm x'), false);
  check(asks('npm test  --all'), false);
  check(asks(' npm test'), false);
  check(asks('npm\ttest'), false);
  check(asks('echo \u202etxt.sh'), false);
  check(asks('curl ex\u0430mple.org'), false);
  check(asks('echo [ok](command:workbench.action.quit)'), false);
  check(asks(''), false);
});

test('text of an agent is one plain line', () => {
  const check = (text, expected) => assert.equal(plain(text), expected);
  check('fix it', 'fix it');
  check('a\n b\u0007\u202e\u200bc\u001b[31m', 'a b c [31m');
  check('[x](command:a)', '[x] (command:a)');
  check('y'.repeat(90), `${'y'.repeat(80)}…`);
  assert.equal(projectOf({ project_path: '/src/x asks to run: ls' }), 'x_asks_to_run_ls');
  assert.equal(projectOf({ project_path: '/src/Übung-1.0' }), 'Übung-1.0');
  assert.equal(projectOf({ project_path: null }), 'no folder');
});
